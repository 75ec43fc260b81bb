// Makes one value for the store of what a finished or broken-off run left. Pure: reads nothing, writes nothing.
import type { SessionGrowth } from '../../adapters/adapter.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { hashOf } from '../../core/conversation/messages.ts'
import { transcriptOf } from '../../core/conversation/transcript.ts'
import { type BookedCost, bookCost, priceOf } from '../../core/money/ledger.ts'
import { usageOfRun, withUnseen } from '../../core/money/run-usage.ts'
import { CHARS_PER_TOKEN, estimateSavings } from '../../core/money/savings.ts'
import type { QuestionEvent, Usage } from '../../core/run/events.ts'
import { joinRequests, joinTexts, joinTools } from '../../core/run/join-saved.ts'
import type { ModelTokens, Observation, Request } from '../../core/run/observe.ts'
import {
  contextTokensOf,
  modelOfRequests,
  tokensByModel,
  totalUsage,
} from '../../core/run/observe.ts'
import type { Exit, Failure, Run } from '../../core/run/run.ts'
import type { FallbackEvent } from '../../core/run/run-events.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import { redact } from '../../core/secrets/redact.ts'
import type { Supervise } from '../../store/contract/chains.ts'
import type { NextTurn, RunEnd } from '../../store/contract/runs.ts'
import type { Agent } from '../dependencies.ts'
import { newQuestion } from '../questions/questions.ts'
import { type SessionUse, sessionChange } from '../sessions/session-change.ts'
import { storedEvent, withoutSecrets } from './event-log.ts'

/** A run that is over, with everything known about it. */
export type Finished = SessionUse & {
  readonly agent: Agent
  readonly exit: Exit | null
  readonly now: number
  /** How long a question may stay open after the run. */
  readonly expireAfterMs: number
  readonly answerId: string
  readonly restatedId: string
  /** After a refused resume: names the run that takes over. */
  readonly fallback: FallbackEvent | null
  /** The verdict of a tier, and the function that decides what follows. */
  readonly verdict: Verdict | null
  readonly supervise: Supervise | null
  /** The next turn of a process that its caller keeps. */
  readonly nextTurn?: NextTurn
  /** Events that are stored together with the end. */
  readonly unwritten: readonly NewEvent[]
}

export function settle(finished: Finished): RunEnd {
  const { run, agent, observation, outcome, growth, expireAfterMs } = finished
  const { secrets } = agent
  const failure = outcome.kind === 'completed' ? null : outcome.failure
  const asked = parkedQuestion(finished)
  // A chain asks no user: either its next tier begins with the call, or the call never runs.
  const parked = run.chainId === null ? asked : null
  const requests = joinRequests(observation.requests.values(), growth.requests)
  // A killed run may have left its model in the session file alone.
  const model = observation.model ?? run.model ?? agent.model ?? modelOfRequests(requests)
  const result = observation.lastResult
  const cost = bookCost({
    // The mark of a process that was kept holds what the process had reported before.
    meaning: run.process === 'warm' ? 'session' : agent.adapter.money.costMeans(agent.runtime),
    totalUsd: result?.totalCostUsd ?? null,
    sinceLastUsd: observation.sinceLastCostUsd,
    baselineUsd: finished.mark.costUsd,
    // The stream does not show the request that compacts. Unless the agent reports its tokens, there is no cost to compare with.
    expectedUsd:
      observation.compacted && observation.sinceLastTokens.length === 0
        ? null
        : priceOf(pricedTokens(finished, requests), name => agent.adapter.money.price(name)),
    isBrokenOff: outcome.kind !== 'completed',
  })
  const shown = usageOfRun({
    means: agent.adapter.money.usageMeans,
    requests,
    reported: result?.usage ?? null,
    before: finished.mark.usage ?? null,
  })
  const usage = withUnseen(shown, reportedTokens(finished, cost))
  const answer = answerOf(finished)
  const contextTokens = contextTokensOf(requests) ?? result?.context?.tokens ?? null
  const contextWindow = result?.context?.window ?? windowOf(finished, model)
  const resumed = wasResumed(finished)
  return {
    runId: run.id,
    status: outcome.kind,
    endedAt: finished.now,
    durationMs: run.startedAt === null ? null : finished.now - run.startedAt,
    exit: finished.exit && {
      ...finished.exit,
      stderr: redact(finished.exit.stderr, secrets),
    },
    failure,
    usage,
    contextTokens,
    contextWindow,
    costUsd: cost.costUsd,
    costSource: cost.source,
    costDisputed: cost.disputed,
    savings: estimateSavings({
      usage,
      costUsd: cost.costUsd,
      transcriptChars: resumed && wasAsked(finished, usage) ? unsentChars(finished) : 0,
      price: model === null ? null : agent.adapter.money.price(model),
    }),
    turns: observation.result?.turns ?? 0,
    sessionResumed: resumed,
    sessionId: finished.session?.sessionId ?? observation.announcedSessionId,
    model,
    answer,
    restatedId: finished.restatedId,
    session: sessionChange(finished, {
      answer,
      model,
      contextTokens: contextTokens ?? estimatedContext(finished),
      contextWindow,
      answerSeen: answer !== null && sessionHolds(growth, answer),
    }),
    parked: parked && newQuestion(parked, { askedAt: finished.now, expireAfterMs, secrets }),
    events: [
      ...finished.unwritten,
      ...(asked ? [storedEvent(finished.now, withoutSecrets(asked, secrets))] : []),
      ...(finished.fallback ? [storedEvent(finished.now, finished.fallback)] : []),
    ],
    next: finished.fallback && { runId: finished.fallback.nextRunId },
    ...(finished.nextTurn && { nextTurn: finished.nextTurn }),
    verdict: finished.verdict,
    supervise: finished.supervise,
  }
}

