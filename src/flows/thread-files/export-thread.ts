// Writes a thread with its sessions and kept checkpoints as one file, signed with the key of the store.
import type { ExportedThread, ExportOptions } from '../../api.ts'
import type { Session } from '../../core/conversation/session.ts'
import { isUnapproved } from '../../core/conversation/thread.ts'
import { RepriseError } from '../../errors.ts'
import type { ThreadContent } from '../../store/contract/thread-content.ts'
import { makeKey } from '../../thread-file/signing.ts'
import { type EntrySource, writeThreadFile } from '../../thread-file/write-file.ts'
import type { Dependencies } from '../dependencies.ts'
import { namesForCopy } from '../workspaces/kept-names.ts'
import { checkpointBundle } from './checkpoint-bundle.ts'
import { openStaging } from './staging.ts'

const EVENTS_AT_ONCE = 1_000

export async function exportThread(
  dependencies: Dependencies,
  threadId: string,
  { sessions = true, checkpoints = true, only }: ExportOptions,
): Promise<ExportedThread> {
  const { store, clock } = dependencies
  const content = await store.threadContent(threadId)
  if (content === null) throw notFound(threadId)
  if (only === 'checkpoints') return exportBundle(dependencies, threadId)
  const staging = await openStaging(dependencies)
  try {
    const file = await writeThreadFile({
      threadId,
      createdAt: clock.now(),
      program: 'reprise',
      directory: staging.directory,
      // Our signature would approve what nobody has approved.
      key: isUnapproved(content.thread) ? null : await storeKey(dependencies),
      entries: entriesOf(dependencies, content, { sessions, checkpoints }),
    })
    return { threadId, bytes: file.bytes, content: thenRemove(file.content, staging.remove) }
  } catch (error) {
    await staging.remove()
    throw error
  }
}

async function exportBundle(dependencies: Dependencies, threadId: string): Promise<ExportedThread> {
  const bundle = await checkpointBundle(dependencies, threadId)
  if (bundle === null) {
    const hint = 'Checkpoints are those of jobs that worked in a git repository of the user.'
    throw new RepriseError('not-found', `thread ${threadId} has no bundle of checkpoints`, hint)
  }
  const content = (async function* () {
    yield bundle
  })()
  return { threadId, bytes: bundle.byteLength, content }
}

export function storeKey({ store, clock }: Pick<Dependencies, 'store' | 'clock'>) {
  return store.storeKey(makeKey, clock.now())
}

/** Also a reader that goes away before it has read anything ends the export; a generator would not notice. */
function thenRemove(
  content: AsyncIterable<Uint8Array>,
  remove: () => Promise<void>,
): AsyncIterable<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      const piece = await pieces.next().catch(async (error: unknown) => {
        await remove()
        throw error
      })
      if (piece.done) await remove()
      return piece
    },
    return: async () => {
      await pieces.return?.()
      await remove()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

async function* entriesOf(
  dependencies: Dependencies,
  content: ThreadContent,
  wanted: { readonly sessions: boolean; readonly checkpoints: boolean },
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
  if (wanted.sessions) yield* sessionFiles(dependencies, sessions)
  if (!wanted.checkpoints) return
  yield* keptCheckpoints(dependencies, thread.id)
  const bundle = await checkpointBundle(dependencies, thread.id)
  if (bundle !== null) yield { kind: 'bundle', of: null, content: [bundle] }
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
async function* keptCheckpoints(
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
