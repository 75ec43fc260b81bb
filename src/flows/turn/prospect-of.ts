// Looks up what the store knows about the price of a turn: measured contexts, models of sessions, list prices.
import type { Adapter } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { modelOfLatest, type Session } from '../../core/conversation/session.ts'
import type { Facts } from '../../core/decide/decision.ts'
import type { Prospect } from '../../core/decide/prospect.ts'
import type { Dependencies } from '../dependencies.ts'
import { mostPromptChars } from './run-spec.ts'

export type ProspectiveTurn = {
  readonly facts: Facts
  readonly view: readonly Message[]
  readonly prompt: string
  readonly sessions: readonly Session[]
  /** `null`: the agent chooses. */
  readonly model: string | null
  readonly adapter: Pick<Adapter, 'money'>
}

/** The contexts after these many first answers tell what the agent adds to a session by itself. */
const FIRST_ANSWERS = 2

export async function prospectOf(
  dependencies: Dependencies,
  { facts, view, prompt, sessions, model: wanted, adapter }: ProspectiveTurn,
): Promise<Prospect> {
  const latest = sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt)
  const model = wanted ?? modelOfLatest(latest)
  const same = model === null ? [] : latest.filter(session => isModelOf(session, model, adapter))
  const price = [model, ...same.map(session => session.model)]
    .map(name => (name === null ? null : adapter.money.price(name)))
    .find(found => found !== null)
  return {
    facts,
    view,
    prompt,
    maxChars: mostPromptChars(facts),
    measured: await measuredIn(dependencies, facts, view),
    sameModel: new Set(same.map(({ id }) => id)),
    price: price ?? null,
  }
}

/** An alias such as `sonnet` is part of the name that the agent reports for it. */
function isModelOf(session: Session, model: string, { money }: Pick<Adapter, 'money'>): boolean {
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
