// A decision as it goes over the wire: the decision, its reason, and what every guard saw.
import { z } from '@hono/zod-openapi'
import type { Check, Decision, Facts, Reason } from '../../core/decide/decision.ts'
import { GUARDS } from '../../core/decide/decision.ts'
import type { DecisionInWords } from '../../core/decide/explain.ts'
import type { PreviewInWords } from '../../core/decide/preview.ts'
import { WAYS, type WayName } from '../../core/decide/ways.ts'
import { dollars, listOf, mayBeMissing, orNull, time, wholeNumber } from './fields.ts'
import { estimateSchema } from './money/estimate.ts'

export const retiredBecauseSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('refused'), detail: z.string() }),
  z.object({ code: z.literal('failed-twice'), detail: z.string() }),
  z.object({ code: z.literal('never-persisted') }),
  z.object({ code: z.literal('left-asking') }),
])

const guard = z.enum(GUARDS).openapi('GuardName')

export const reasonSchema = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('agent-cannot-resume'), agent: z.string() }),
    z.object({ code: z.literal('resume-off') }),
    z.object({ code: z.literal('fresh-asked') }),
    z.object({ code: z.literal('first-turn') }),
    z.object({ code: z.literal('no-session'), agent: z.string() }),
    z.object({
      code: z.literal('tier-agent-changed'),
      tier: wholeNumber,
      was: z.string(),
      now: z.string(),
    }),
    z.object({ code: z.literal('session-unconfirmed'), sessionId: z.string() }),
    z.object({
      code: z.literal('session-retired'),
      sessionId: z.string(),
      because: retiredBecauseSchema,
    }),
    z.object({ code: z.literal('history-changed'), shared: wholeNumber, seen: wholeNumber }),
    z.object({ code: z.literal('foreign-turns'), messages: wholeNumber, shared: wholeNumber }),
    z.object({ code: z.literal('directory-changed'), was: z.string(), now: z.string() }),
    z.object({ code: z.literal('runtime-changed'), was: z.string(), now: z.string() }),
    z.object({ code: z.literal('session-too-old'), ageMs: z.number(), maxAgeMs: z.number() }),
    z.object({ code: z.literal('resumes-fruitless'), count: wholeNumber, max: wholeNumber }),
    z.object({
      code: z.literal('context-full'),
      tokens: wholeNumber,
      window: wholeNumber,
      threshold: z.number(),
    }),
    z.object({ code: z.literal('file-missing'), path: z.string() }),
    z.object({ code: z.literal('file-damaged'), path: z.string(), detail: z.string() }),
    z.object({ code: z.literal('tier-entered'), tier: wholeNumber }),
    z.object({ code: z.literal('caller-asked') }),
    z.object({ code: z.literal('carried-over'), way: z.enum(['trimmed', 'note']) }),
    z.object({ code: z.literal('session-busy'), holder: z.string() }),
    z.object({ code: z.literal('fact-unknown'), guard, question: z.string() }),
    z.object({ code: z.literal('resume-refused'), sessionId: z.string(), detail: z.string() }),
  ])
  .openapi('Reason') satisfies z.ZodType<Reason>

export const reasonCodeSchema = z.enum(reasonSchema.options.map(({ shape }) => shape.code.value))

function checkWith<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.discriminatedUnion('result', [
    z.object({ guard, result: z.literal('pass'), saw: z.string(), ...shape }),
    z.object({ guard, result: z.literal('block'), reason: reasonSchema, ...shape }),
    z.object({ guard, result: z.literal('unknown'), question: z.string(), ...shape }),
  ])
}

export const actionSchema = z.enum([
  'resume',
  'fork',
  'replay',
  'handover',
  'start',
  'wait',
]) satisfies z.ZodType<Decision['action']>

export const checkSchema = checkWith({}).openapi('Check') satisfies z.ZodType<Check>

const session = z.object({ id: z.string(), sessionId: z.string() })

const form = z.enum(['native', 'prompt'])
const formBecause = mayBeMissing(
  z.enum(['set', 'agent', 'version', 'model', 'disk', 'unsound', 'refused', 'failed']),
)

/** How the run got the conversation, where somebody chose. */
const carry = mayBeMissing(
  z.object({
    way: z.enum(['whole', 'trimmed', 'note']),
    because: z.enum([
      'set',
      'cache-warm',
      'cache-cold',
      'cheaper',
      'fits',
      'nothing-long',
      'agent',
      'call-waits',
      'disk',
    ]),
    /** What the tier was expected to cost with each, where `auto` chose by it. */
    expectedUsd: mayBeMissing(z.object({ whole: dollars, trimmed: dollars })),
    /** How much shorter the conversation became. */
    cut: mayBeMissing(z.object({ outputs: wholeNumber, chars: wholeNumber })),
  }),
)

