// reprise sessions: list, show, archive.
import type { SessionDetails } from '../../api.ts'
import type { Session } from '../../core/conversation/session.ts'
import { retiredWords } from '../../core/decide/explain.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { timesOf } from '../terminal/time.ts'
import { withWaitingLine } from '../terminal/waiting-line.ts'
import { type Column, count, printJson, printLine, usd } from '../view/print.ts'
import { type PageFlags, printPage } from '../view/print-list.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export type SessionListFlags = PageFlags & {
  readonly thread?: string
  readonly agent?: string
}

export async function listSessions(io: Io, flags: SessionListFlags): Promise<number> {
  const { thread: threadId, agent, since, cursor } = flags
  return withReprise(io, reprise => {
    const list = (limit: number) => reprise.sessions.list({ threadId, agent, since, cursor, limit })
    return printPage(io, list, { ...flags, columns: COLUMNS, empty: 'no sessions' })
  })
}

const COLUMNS: readonly Column<Session>[] = [
  { title: 'session', id: session => session.id },
  { title: 'last used', time: session => session.lastMessageAt },
  { title: 'agent', cell: session => session.agent },
  { title: 'pointer', cell: session => session.pointer },
  { title: 'state', cell: session => session.state },
  { title: 'turns', cell: session => String(session.turnCount), align: 'right' },
  { title: "agent's own id", id: session => session.sessionId },
]

export async function showSession(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const session = await reprise.sessions.get(id)
    if (flags.json) printJson(io, session)
    else printSession(io, session)
    return 0
  })
}

function printSession(io: Io, session: SessionDetails): void {
  const { contextTokens, contextWindow, wakeCostUsd, retiredBecause } = session
  const fill =
    contextTokens === null
      ? null
      : `${count(contextTokens)} of ${contextWindow === null ? '?' : count(contextWindow)} tokens`
  const facts: readonly (readonly [string, string | null])[] = [
    ['session', session.id],
    ["agent's own id", session.sessionId],
    ['thread', session.threadId],
    ['agent', session.agent],
    ['model', session.model],
    ['pointer', session.pointer],
    ['retired', retiredBecause && retiredWords(retiredBecause)],
    ['state', session.state],
    ['work dir', session.workDir],
    ['last used', timesOf(io).at(session.lastMessageAt)],
    ['turns', String(session.turnCount)],
    ['context', fill],
    ['file', fileWords(session)],
    ['our copy', session.keptBytes === 0 ? 'none' : `${count(session.keptBytes)} bytes`],
    ['to wake it', wakeCostUsd === null ? null : `about ${usd(wakeCostUsd)} with a cold cache`],
  ]
  for (const [name, value] of facts) {
    if (value !== null) printLine(io, `${name.padEnd(16)}${sanitiseLine(value)}`)
  }
}

export function fileWords({ file }: SessionDetails): string {
  if (file.state === 'damaged') return `damaged: ${file.detail} (${file.path})`
  return 'path' in file ? `${file.state} (${file.path})` : file.state
}

export async function sessionsArchive(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const words = () => 'writing the files of the session'
    const archived = await withWaitingLine({ io, words }, () => reprise.sessions.archive(id))
    if (flags.json) printJson(io, archived)
    else printLine(io, archived.path)
    return 0
  })
}

export async function sessionsUnarchive(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const session = await reprise.sessions.unarchive(id)
    if (flags.json) printJson(io, session)
    else printLine(io, `${session.id} is ${session.state}`)
    return 0
  })
}
