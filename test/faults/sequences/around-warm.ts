// What happens around processes that wait for a turn, and what must be true of what they cost.
import { expect } from 'vitest'
import type { Reprise } from '../../../src/api.ts'
import type { Run } from '../../../src/core/run/run.ts'
import type { JournalEntry } from '../../../src/testing/fake-agent/journal.ts'
import type { WarmCommand } from './commands.ts'
import { changeFile } from './session-files.ts'
import type { World } from './world.ts'

/** Those that change nothing of the player itself. */
export async function happen(
  world: World,
  command: Exclude<WarmCommand, { do: 'instruct' | 'switch' }>,
  text: () => string,
): Promise<void> {
  const { warm } = world
  switch (command.do) {
    case 'kill': {
      const running = warm?.running() ?? []
      const marker = running[command.pick % running.length]
      if (marker) await warm?.kill(marker)
      return
    }
    case 'foreign':
      return changeFile(world, command.pick, path =>
        command.says ? sayInFile(world, path, text()) : world.files.append(path, '\n'),
      )
    case 'idle':
      warm?.passTime()
      return
    case 'grow':
      warm?.grow(command.share)
      return
  }
}

/** As somebody does who resumes the session by hand: a prompt and its answer after the last message. */
async function sayInFile({ files }: World, path: string, words: string): Promise<void> {
  const text = new TextDecoder().decode((await files.read(path)) ?? new Uint8Array())
  const lines = text.split('\n').flatMap(parsed)
  const last = lines.findLast(({ uuid }) => uuid !== undefined)
  if (!last?.sessionId || !text.endsWith('\n')) return
  const { sessionId } = last
  const common = { isSidechain: false, sessionId, timestamp: '2026-01-01T00:00:00.000Z' }
  const [prompt, answer] = [crypto.randomUUID(), crypto.randomUUID()]
  const said = [
    {
      type: 'user',
      uuid: prompt,
      parentUuid: last.uuid,
      message: { role: 'user', content: words },
    },
    {
      ...{ type: 'assistant', uuid: answer, parentUuid: prompt },
      message: {
        ...{ id: `msg_${answer}`, role: 'assistant', model: 'claude-opus-5-5' },
        content: [{ type: 'text', text: words }],
        stop_reason: 'end_turn',
      },
    },
  ]
  for (const line of said) await files.append(path, `${JSON.stringify({ ...common, ...line })}\n`)
}

type Line = { readonly uuid?: string; readonly sessionId?: string }

function parsed(line: string): readonly Line[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Line]
  } catch {
    // A line that was torn.
    return []
  }
}

/** The run that started a process, or, for a later turn of it, the latest run that says that it used the process. */
export async function runOfEntry(
  { runs }: Reprise,
  threadId: string,
  { env, turn }: JournalEntry,
): Promise<Run> {
  const startedBy = env.REPRISE_RUN_ID ?? ''
  if (turn === 1) return runs.get(startedBy)
  const latest = await runs.list({ threadId, limit: 5 })
  const isOnIt = ({ process, processRunId }: Run) =>
    process === 'warm' && processRunId === startedBy
  const run = latest.find(isOnIt)
  if (!run) throw new Error(`no run says that it used the process of ${startedBy}`)
  return run
}

/** What the agents were billed for each run; `runOf` names the run of each entry. */
export function billedByRun(
  journal: readonly JournalEntry[],
  runOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> {
  const billed = new Map<string, number>()
  for (const { id, billedUsd } of journal) {
    const runId = runOf.get(id) ?? ''
    billed.set(runId, (billed.get(runId) ?? 0) + billedUsd)
  }
  return billed
}

/** The ledger has what the agent was billed for, once. Of a run whose supervisor died, some of it may be lost, but nothing is made up. */
export function checkCosts(billed: ReadonlyMap<string, number>, runs: readonly Run[]): void {
  for (const { id, costUsd, costDisputed, status } of runs) {
    const usd = billed.get(id) ?? 0
    const isKnown = status !== 'interrupted'
    if (isKnown) expect(costUsd ?? 0, `the cost of ${id}, ${status}`).toBeCloseTo(usd, 9)
    else expect(costUsd ?? 0, `the cost of ${id}`).toBeLessThan(usd + 1e-9)
    expect(costDisputed, `the cost of ${id} is beyond dispute`).toBe(false)
  }
}
