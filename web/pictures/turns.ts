// A conversation by turns: each prompt with its runs and answers, and the line beside them. One unbroken stroke is one session.
import type { Message } from '../../src/core/conversation/messages.ts'
import type { BranchMessage } from '../../src/core/conversation/versions.ts'
import type { Decision } from '../../src/core/decide/decision.ts'
import type { Run } from '../../src/core/run/run.ts'

/** How the line comes into a turn: unbroken, into a copy of the session, or broken off for a new one. */
export type Stroke = 'none' | 'same' | 'fork' | 'new'

export type ShownTurn = {
  /** Counts from 1. */
  readonly number: number
  /** `null` when the thread begins with an answer. */
  readonly prompt: BranchMessage | null
  readonly answers: readonly BranchMessage[]
  /** In the order in which they were queued: after a refused resume there are two. */
  readonly runs: readonly Run[]
  /** The run that the turn is at, or ended with. */
  readonly run: Run | null
  readonly stroke: Stroke
}

export function turnsOf(
  messages: readonly BranchMessage[],
  runs: readonly Run[],
): readonly ShownTurn[] {
  const parts: BranchMessage[][] = []
  for (const message of messages) {
    const current = parts.at(-1)
    if (message.role === 'user' || current === undefined) parts.push([message])
    else current.push(message)
  }
  return parts.map((part, index) => {
    const [first] = part
    const prompt = first?.role === 'user' ? first : null
    const own = runsOf(part, runs)
    const run = own.at(-1) ?? null
    return {
      number: index + 1,
      prompt,
      answers: part.filter(({ role }) => role === 'assistant'),
      runs: own,
      run,
      // What was said elsewhere is of no session that this thread knows.
      stroke: index === 0 || run === null ? 'none' : strokeOf(run.decision?.action ?? null),
    }
  })
}

function runsOf(part: readonly Message[], runs: readonly Run[]): readonly Run[] {
  const ids = new Set(part.map(({ id }) => id))
  const runIds = new Set(part.map(({ runId }) => runId))
  return runs
    .filter(({ id, promptMessageId }) => ids.has(promptMessageId ?? '') || runIds.has(id))
    .toSorted((a, b) => a.queuedAt - b.queuedAt)
}

function strokeOf(action: Decision['action'] | null): Stroke {
  if (action === null || action === 'resume' || action === 'wait') return 'same'
  return action === 'fork' ? 'fork' : 'new'
}
