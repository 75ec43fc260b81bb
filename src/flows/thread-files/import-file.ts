// Takes in a thread file: into staging, checked, under new ids, then into the store in one transaction. Before that, nothing of it counts.
import { promises as disk } from 'node:fs'
import type { ImportedThread, ImportOptions } from '../../api.ts'
import type { ThreadImport, ThreadRecord } from '../../core/conversation/thread.ts'
import { hashText } from '../../core/hash-text.ts'
import { refProblem, repositoryProblem } from '../../core/run/workspace.ts'
import { RepriseError } from '../../errors.ts'
import { damaged } from '../../thread-file/head.ts'
import { readThreadFile, type StagedFile } from '../../thread-file/read-file.ts'
import { type ReadRecords, readRecords } from '../../thread-file/records.ts'
import { isPublicKey } from '../../thread-file/signing.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkedWorkDir } from '../threads/check-input.ts'
import { checkpointIn } from '../workspaces/kept-names.ts'
import { BUNDLE_NAME, checkBundle } from './checkpoint-bundle.ts'
import { storeKey } from './export-thread.ts'
import { renewIds } from './renew-ids.ts'
import { dropPlanned, openStaging, type Staging } from './staging.ts'
import { NO_SESSIONS, type StagedSession, takeSessions } from './take-sessions.ts'

