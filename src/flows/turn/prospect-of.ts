// Looks up what the store knows about the price of a turn: what earlier runs reported, measured contexts, list prices.
import type { Adapter } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { modelOfLatest, type Session } from '../../core/conversation/session.ts'
import type { Facts } from '../../core/decide/decision.ts'
import type { Prospect } from '../../core/decide/prospect.ts'
import { tokensOfChars } from '../../core/money/estimate.ts'
import { learnHabits, shapeOf, type TurnHabits } from '../../core/money/habits.ts'
import { sameWholeTools } from '../../core/money/same-tools.ts'
import type { Run } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import { mostPromptChars } from './run-spec.ts'

export type ProspectiveTurn = {
  readonly threadId: string
  readonly facts: Facts
  readonly view: readonly Message[]
  readonly prompt: string
  /** The length of the composed prompt, where it is composed already. */
  readonly promptChars?: number
  readonly sessions: readonly Session[]
  /** `null`: the agent chooses. */
  readonly model: string | null
  readonly disallowedTools: readonly string[]
  readonly note?: string
  readonly adapter: Pick<Adapter, 'money'>
}

/** The contexts after these many first answers tell what the agent adds to a session by itself. */
const FIRST_ANSWERS = 2
/** The latest runs of the thread tell what is usual; where it has none, those of the agent in other threads. */
const THREAD_RUNS = 12
const ALL_RUNS = 40
const LEARNED_RUNS = 8
/** So many new sessions tell what the agent adds to one. */
const BEGUN_RUNS = 2

export async function prospectOf(
  dependencies: Dependencies,
  turn: ProspectiveTurn,
): Promise<Prospect> {
  const { facts, view, prompt, promptChars, sessions, adapter } = turn
  const latest = sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt)
  const model = turn.model ?? modelOfLatest(latest)
  const same = model === null ? [] : latest.filter(session => isModelOf(session, model, adapter))
  const price =
    [model, ...same.map(session => session.model)]
      .map(name => (name === null ? null : adapter.money.price(name)))
      .find(found => found !== null) ?? null
  const ledger = await ledgerOf(dependencies, turn)
  return {
    facts,
    view,
    prompt,
    ...(promptChars !== undefined && { promptChars }),
    maxChars: mostPromptChars(facts),
    measured: await measuredIn(dependencies, facts, view),
    overheads: ledger.overheads,
    sameModel: new Set(same.map(({ id }) => id)),
    sameTools: sameToolsIn(turn, ledger.ofThread),
    elsewhere: elsewhereIn(turn, model, ledger),
    note: turn.note ?? null,
    habits: ledger.habits,
    price,
  }
}

type Ledger = Pick<Prospect, 'overheads'> & {
  readonly ofThread: readonly Run[]
  /** Those of the agent that tell what is usual. */
  readonly told: readonly Run[]
  readonly habits: TurnHabits | null
}

/** What the newest runs have reported. */
async function ledgerOf(
  { store }: Pick<Dependencies, 'store'>,
  { threadId, facts, adapter }: ProspectiveTurn,
): Promise<Ledger> {
  const told = (run: Run) =>
    run.agent === facts.agent && run.status === 'completed' && run.contextTokens !== null
  const ofThread = await store.listRuns({ threadId, limit: THREAD_RUNS })
  const own = ofThread.filter(told)
  const runs = own.length > 0 ? own : (await store.listRuns({ limit: ALL_RUNS })).filter(told)
  const overheads: number[] = []
  for (const run of runs.filter(beganEmpty).slice(0, BEGUN_RUNS)) {
    const sent = await store.promptOf(run.id)
    if (sent) overheads.push(Math.max(0, shapeOf(run).firstTokens - tokensOfChars(sent.bytes)))
  }
  const of = own.length > 0 ? 'thread' : 'agent'
  const priceOf = (name: string) => adapter.money.price(name)
  const habits = learnHabits(runs.slice(0, LEARNED_RUNS), { of, priceOf })
  return { ofThread, told: runs, overheads, habits }
}

/** Sessions in the same directory begin with the same texts. */
function elsewhereIn(
  { facts, disallowedTools, adapter }: ProspectiveTurn,
  model: string | null,
  { told, ofThread }: Ledger,
): Prospect['elsewhere'] {
  const last = told.find(({ workDir }) => workDir === facts.workDir)
  if (!last || ofThread.includes(last) || last.endedAt === null) return null
  const sameTools =
    last.runtime === facts.runtime && sameWholeTools(last.disallowedTools, disallowedTools)
  const sameModel = model !== null && isModelOf(last, model, adapter)
  return { ageMs: Math.max(0, facts.gatheredAt - last.endedAt), sameModel, sameTools }
}

/** All that the session held was what the agent adds, and our prompt. */
function beganEmpty({ decision }: Run): boolean {
  if (decision?.action === 'replay') return decision.form !== 'native'
  return decision?.action === 'start' || decision?.action === 'handover'
}

/** Gives the sessions (our ids) whose last run had the same program and the same whole tools. */
function sameToolsIn(
  { facts, disallowedTools }: ProspectiveTurn,
  runs: readonly Run[],
): ReadonlySet<string> {
  const same = facts.sessions.filter(({ sessionId, runtime }) => {
    const last = runs.find(run => run.sessionId === sessionId)
    // A session that the newest runs have not used is too old for any cache.
    return (
      runtime === facts.runtime && last && sameWholeTools(last.disallowedTools, disallowedTools)
    )
  })
  return new Set(same.map(({ id }) => id))
}
/** An alias such as `sonnet` is part of the name that the agent reports for it. */
function isModelOf(
  session: Pick<Session, 'model'>,
  model: string,
  { money }: Pick<Adapter, 'money'>,
): boolean {
  if (session.model === null) return false
  if (session.model.includes(model.replace(/\[[^[\]]*\]$/, ''))) return true
  const wanted = money.price(model)
  const found = money.price(session.model)
  return wanted !== null && found !== null && wanted.inputUsd === found.inputUsd
}

async function measuredIn(
  { store }: Dependencies,
  { agent, sessions }: Facts,
  view: readonly Message[],
): Promise<ReadonlyMap<number, number>> {
  const answers = view.flatMap((message, index) => (message.agent === agent ? [index] : []))
  const cuts = sessions.flatMap(({ relation }) =>
    relation.kind === 'diverged' && relation.fork ? [relation.fork.shared - 1] : [],
  )
  const measured = new Map<number, number>()
  for (const index of new Set([...answers.slice(0, FIRST_ANSWERS), ...cuts])) {
    const runId = view[index]?.runId
    const run = runId ? await store.run(runId) : null
    if (run?.agent === agent && run.contextTokens !== null) measured.set(index, run.contextTokens)
  }
  return measured
}
