// reprise threads: export, import, approve, key; reprise sessions: export, import.

import { createReadStream, promises as disk } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ImportedThread, Reprise } from '../../api.ts'
import { counted } from '../../core/digits.ts'
import { replayedWords, SIGNED_WORDS } from '../../core/import-words.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { withWaitingLine } from '../terminal/waiting-line.ts'
import { printThread } from '../verbs/threads.ts'
import { canAsk, confirm, type YesFlag } from '../view/confirm.ts'
import { count, printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export type ExportFlags = JsonFlag & {
  readonly output?: string
  readonly sessions: boolean
  readonly checkpoints: boolean
  readonly onlyCheckpoints?: true
}

export function threadsExport(io: Io, threadId: string, flags: ExportFlags): Promise<number> {
  return withReprise(io, reprise => exportThread(io, { reprise, threadId, flags }), MAY)
}

/** A session travels with the thread that it belongs to: without it, nobody could tell what the session has seen. */
export function sessionsExport(io: Io, session: string, flags: ExportFlags): Promise<number> {
  return withReprise(
    io,
    async reprise => {
      const { threadId } = await reprise.sessions.get(session)
      return exportThread(io, { reprise, threadId, flags })
    },
    MAY,
  )
}

type Exported = {
  readonly reprise: Reprise
  readonly threadId: string
  readonly flags: ExportFlags
}

async function exportThread(io: Io, { reprise, threadId, flags }: Exported): Promise<number> {
  const { sessions, checkpoints, onlyCheckpoints } = flags
  const only = onlyCheckpoints && ('checkpoints' as const)
  const { output = `${threadId}.${only ? 'bundle' : 'reprise'}` } = flags
  const path = resolve(io.cwd, output)
  const words = () => `writing ${path}`
  const bytes = await withWaitingLine({ io, words }, async () => {
    let bytes = 0
    await writeNew(path, async () => {
      const file = await reprise.threads.export(threadId, { sessions, checkpoints, only })
      bytes = file.bytes
      return file.content
    })
    return bytes
  })
  if (flags.json) printJson(io, { threadId, path, bytes })
  else printLine(io, `${path}: ${count(bytes)} bytes`)
  return 0
}

const MAY = { decides: 'may' } as const

/** The whole file or nothing, readable by its owner alone. An existing file stays. Exports nothing that cannot be written. */
async function writeNew(
  path: string,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<void> {
  const draft = join(dirname(path), `.${process.pid}.${Date.now()}.reprise-draft`)
  try {
    const file = await disk.open(draft, 'wx', 0o600)
    try {
      for await (const chunk of await open()) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    // A link fails where a rename would replace.
    await disk.link(draft, path)
  } catch (error) {
    throw cannotWrite(path, error)
  } finally {
    await disk.rm(draft, { force: true })
  }
}

function cannotWrite(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EEXIST')
    return new RepriseError('conflict', `${path} is there already`, 'Name another file: -o FILE.')
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR')
    return new RepriseError('bad-input', `${path} cannot be written`, 'Name another file: -o FILE.')
  return error
}

export type ImportFlags = JsonFlag & {
  readonly cwd?: string
  readonly trustKey?: string
  readonly sessions: boolean
}

export async function threadsImport(io: Io, file: string, flags: ImportFlags): Promise<number> {
  const path = resolve(io.cwd, file)
  const { trustKey, sessions } = flags
  return withReprise(
    io,
    async reprise => {
      const workDir = resolve(io.cwd, flags.cwd ?? '.')
      const words = () => `reading ${path}`
      const done = await withWaitingLine({ io, words }, async () => {
        const content = await opened(path)
        return reprise.threads.import(content, { workDir, trustKey, sessions })
      })
      if (flags.json) printJson(io, done)
      else for (const line of importedLines(done)) printLine(io, line)
      return 0
    },
    // To trust a key is a decision; to read a file as data is none.
    trustKey === undefined ? {} : { decides: 'must' },
  )
}

async function opened(path: string): Promise<AsyncIterable<Uint8Array>> {
  const stat = await disk.stat(path).catch(() => null) // Said below.
  if (stat?.isFile()) return createReadStream(path)
  const hint = 'Give the path of a file that `reprise threads export` has written.'
  throw new RepriseError('not-found', `there is no file ${path}`, hint)
}

function importedLines({ threadId, isNew, imported, ...brought }: ImportedThread): string[] {
  const { messages, runs, sessions, replayed } = brought
  const what = isNew
    ? `${counted(messages, 'message')}, ${counted(runs, 'run')}, ${counted(sessions, 'session')}`
    : 'it was here already'
  const next =
    imported.approvedAt === null
      ? [
          `${SIGNED_WORDS[imported.signature]}, so it is only data: read it with \`reprise threads show ${threadId}\`,`,
          `then let it go on with \`reprise threads approve ${threadId}\``,
        ]
      : [`${SIGNED_WORDS[imported.signature]}: go on with \`reprise send -t ${threadId}\``]
  return [`${threadId}: ${what}`, ...replayed.map(one => sanitiseLine(replayedWords(one))), ...next]
}

export function threadsApprove(
  io: Io,
  threadId: string,
  flags: JsonFlag & YesFlag,
): Promise<number> {
  return withReprise(
    io,
    async reprise => {
      const thread = await (await reprise.threads.get(threadId)).show()
      if (canAsk(io, flags)) {
        printThread(io, thread)
        await confirm(io, 'let agents go on with this conversation')
      }
      const approved = await reprise.threads.approve(threadId)
      if (flags.json) printJson(io, approved)
      else printLine(io, `${threadId} can go on: reprise send -t ${threadId}`)
      return 0
    },
    { decides: 'must' },
  )
}

export function threadsKey(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const publicKey = await reprise.threads.publicKey()
    if (flags.json) printJson(io, { publicKey })
    else printLine(io, publicKey)
    return 0
  })
}
