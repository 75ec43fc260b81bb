// An example of each shape that callers meet first, for OpenAPI and docs/http-api.md. One that does not fit its schema does not compile.
import type { z } from '@hono/zod-openapi'
import { NO_USAGE } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import type { newChainSchema } from './chain.ts'
import type { changedSchema, resyncSchema } from './event.ts'
import type { toolResultSchema } from './question.ts'
import type { errorSchema } from './report.ts'
import type {
  adoptSchema,
  editSchema,
  forkSchema,
  loginSchema,
  newThreadSchema,
  newTurnSchema,
  previewSchema,
  preWarmSchema,
  renameSchema,
  retrySchema,
  stopSchema,
} from './requests.ts'
import type { newJobSchema } from './routes/job-routes.ts'
import type {
  preWarmEndedSchema,
  preWarmedSchema,
  submittedSchema,
} from './routes/thread-routes.ts'
import type { runFields } from './run.ts'
import type { newScheduleSchema } from './schedule.ts'
import type { threadSchema } from './thread.ts'
import { workExamples } from './work-examples.ts'

const workDir = '/home/me/server'
const threadId = 'thr_yyibqmezufaivefl'
const runId = 'run_tkjo33o2huursnld'
const messageId = 'msg_4hfbz3kq6wplmn2d'
const at = 1_794_913_200_000
const prompt = 'Plan a health check for the web server'
const decision = {
  action: 'start',
  reason: { code: 'first-turn' },
  checks: [{ guard: 'prior-turn', result: 'block', reason: { code: 'first-turn' } }],
} as const

const run: z.input<typeof runFields> & Run = {
  id: runId,
  agent: 'claude-code',
  model: 'claude-sonnet-4-5',
  status: 'completed',
  threadId,
  chainId: null,
  jobId: null,
  tier: null,
  attempt: 1,
  parentRunId: null,
  continuedBy: null,
  promptMessageId: messageId,
  answerMessageId: 'msg_9dkq2tzr5yahwm3c',
  workDir,
  permissionMode: 'default',
  allowedTools: [],
  disallowedTools: [],
  trust: 'project',
  sandboxWanted: 'none',
  sandbox: 'none',
  sandboxNote: null,
  host: 'build-1',
  process: 'new',
  processRunId: runId,
  freshSession: false,
  questions: 'ask',
  repliesTo: null,
  sessionId: 'd54b2e79-3054-4fd0-870b-9e657a659028',
  sessionConfirmedAt: at + 2_300,
  sessionResumed: false,
  decision,
  facts: null,
  resumeSettings: null,
  estimate: null,
  usage: { ...NO_USAGE, inputTokens: 3, cacheWriteTokens: 3_010, outputTokens: 15 },
  contextTokens: 3_028,
  contextWindow: 200_000,
  costUsd: 0.0115,
  costSource: 'reported',
  costDisputed: false,
  savings: null,
  turns: 1,
  durationMs: 2_200,
  queuedAt: at,
  startedAt: at + 40,
  firstEventAt: at + 600,
  lastEventAt: at + 2_200,
  endedAt: at + 2_300,
  exit: { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false },
  failure: null,
  runtime: 'claude-code 2.1.325',
  verdict: null,
  chainStep: null,
  handoverNote: null,
}

const thread: z.input<typeof threadSchema> = {
  id: threadId,
  kind: 'chat',
  title: 'health',
  agent: 'claude-code',
  workDir,
  host: 'workshop',
  workspace: null,
  view: 'all',
  forkedFrom: null,
  instructions: null,
  trust: null,
  sandbox: null,
  createdAt: at,
  updatedAt: at,
  messages: [],
  runs: [],
  sessions: [],
  costUsd: 0,
}

type Examples = ReturnType<typeof workExamples> & {
  readonly NewThread: z.input<typeof newThreadSchema>
  readonly Thread: z.input<typeof threadSchema>
  readonly Adopt: z.input<typeof adoptSchema>
  readonly Rename: z.input<typeof renameSchema>
  readonly NewTurn: z.input<typeof newTurnSchema>
  readonly Submitted: z.input<typeof submittedSchema>
  readonly Preview: z.input<typeof previewSchema>
  readonly PreWarm: z.input<typeof preWarmSchema>
  readonly PreWarmed: z.input<typeof preWarmedSchema>
  readonly PreWarmEnded: z.input<typeof preWarmEndedSchema>
  readonly Fork: z.input<typeof forkSchema>
  readonly Edit: z.input<typeof editSchema>
  readonly Retry: z.input<typeof retrySchema>
  readonly Run: z.input<typeof runFields>
  readonly ToolResult: z.input<typeof toolResultSchema>
  readonly NewJob: z.input<typeof newJobSchema>
  readonly NewChain: z.input<typeof newChainSchema>
  readonly NewSchedule: z.input<typeof newScheduleSchema>
  readonly LoginRequest: z.input<typeof loginSchema>
  readonly StopRequest: z.input<typeof stopSchema>
  readonly Changed: z.input<typeof changedSchema>
  readonly Resync: z.input<typeof resyncSchema>
  readonly Error: z.input<typeof errorSchema>
}

/** By the name of the component. */
export const SHAPE_EXAMPLES: Examples = {
  ...workExamples(run),
  NewThread: { workDir, title: 'health' },
  Thread: thread,
  Adopt: {
    workDir,
    messages: [
      { role: 'user', text: prompt },
      { role: 'assistant', text: 'GET /health answers 200 while the server can do its work.' },
    ],
  },
  Rename: { title: 'health check' },
  NewTurn: { prompt, disallowedTools: ['Bash(git push:*)'], budgetUsd: 0.5 },
  Submitted: { runId, messageId, decision },
  Preview: { prompt: 'Now write its test' },
  PreWarm: {},
  PreWarmed: { waits: true, ticket: 'pre_k3wq7zt5xnbdm2ya' },
  PreWarmEnded: { ended: true },
  Fork: { at: messageId, title: 'another way' },
  Edit: { text: 'Plan a health check for the database' },
  Retry: { freshSession: true },
  Run: run,
  ToolResult: { toolUseId: 'toolu_02', allow: true, for: 'run' },
  NewJob: { prompt: 'Make the tests pass', workDir, timeoutMs: 1_800_000, maxAttempts: 3 },
  NewChain: { policy: 'ops', prompt: 'Check the health of all services', workDir, budgetUsd: 2 },
  NewSchedule: {
    policy: 'ops',
    prompt: 'Check the health of all services',
    workDir,
    recurrence: { cron: '*/15 * * * *', timezone: 'Europe/Berlin' },
  },
  LoginRequest: { scopes: ['read'] },
  StopRequest: { drainMs: 30_000 },
  Changed: { kind: 'thread', id: threadId, at },
  Resync: { reason: 'unknown-id', after: 0 },
  Error: {
    error: {
      code: 'not-found',
      message: `there is no thread ${threadId}`,
      hint: 'Run `reprise threads` to see their ids.',
    },
  },
}