export async function importFile(
  dependencies: Dependencies,
  content: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportedThread> {
  const { trustKey } = options
  if (trustKey !== undefined && !isPublicKey(trustKey)) throw noKey(trustKey)
  const staging = await openStaging(dependencies)
  try {
    const file = await readThreadFile(content, staging.directory)
    const imported = await judge(dependencies, file, trustKey)
    const key = keyOf(file)
    const earlier = await dependencies.store.threadOfImport(key)
    if (earlier !== null) {
      if (imported.approvedAt !== null)
        await dependencies.store.approveThread({ id: earlier, at: imported.approvedAt })
      return await known(dependencies, earlier, file)
    }
    const records = await readRecords(file.entries, file.manifest.threadId)
    checkBlobs(file, records)
    for (const { kind, path } of file.entries)
      if (kind === 'bundle') checkBundle(await disk.readFile(path))
    return await take(dependencies, { staging, file, imported, key, records, options })
  } finally {
    await staging.remove()
  }
}

type Arriving = {
  readonly staging: Staging
  readonly file: StagedFile
  readonly imported: ThreadImport
  readonly key: string
  readonly records: ReadRecords
  readonly options: ImportOptions
}

async function take(
  dependencies: Dependencies,
  { staging, file, imported, key, records, options }: Arriving,
): Promise<ImportedThread> {
  const { store, random } = dependencies
  const thread = await threadHere(dependencies, records.content.thread, options)
  const arrived = { entries: file.entries, records, staging, workDir: thread.workDir }
  const { taken, replayed } =
    options.sessions === false ? NO_SESSIONS : await takeSessions(dependencies, arrived)
  const renewed = renewIds(records.content, { thread, taken, random })
  const sessions = taken.map(({ agent, sessionId }) => ({ agent, sessionId }))
  const planned = { threadId: thread.id, sessions }
  await staging.plan(planned)
  try {
    await keepBlobs(dependencies, { thread, file, taken })
    const id = await store.importThread({
      ...{ content: renewed.content, imported, key },
      events: async function* () {
        for await (const page of records.events()) yield page.map(renewed.event)
      },
    })
    // Another process was faster with the same file.
    if (id !== thread.id) return await known(dependencies, id, file)
  } finally {
    await dropPlanned(dependencies, planned)
  }
  const { branches, branchId, runs } = renewed.content
  const messages = branches.find(({ id }) => id === branchId)?.messageIds.length ?? 0
  const counts = { messages, runs: runs.length, sessions: sessions.length }
  return { threadId: thread.id, isNew: true, imported, ...counts, replayed }
}

/** Whose file it is. A signature that does not hold was refused before. */
async function judge(
  dependencies: Dependencies,
  { manifest: { key, threadId } }: StagedFile,
  trustKey: string | undefined,
): Promise<ThreadImport> {
  if (trustKey !== undefined && key !== trustKey) {
    const what =
      key === null ? 'nobody has signed this thread file' : `${key} signed this thread file`
    const hint =
      'Leave out --trust-key to take it in as data, or ask for a file of the key that you trust.'
    throw new RepriseError('conflict', what, hint)
  }
  const importedAt = dependencies.clock.now()
  const isOwn = key !== null && key === (await storeKey(dependencies)).publicKey
  const signature = isOwn ? 'own' : key === null ? 'none' : trustKey ? 'trusted' : 'foreign'
  const approvedAt = signature === 'own' || signature === 'trusted' ? importedAt : null
  return { threadId, signature, key, importedAt, approvedAt }
}

/** Files with the same content from the same side are one, whenever they were written. Others cannot claim to be it. */
function keyOf({ manifest: { key, threadId, entries } }: StagedFile): string {
  return hashText(JSON.stringify([key, threadId, entries.map(entry => Object.values(entry))]))
}

async function known(
  { store }: Dependencies,
  threadId: string,
  { manifest }: StagedFile,
): Promise<ImportedThread> {
  const imported = (await store.thread(threadId))?.imported
  if (!imported) throw damaged(`thread ${manifest.threadId} was removed meanwhile`)
  const [messages, runs, sessions] = await Promise.all([
    store.branch(threadId),
    store.listRuns({ threadId, limit: MOST_COUNTED }),
    store.sessions({ threadId }),
  ])
  const counts = { messages: messages.length, runs: runs.length, sessions: sessions.length }
  return { threadId, isNew: false, imported, ...counts, replayed: [] }
}

const MOST_COUNTED = 1_000_000

/** The thread as it goes on here. A file decides neither where an agent works nor whose settings take part. */
async function threadHere(
  dependencies: Dependencies,
  old: ThreadRecord,
  { workDir, trust }: ImportOptions,
): Promise<ThreadRecord> {
  const { random, owner, clock, workspaces } = dependencies
  const id = random.id('thr')
  const { workspace } = old
  const problem =
    workspace &&
    (repositoryProblem(workspace.repository) ?? (workspace.ref && refProblem(workspace.ref)))
  if (problem) throw damaged(`its repository cannot be used: ${problem.what}`)
  const place = workspace
    ? { workDir: workspaces.pathOf(id), host: null }
    : { workDir: await directoryHere(dependencies, workDir), host: owner.host }
  return {
    ...old,
    ...place,
    id,
    kind: 'chat',
    forkedFrom: null,
    trust: trust ?? (old.trust === 'none' ? 'none' : null),
    sandbox: old.sandbox === 'none' ? null : old.sandbox,
    updatedAt: clock.now(),
  }
}

async function directoryHere(dependencies: Dependencies, workDir: string | undefined) {
  if (workDir !== undefined) return checkedWorkDir(dependencies, workDir)
  const hint = 'Give `workDir` (--cwd DIR).'
  throw new RepriseError('bad-input', 'the request does not say where the thread goes on', hint)
}

/** What belongs to nothing in the file has no business in it. */
function checkBlobs({ entries }: StagedFile, { content }: ReadRecords): void {
  const sessions = new Set(
    content.sessions.filter(({ pointer }) => pointer === 'confirmed').map(({ id }) => id),
  )
  for (const { kind, of } of entries) {
    if (kind === 'session-file' && !sessions.has(of ?? ''))
      throw damaged('a session file belongs to no session of the thread')
    if (kind === 'checkpoint' && checkpointIn(of ?? '') === null)
      throw damaged('a checkpoint has a name that Reprise does not write')
    if (kind === 'checkpoint' && content.thread.workspace === null)
      throw damaged('a checkpoint belongs to no repository')
  }
}

async function keepBlobs(
  { vault }: Dependencies,
  {
    thread,
    file,
    taken,
  }: { thread: ThreadRecord; file: StagedFile; taken: readonly StagedSession[] },
): Promise<void> {
  for (const { path, ...key } of taken) await vault.keep(key, path)
  for (const { kind, of, path } of file.entries) {
    const name = kind === 'checkpoint' ? of : kind === 'bundle' ? BUNDLE_NAME : null
    if (name !== null)
      await vault.objects.put({ owner: thread.id, name }, await disk.readFile(path))
  }
}

function noKey(text: string): RepriseError {
  const what = `${JSON.stringify(text.slice(0, 100))} is not a public key`
  const hint = 'Ask the other side for what `reprise threads key` prints.'
  return new RepriseError('bad-input', what, hint)
}
