// A run as it goes over the wire: the whole record, so that a client knows as much as the daemon.
import { z } from '@hono/zod-openapi'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { Exit, Failure, Run, RunStatus, Savings } from '../../core/run/run.ts'
import type { RunWork } from '../../core/run/run-work.ts'
import type { SentPrompt } from '../../core/run/sent-prompt.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import { chainStepSchema, handoverNoteSchema, verdictSchema } from './chain-step.ts'
import { decisionSchema, factsSchema } from './decision.ts'
import { failureClassSchema } from './failure-class.ts'
import {
  carrySchema,
  dollars,
  id,
  listOf,
  mayBeMissing,
  orNull,
  sandboxModeSchema,
  time,
  trustSchema,
  wholeNumber,
} from './fields.ts'
import { estimateSchema, usageSchema } from './money/estimate.ts'

export const runStatusSchema = z
  .enum(['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted', 'cancelled'])
  .openapi('RunStatus') satisfies z.ZodType<RunStatus>

export const failureSchema = z
  .object({
    class: failureClassSchema,
    message: z.string(),
    hint: z.string(),
    toolsRan: wholeNumber,
    resetsAt: time.nullable(),
  })
  .openapi('Failure') satisfies z.ZodType<Failure>

const killReason = z.enum([
  'cancelled',
  'no-first-event',
  'silent',
  'too-slow',
  'hung-after-result',
  'output-limit',
  'budget',
  'policy-violation',
  'shutdown',
  'lease-lost',
  'database-away',
  'spool-full',
])

const exit = z.object({
  code: z.number().nullable(),
  signal: z.string().nullable(),
  endedBy: killReason.nullable(),
  stderr: z.string(),
  outputCut: z.boolean(),
}) satisfies z.ZodType<Exit>

export const savingsSchema = z
  .object({
    coldInputTokens: wholeNumber,
    coldCostUsd: dollars,
    savedUsd: dollars,
    estimate: z.literal(true),
  })
  .openapi('Savings') satisfies z.ZodType<Savings>

const resumeSettings = z.object({
  mode: z.enum(['auto', 'never']),
  contextThreshold: z.number(),
  onWorkDirChange: z.enum(['replay', 'relocate']),
  maxFruitlessResumes: wholeNumber,
  maxSessionAgeMs: z.number().nullable(),
  whenUnknown: z.enum(['replay', 'resume']),
  replay: z.enum(['native', 'prompt']),
  drift: mayBeMissing(z.enum(['tell', 'off'])),
  carry: mayBeMissing(carrySchema),
}) satisfies z.ZodType<ResumeSettings>

const waitReason = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('thread-busy'), runId: z.string(), words: z.string() }),
    z.object({
      code: z.literal('no-slot'),
      running: wholeNumber,
      max: wholeNumber,
      words: z.string(),
    }),
  ])
  .openapi('WaitReason', {
    description:
      'Why the run does not start yet; only for a queued run, and only when it is requested by its id',
  }) satisfies z.ZodType<WaitReason>

/** All fields, for schemas that extend them. */
export const runFields = z
  .object({
    id,
    agent: z.string(),
    model: z.string().nullable(),
    status: runStatusSchema,
    waitsFor: waitReason.optional(),
    threadId: z.string().nullable(),
    chainId: z.string().nullable(),
    jobId: z.string().nullable(),
    tier: wholeNumber.nullable(),
    attempt: wholeNumber,
    parentRunId: z.string().nullable(),
    continuedBy: z.string().nullable(),
    promptMessageId: z.string().nullable(),
    answerMessageId: z.string().nullable(),
    workDir: z.string(),
    permissionMode: z.string(),
    allowedTools: listOf(z.string()),
    disallowedTools: listOf(z.string()),
    trust: trustSchema,
    sandboxWanted: sandboxModeSchema,
    sandbox: z.enum(['bwrap', 'namespace', 'none']).nullable(),
    sandboxNote: z.string().nullable(),
    host: z.string().nullable(),
    process: z.enum(['new', 'warm']).nullable().openapi({
      description: '`warm`: a process that an earlier run started and Reprise kept',
    }),
    processRunId: z.string().nullable().openapi({
      description:
        'The run that started the process; `pre_…`: it was started before the prompt came',
    }),
    freshSession: z.boolean(),
    questions: z.enum(['ask', 'none']),
    repliesTo: z.string().nullable(),
    sessionId: z.string().nullable(),
    sessionConfirmedAt: time.nullable(),
    sessionResumed: z.boolean(),
    decision: orNull(decisionSchema).openapi('DecisionOrNull'),
    facts: orNull(factsSchema),
    resumeSettings: resumeSettings.nullable(),
    estimate: orNull(estimateSchema),
    usage: usageSchema,
    contextTokens: wholeNumber.nullable(),
    contextWindow: wholeNumber.nullable(),
    costUsd: dollars.nullable(),
    costSource: z.enum(['reported', 'session-delta', 'since-last-result', 'per-message', 'none']),
    costDisputed: z.boolean(),
    savings: orNull(savingsSchema),
    turns: wholeNumber,
    durationMs: z.number().nullable(),
    queuedAt: time,
    startedAt: time.nullable(),
    firstEventAt: time.nullable(),
    lastEventAt: time.nullable(),
    endedAt: time.nullable(),
    exit: exit.nullable(),
    failure: orNull(failureSchema),
    runtime: z.string().nullable(),
    verdict: orNull(verdictSchema),
    chainStep: orNull(chainStepSchema),
    handoverNote: orNull(handoverNoteSchema),
  })
  .openapi('Run') satisfies z.ZodType<Run>

/** Has a named type, because the declarations of the routes would otherwise be too long for the compiler. */
export const runSchema: z.ZodType<Run> = runFields

/** The declarations of the routes would be too long with the run written out. */
export const runResultSchema: z.ZodType<{ readonly run: Run; readonly text: string }> = z
  .object({ run: runFields, text: z.string() })
  .openapi('RunResult')

export const sentPromptSchema = z
  .object({
    /** Empty when the run continued a parked call instead. */
    text: z.string(),
    /** The length of the whole prompt in UTF-8. */
    bytes: wholeNumber,
    /** True when `text` is only the beginning. */
    truncated: z.boolean(),
    /** Without secrets. */
    arguments: listOf(z.string()),
  })
  .openapi('SentPrompt') satisfies z.ZodType<SentPrompt>

/** `costIs`: `so-far` is the list price of the requests that were reported; `booked` is what the ended run has cost. */
export const runWorkSchema = z
  .object({
    worker: z.object({ host: z.string(), pid: wholeNumber }),
    lease: z.object({ token: wholeNumber, until: time }).nullable(),
    usage: usageSchema,
    costUsd: dollars.nullable(),
    costIs: z.enum(['so-far', 'booked']),
  })
  .openapi('RunWork') satisfies z.ZodType<RunWork>