/** The agent's own tokens where they cover more than the requests that were seen. */
function pricedTokens(
  { observation: { sinceLastTokens } }: Finished,
  requests: readonly Request[],
): readonly ModelTokens[] {
  const seen = totalUsage(requests)
  const all = withUnseen(seen, sinceLastTokens)
  const seesMore = Object.values(all).some((tokens, at) => tokens > (Object.values(seen)[at] ?? 0))
  return seesMore ? sinceLastTokens : requests
}

/** Only where they cover this run alone, as its cost shows. */
function reportedTokens(
  { observation }: Finished,
  { source, disputed }: BookedCost,
): readonly ModelTokens[] {
  if (disputed) return []
  if (source === 'since-last-result') return observation.sinceLastTokens
  return source === 'reported' ? tokensByModel(observation.lastResult?.models ?? {}) : []
}

/** The end of a run of which nothing is known except that it is over. */
export function emptyEnd(
  run: Run,
  end: { status: RunEnd['status']; failure: Failure; now: number; restatedId: string },
): RunEnd {
  return {
    runId: run.id,
    status: end.status,
    endedAt: end.now,
    durationMs: null,
    exit: null,
    failure: end.failure,
    usage: run.usage,
    contextTokens: null,
    contextWindow: null,
    costUsd: null,
    costSource: 'none',
    costDisputed: false,
    savings: null,
    turns: 0,
    sessionResumed: false,
    sessionId: run.sessionId,
    model: run.model,
    answer: null,
    restatedId: end.restatedId,
    session: null,
    parked: null,
    events: [],
    next: null,
    verdict: null,
    supervise: null,
  }
}

/** If the run broke off, the session file shows which call it had parked. */
function parkedQuestion({ outcome, observation, growth }: Finished): QuestionEvent | null {
  if (outcome.kind === 'completed') return observation.parked
  return outcome.kind === 'interrupted' ? growth.parked : null
}

function answerOf(finished: Finished): Message | null {
  const { outcome, observation, growth, agent, run } = finished
  const completed = outcome.kind === 'completed' || growth.complete
  // The text of a failed result is not an answer.
  const heard = observation.text || (completed && observation.result?.text) || ''
  const text = outcome.kind === 'completed' && heard ? heard : joinTexts(heard, growth.text)
  const tools = joinTools(observation.tools, growth.tools, {
    stopBegan: observation.stopBegan,
    secrets: agent.secrets,
  })
  if (!completed && !text && tools.length === 0) return null
  // The run that takes over will answer; half an answer of a refused session does not count.
  if (finished.fallback !== null) return null
  const content = { role: 'assistant' as const, agent: agent.name, text: text.toWellFormed() }
  return {
    ...content,
    id: finished.answerId,
    tools,
    interrupted: !completed,
    hash: hashOf(content),
    runId: run.id,
    createdAt: finished.now,
  }
}

/**
 * The session counts as holding an interrupted answer only if it holds all of it. About a call whose end is unknown
 * it may hold something false, which the next prompt must correct.
 */
function sessionHolds(growth: SessionGrowth, answer: Message): boolean {
  if (!growth.holdsPrompt || (growth.anchors.length === 0 && !growth.by)) return false
  if (!answer.interrupted) return true
  const allKnown = answer.tools.every(tool => tool.result !== null)
  return allKnown && growth.danglingTools === 0 && growth.text.trim() === answer.text.trim()
}

function wasResumed({ decision, outcome }: Finished): boolean {
  if (decision.action !== 'resume' && decision.action !== 'fork') return false
  if (outcome.kind === 'completed') return true
  return outcome.failure.class !== 'resume-refused' && outcome.failure.class !== 'anchor-missing'
}

/** Whether the model read anything, as far as is known: a run that was cancelled before that has saved nothing. */
function wasAsked({ outcome }: Finished, usage: Usage): boolean {
  if (outcome.kind === 'completed') return true
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0
}

/** Does not count the last answer that the session knows: a resume has to write that one to the cache as well. */
function unsentChars({ decision, view, run }: Finished): number {
  const seen = 'catchUpFrom' in decision ? decision.catchUpFrom : 0
  const known = view.slice(0, Math.max(0, seen - 1))
  if (known.length === 0) return 0
  // The mark before each message only has to have about the right length here.
  return transcriptOf(known, { mark: run.id, maxChars: Number.MAX_SAFE_INTEGER }).text.length
}

function windowOf({ observation, growth, agent }: Finished, model: string | null): number | null {
  // A file may say it before a request has said which model it is.
  if (model === null) return growth.contextWindow ?? null
  const reported = reportedWindow(observation, model) ?? growth.contextWindow
  const place = { runtime: agent.runtime, env: agent.fullEnv }
  return reported ?? agent.adapter.money.contextWindow(model, place)
}

function reportedWindow({ lastResult }: Observation, model: string): number | null {
  const models = lastResult?.models ?? {}
  // With several models, any of the others may belong to a sub-agent.
  const [only, ...others] = Object.values(models)
  const reported = models[model] ?? (others.length === 0 ? only : undefined)
  return reported?.contextWindow ?? null
}

/** For a run that broke off before anything was measured: the larger of the old fill and the size of the messages. */
function estimatedContext({ session, view, prompt }: Finished): number {
  const chars = [...view, prompt].reduce((sum, message) => sum + message.text.length, 0)
  return Math.max(session?.contextTokens ?? 0, Math.ceil(chars / CHARS_PER_TOKEN))
}
