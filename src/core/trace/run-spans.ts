// What the spans of a run say: names, times and attributes, made from its record. No text of users or agents.
// The names under `gen_ai.` are those of the semantic conventions of OpenTelemetry, version 1.41.0.
import type { Run } from '../run/run.ts'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** What is known of a span when it ends. */
export type SpanEnd = {
  readonly attributes: Attributes
  /** A failure in one word; `null`: it did not fail. */
  readonly error: string | null
  readonly endAt: number
}

/** What is known of a span when it begins. */
export type SpanStart = {
  readonly name: string
  readonly attributes: Attributes
  readonly startAt: number
}

/** The process that tells of a run, and the provider of the models of its agent. */
export type Teller = {
  readonly process: string
  readonly provider: string | null
}

/** The span around the runs of one turn, one attempt of a job or one tier of a chain. */
export function stepStart(run: Run): SpanStart {
  const name = run.chainId !== null ? 'tier' : run.jobId !== null ? 'attempt' : 'turn'
  return { name, attributes: { ...idsOf(run), ...placeOf(run) }, startAt: run.queuedAt }
}

export function stepEnd(run: Run): SpanEnd {
  const waitedMs = run.startedAt === null ? null : run.startedAt - run.queuedAt
  return {
    attributes: known({ 'reprise.status': run.status, 'reprise.waited_ms': waitedMs }),
    error: errorOf(run),
    endAt: endOf(run),
  }
}

/** How the run continues, as an event of the step. */
export function decisionEvent({ decision, startedAt, queuedAt }: Run) {
  if (decision === null) return null
  return { name: 'reprise.decision', at: startedAt ?? queuedAt, attributes: decisionOf(decision) }
}

/** The span of one process of an agent. */
export function runStart(run: Run, { process, provider }: Teller): SpanStart {
  return {
    name: `invoke_agent ${run.agent}`,
    attributes: known({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.agent.name': run.agent,
      'gen_ai.conversation.id': run.threadId,
      'gen_ai.request.model': run.endedAt === null ? run.model : null,
      'reprise.run.id': run.id,
      'reprise.process': process,
      ...idsOf(run),
    }),
    startAt: run.startedAt ?? run.queuedAt,
  }
}

export function runEnd(run: Run): SpanEnd {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = run.usage
  return {
    attributes: known({
      'gen_ai.response.model': run.model,
      // By the conventions, the tokens of the cache are part of the input.
      'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
      'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
      'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'reprise.status': run.status,
      'reprise.cost.usd': run.costUsd,
      'reprise.cost.source': run.costSource,
      'reprise.session.resumed': run.sessionResumed,
      'reprise.trust': run.trust,
      'reprise.sandbox': run.sandbox,
      ...(run.decision && decisionOf(run.decision)),
    }),
    error: errorOf(run),
    endAt: endOf(run),
  }
}

function decisionOf(decision: NonNullable<Run['decision']>): Attributes {
  return known({
    'reprise.decision.action': decision.action,
    'reprise.decision.reason': 'reason' in decision ? decision.reason.code : null,
  })
}

function idsOf({ threadId, chainId, jobId }: Run): Attributes {
  return known({
    'reprise.thread.id': threadId,
    'reprise.chain.id': chainId,
    'reprise.job.id': jobId,
  })
}

function placeOf({ chainId, jobId, tier, attempt }: Run): Attributes {
  return known({
    'reprise.tier': chainId === null ? null : tier,
    'reprise.attempt': jobId === null ? null : attempt,
  })
}

/** Somebody who cancels a run gets what they asked for. */
function errorOf({ status, failure }: Run): string | null {
  return status === 'failed' || status === 'interrupted' ? (failure?.class ?? 'unknown') : null
}

function endOf({ endedAt, lastEventAt, startedAt, queuedAt }: Run): number {
  return endedAt ?? lastEventAt ?? startedAt ?? queuedAt
}

function known(attributes: Record<string, string | number | boolean | null>): Attributes {
  const entries = Object.entries(attributes).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== null,
  )
  return Object.fromEntries(entries)
}
