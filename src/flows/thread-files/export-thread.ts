// Writes a thread with its sessions and kept checkpoints as one file, signed with the key of the store.
import type { ExportedThread, ExportOptions } from '../../api.ts'
import type { Session } from '../../core/conversation/session.ts'
import { RepriseError } from '../../errors.ts'
import type { ThreadContent } from '../../store/contract/thread-content.ts'
import { makeKey } from '../../thread-file/signing.ts'
import { type EntrySource, writeThreadFile } from '../../thread-file/write-file.ts'
import type { Dependencies } from '../dependencies.ts'
import { namesForCopy } from '../workspaces/kept-names.ts'
import { openStaging } from './staging.ts'

const EVENTS_AT_ONCE = 1_000

export async function exportThread(
  dependencies: Dependencies,
  threadId: string,
  { sessions = true }: ExportOptions,
): Promise<ExportedThread> {
  const { store, clock } = dependencies
  const content = await store.threadContent(threadId)
  if (content === null) throw notFound(threadId)
  const staging = await openStaging(dependencies)
  try {
    const file = await writeThreadFile({
      threadId,
      createdAt: clock.now(),
      program: 'reprise',
      directory: staging.directory,
      key: await storeKey(dependencies),
      entries: entriesOf(dependencies, content, sessions),
    })
    return { threadId, bytes: file.bytes, content: thenRemove(file.content, staging.remove) }
  } catch (error) {
    await staging.remove()
    throw error
  }
}

export function storeKey({ store, clock }: Pick<Dependencies, 'store' | 'clock'>) {
  return store.storeKey(makeKey, clock.now())
}

async function* thenRemove(
  content: AsyncIterable<Uint8Array>,
  remove: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } finally {
    await remove()
  }
}

async function* entriesOf(
  dependencies: Dependencies,
  content: ThreadContent,
  withSessions: boolean,
): AsyncGenerator<EntrySource> {
  const { thread, branchId, branches, messages, runs, prompts, sessions } = content
  const { imported: _, ...record } = thread
  yield list('thread', [{ ...record, branchId }])
  yield list('branches', branches)
  yield list('messages', messages)
  yield list('runs', runs)
  yield list('prompts', prompts)
  yield list('sessions', sessions)
  yield { kind: 'events', of: null, content: eventLines(dependencies, content) }
  if (withSessions) yield* sessionFiles(dependencies, sessions)
  yield* checkpoints(dependencies, thread.id)
}

function list(kind: EntrySource['kind'], records: readonly unknown[]): EntrySource {
  return { kind, of: null, content: records.map(record => `${JSON.stringify(record)}\n`) }
}

async function* eventLines({ store }: Dependencies, { runs }: ThreadContent) {
  for (const { id } of runs) {
    let after = 0
    for (;;) {
      const events = await store.events(id, after, EVENTS_AT_ONCE)
      for (const event of events) yield `${JSON.stringify(event)}\n`
      const last = events.at(-1)
      if (last === undefined) break
      after = last.seq
    }
  }
}

/** Only sessions that another machine could continue. */
async function* sessionFiles(
  { vault }: Dependencies,
  sessions: readonly Session[],
): AsyncGenerator<EntrySource> {
  for (const session of sessions) {
    const copy = session.pointer === 'confirmed' ? await vault.read(session) : null
    if (copy !== null) yield { kind: 'session-file', of: session.id, content: [copy] }
  }
}

/** What hosts keep for each other of a repository: git bundles, in the order of their names. */
async function* checkpoints(
  { store, vault }: Dependencies,
  threadId: string,
): AsyncGenerator<EntrySource> {
  const owner = (await store.jobOfThread(threadId))?.id ?? threadId
  const names = (await vault.objects.list(owner)).map(({ name }) => name)
  for (const [name, copied] of namesForCopy(names)) {
    const bytes = await vault.objects.get({ owner, name })
    // An emptied one was replaced by a later one that holds all of it.
    if (bytes?.byteLength) yield { kind: 'checkpoint', of: copied, content: [bytes] }
  }
}

function notFound(threadId: string): RepriseError {
  const hint = 'Run `reprise threads` to see their ids.'
  return new RepriseError('not-found', `there is no thread ${threadId}`, hint)
}
