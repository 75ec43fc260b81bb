// Archives a session as readable files: what Reprise knows of it, its thread's messages, and the agent's own file.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '../core/conversation/messages.ts'
import type { Session } from '../core/conversation/session.ts'
import { safeName } from './safe-name.ts'
import { writeWhole } from './write-whole.ts'

export type Archive = {
  /** Returns the directory. */
  put(entry: {
    readonly session: Session
    readonly messages: readonly Message[]
    /** The agent's own file, under the name that its adapter gives it, where we have a copy. */
    readonly file: { readonly name: string; readonly bytes: Uint8Array } | null
  }): Promise<string>
  /** Removes an archived session; does nothing when there is none. */
  remove(session: Pick<Session, 'sessionId'>): Promise<void>
  /** Removes what is left of threads that were removed elsewhere, or by a process that died in between. */
  sweep(removedThreads: (ids: readonly string[]) => Promise<readonly string[]>): Promise<void>
}

export const NO_ARCHIVE: Archive = {
  put: async () => '',
  remove: async () => {},
  sweep: async () => {},
}

/** The description of a session stands before its messages. */
const HEAD_BYTES = 4_096

export function createArchive(directory: string): Archive {
  const placeOf = ({ sessionId }: Pick<Session, 'sessionId'>) =>
    join(directory, safeName(sessionId))
  return {
    async put({ session, messages, file }) {
      const place = placeOf(session)
      await disk.mkdir(place, { recursive: true, mode: 0o700 })
      if (file !== null) await writeWhole(join(place, file.name), file.bytes)
      const text = JSON.stringify(described(session, messages), null, 2)
      await writeWhole(join(place, 'session.json'), Buffer.from(`${text}\n`))
      return place
    },
    remove: session => disk.rm(placeOf(session), { recursive: true, force: true }),
    async sweep(removedThreads) {
      const threadOf = new Map<string, string>()
      for (const name of await disk.readdir(directory).catch(() => [])) {
        const threadId = await threadIn(join(directory, name, 'session.json'))
        if (threadId !== null) threadOf.set(name, threadId)
      }
      const removed = new Set(await removedThreads([...new Set(threadOf.values())]))
      for (const [name, threadId] of threadOf) {
        if (!removed.has(threadId)) continue
        await disk.rm(join(directory, name), { recursive: true, force: true })
      }
    },
  }
}

/** Reads only the head of the file: the messages behind it may be large. No text can pass for the key, since JSON escapes quotes. */
async function threadIn(file: string): Promise<string | null> {
  const handle = await disk.open(file).catch(() => null)
  if (handle === null) return null
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.toString('utf8', 0, bytesRead)
    return /^ {4}"threadId": "(\w+)"/m.exec(head)?.[1] ?? null
  } finally {
    await handle.close()
  }
}

function described(session: Session, messages: readonly Message[]) {
  const { seen, ...known } = session
  return {
    id: session.sessionId,
    metadata: {
      ...known,
      cwd: session.workDir,
      messageCount: seen.length,
      createdAt: new Date(session.createdAt).toISOString(),
      lastMessageAt: new Date(session.lastMessageAt).toISOString(),
    },
    messages: messages.map(message => ({
      role: message.role,
      content: [
        { type: 'text', text: message.text },
        ...message.tools.flatMap(tool => [
          { type: 'tool_use', tool_use: { id: tool.id, name: tool.name, input: tool.input } },
          ...(tool.result === null
            ? []
            : [
                {
                  type: 'tool_result',
                  tool_result: {
                    tool_use_id: tool.id,
                    content: tool.result,
                    is_error: tool.isError,
                  },
                },
              ]),
        ]),
      ],
      timestamp: new Date(message.createdAt).toISOString(),
    })),
  }
}
