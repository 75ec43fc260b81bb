// The rollout file of a session: whether it can be continued, and what a run left in it.
import type { Usage } from '../../core/run/events.ts'
import type { Files } from '../../core/world.ts'
import { NOTHING_GREW, NOTHING_MARKED, type SessionFiles } from '../adapter.ts'
import { copyRollout } from './copy-rollout.ts'
import { forkedFrom, linesIn, type RolloutTurn, totalIn, turnsIn } from './rollout.ts'
import { locate, rolloutPath } from './rollout-path.ts'

/** Files grow large; the part that matters is at their end. */
const TAIL_BYTES = 256 * 1024
const MAX_LOOK_BACK_BYTES = 16 * 1024 * 1024
const MAX_READ_BYTES = 64 * 1024 * 1024
/** The first line holds the instructions of the program. */
const HEAD_BYTES = 256 * 1024

const NOT_ALL = 'the last turn that Reprise knows of is missing in it'

export const sessionFiles: SessionFiles = {
  archiveName: 'rollout.jsonl',

  async inspect(session, _runtime, files) {
    const { found: path, home } = await locate(session, files)
    if (home === null) return { state: 'unknown' }
    const stat = path === null ? null : await files.stat(path)
    if (path === null || !stat) return { state: 'missing', path: home }
    const damaged = (detail: string) => ({ state: 'damaged' as const, path, detail })
    if (stat.kind !== 'file') return damaged('it is not a file')
    if (stat.sizeBytes === 0) return damaged('it is empty')
    const parent = forkedFrom(linesIn((await files.read(path, 0, HEAD_BYTES)) ?? new Uint8Array()))
    if (parent !== null && (await rolloutPath({ ...session, sessionId: parent }, files)) === null) {
      return damaged(`it continues the thread ${parent}, whose file is missing`)
    }
    const { end } = session.known
    for await (const { turns, isWhole } of tails(path, stat.sizeBytes, files)) {
      const at = end === null ? turns.length - 1 : turns.findLastIndex(turn => turn.id === end)
      if (at === -1) {
        if (isWhole) break
        continue
      }
      const messages = countMessages(turns.slice(at + 1))
      if (messages === 0) return { state: 'present' }
      return { state: 'present', foreign: { messages, lastShared: end } }
    }
    return damaged(end === null ? 'it holds no turn' : NOT_ALL)
  },

  async mark(place, files) {
    const path = await rolloutPath(place, files)
    const stat = path === null ? null : await files.stat(path)
    if (path === null || stat?.kind !== 'file') return NOTHING_MARKED
    const usage = await lastTotal(path, stat.sizeBytes, files)
    return { path, sizeBytes: stat.sizeBytes, costUsd: 0, ...(usage && { usage }) }
  },

  locate,

  async conversation(place, files) {
    const path = await rolloutPath(place, files)
    const bytes = path === null ? null : await files.read(path)
    if (bytes === null) return null
    const lines = linesIn(bytes)
    // The beginning of a fork is in another file.
    if (forkedFrom(lines) !== null) return null
    return turnsIn(lines).flatMap(({ id, prompts, answers }) => [
      ...prompts.map(text => ({ role: 'user' as const, text, anchor: null })),
      ...(answers.length > 0
        ? [{ role: 'assistant' as const, text: answers.join('\n\n'), anchor: id }]
        : []),
    ])
  },

  async growth(place, mark, sent, files) {
    const path = mark.path ?? (await rolloutPath(place, files))
    const stat = path === null ? null : await files.stat(path)
    if (path === null || stat?.kind !== 'file' || stat.sizeBytes <= mark.sizeBytes) {
      return NOTHING_GREW
    }
    const from = Math.max(mark.sizeBytes, stat.sizeBytes - MAX_READ_BYTES)
    const turns = turnsIn(
      linesIn((await files.read(path, from, stat.sizeBytes)) ?? new Uint8Array()),
    )
    const wanted = 'prompt' in sent ? sent.prompt.toWellFormed() : null
    const at = turns.findLastIndex(({ prompts }) =>
      prompts.some(text => wanted !== null && text.toWellFormed().includes(wanted)),
    )
    const turn = turns[at]
    if (!turn) return { ...NOTHING_GREW, grew: true }
    return { ...grownBy(turn), foreignBefore: countMessages(turns.slice(0, at)) }
  },

  /** A copy of a fork is of no use without the file that it continues. */
  holds: (copy, turnId) => {
    const lines = linesIn(copy)
    return forkedFrom(lines) === null && turnsIn(lines).some(({ id }) => id === turnId)
  },

  copyAs: copyRollout,
}

function grownBy(turn: RolloutTurn) {
  const dangling = turn.tools.filter(({ result }) => result === null).length
  const hasAnswered = turn.answers.length > 0 || turn.tools.length > 0
  return {
    grew: true,
    holdsPrompt: true,
    foreignBefore: 0,
    anchors: hasAnswered ? [turn.id] : [],
    end: turn.id,
    text: turn.answers.join('\n\n'),
    tools: turn.tools,
    complete: turn.complete && dangling === 0,
    danglingTools: dangling,
    parked: null,
    ...(turn.contextWindow !== null && { contextWindow: turn.contextWindow }),
    requests: turn.requests.map(request => ({ ...request, model: turn.model ?? '', main: true })),
  }
}

function countMessages(turns: readonly RolloutTurn[]): number {
  return turns.reduce(
    (sum, { prompts, answers }) => sum + prompts.length + Math.min(1, answers.length),
    0,
  )
}

/** Reads longer and longer ends of the file. The first line of a part is cut, and no line of ours. */
async function* tails(path: string, sizeBytes: number, files: Files) {
  for (let length = TAIL_BYTES; ; length = Math.min(length * 4, MAX_LOOK_BACK_BYTES)) {
    const from = Math.max(0, sizeBytes - length)
    const lines = linesIn((await files.read(path, from, sizeBytes)) ?? new Uint8Array())
    yield { lines, turns: turnsIn(lines), isWhole: from === 0 }
    if (from === 0 || length >= MAX_LOOK_BACK_BYTES) return
  }
}

async function lastTotal(path: string, sizeBytes: number, files: Files): Promise<Usage | null> {
  for await (const { lines } of tails(path, sizeBytes, files)) {
    const total = totalIn(lines)
    if (total) return total
  }
  return null
}