function decisionWith<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.discriminatedUnion('action', [
    z.object({ action: z.literal('resume'), session, catchUpFrom: wholeNumber, ...shape }),
    z.object({
      action: z.literal('fork'),
      session,
      at: z.string().nullable(),
      catchUpFrom: wholeNumber,
      reason: reasonSchema,
      carry,
      ...shape,
    }),
    z.object({
      action: z.literal('replay'),
      reason: reasonSchema,
      form: mayBeMissing(form),
      formBecause,
      carry,
      ...shape,
    }),
    z.object({ action: z.literal('handover'), reason: reasonSchema, carry, ...shape }),
    z.object({ action: z.literal('start'), reason: reasonSchema, ...shape }),
    z.object({ action: z.literal('wait'), reason: reasonSchema, ...shape }),
  ])
}

export const decisionSchema = decisionWith({ checks: listOf(checkSchema) }).openapi(
  'Decision',
) satisfies z.ZodType<Decision>

const checkInWords = checkWith({
  words: z.string(),
  /** True for the check that caused the decision. */
  cause: z.boolean(),
}).openapi('CheckInWords')

const alternatives = listOf(
  z
    .object({ action: actionSchema, words: z.string(), estimate: orNull(estimateSchema) })
    .openapi('Alternative'),
)

const inWords = {
  words: z.string(),
  /** The reason for a table: its code and the datum that proves it; empty for `resume`. */
  short: z.string(),
  checks: listOf(checkInWords),
  /** What would change the decision: one fact or setting each. */
  changes: alternatives,
}

export const decisionInWordsSchema = decisionWith(inWords).openapi(
  'DecisionInWords',
) satisfies z.ZodType<DecisionInWords>

export const pricedWaySchema = z
  .object({
    way: z.enum(WAYS) satisfies z.ZodType<WayName>,
    isChosen: z.boolean(),
    /** Why it is chosen, or what leads to it. */
    words: z.string(),
    estimate: orNull(estimateSchema),
  })
  .openapi('PricedWay')

export const previewInWordsSchema = decisionWith({
  ...inWords,
  /** What the whole turn is expected to use; `null`: not known. */
  estimate: orNull(estimateSchema),
  /** Every way in which the turn can go on, with its price; the chosen one first. */
  ways: listOf(pricedWaySchema),
  notes: listOf(z.string()),
}).openapi('PreviewInWords') satisfies z.ZodType<PreviewInWords>

const relation = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('same'), shared: wholeNumber }),
  z.object({ kind: z.literal('behind'), shared: wholeNumber }),
  z.object({
    kind: z.literal('diverged'),
    shared: wholeNumber,
    seen: wholeNumber,
    fork: z.object({ shared: wholeNumber, anchor: z.string() }).nullable(),
    foreign: mayBeMissing(wholeNumber),
  }),
])

export const sessionFileSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('present'),
    foreign: mayBeMissing(z.object({ messages: wholeNumber, lastShared: z.string().nullable() })),
    restored: mayBeMissing(z.object({ keptAt: mayBeMissing(time), because: z.string() })),
  }),
  z.object({ state: z.literal('missing'), path: z.string() }),
  z.object({ state: z.literal('damaged'), path: z.string(), detail: z.string() }),
  z.object({
    state: z.literal('restorable'),
    path: z.string(),
    detail: z.string(),
    keptAt: mayBeMissing(time),
  }),
  z.object({ state: z.literal('unread') }),
  z.object({ state: z.literal('unknown') }),
])

const sessionFacts = z.object({
  id: z.string(),
  sessionId: z.string(),
  pointer: z.enum(['announced', 'confirmed', 'retired']),
  evidence: mayBeMissing(z.enum(['file', 'protocol', 'word'])),
  retiredBecause: retiredBecauseSchema.nullable(),
  workDir: z.string(),
  runtime: z.string(),
  lastMessageAt: time,
  fruitlessResumes: wholeNumber,
  contextTokens: wholeNumber.nullable(),
  file: sessionFileSchema,
  heldBy: z.string().nullable(),
  relation,
})

/** The facts behind the decision. */
export const factsSchema = z
  .object({
    gatheredAt: time,
    agent: z.string(),
    abilities: z.object({
      resume: z.boolean(),
      fork: z.boolean(),
      forkAtMessage: z.boolean(),
      chooseSessionId: z.boolean(),
      resumeAcrossWorkDirs: z.boolean(),
    }),
    freshSession: z.boolean(),
    viewLength: wholeNumber,
    workDir: z.string(),
    runtime: z.string(),
    contextWindow: wholeNumber.nullable(),
    sessions: listOf(sessionFacts),
    purpose: mayBeMissing(
      z.object({
        kind: z.literal('chain'),
        tier: wholeNumber,
        agentBelow: mayBeMissing(z.string()),
        enters: z.boolean(),
        ownSessions: mayBeMissing(listOf(z.string())),
        handedOver: mayBeMissing(listOf(z.string())),
      }),
    ),
    replayForm: mayBeMissing(z.object({ form, formBecause })),
  })
  .openapi('Facts') satisfies z.ZodType<Facts>
