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
}

export const NO_ARCHIVE: Archive = { put: async () => '', remove: async () => {} }

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
