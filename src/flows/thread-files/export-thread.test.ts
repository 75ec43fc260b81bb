// What a thread file holds, and that nothing stays behind when it was read, or not read.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ExportOptions } from '../../api.ts'
import { readThreadFile } from '../../thread-file/read-file.ts'
import { makeKey } from '../../thread-file/signing.ts'
import { keptName } from '../workspaces/kept-names.ts'
import { exportThread } from './export-thread.ts'

const KEY = makeKey()
const SESSION = { id: 'ses_1', pointer: 'confirmed' }
const CONTENT = {
  thread: { id: 'thr_1', title: 'ours' },
  branchId: 'brn_1',
  branches: [{ id: 'brn_1', messageIds: ['msg_1'] }],
  messages: [{ id: 'msg_1' }],
  runs: [{ id: 'run_1' }, { id: 'run_2' }],
  prompts: [{ runId: 'run_1', text: 'hello' }],
  sessions: [SESSION, { id: 'ses_2', pointer: 'announced' }, { ...SESSION, id: 'ses_3' }],
}
const EVENTS = [1, 2, 3].map(seq => ({ runId: 'run_1', seq }))

type Given = {
  readonly content?: object | null
  readonly job?: object | null
  /** Objects of the vault by their names. */
  readonly objects?: Readonly<Record<string, string>>
  readonly events?: () => never
}

function world(given: Given = {}) {
  const hiddenDir = mkdtempSync(join(tmpdir(), 'reprise-export-'))
  onTestFinished(() => rmSync(hiddenDir, { recursive: true }))
  const objects = new Map(Object.entries(given.objects ?? {}))
  const owners: string[] = []
  const dependencies = {
    ...{ hiddenDir, owner: {}, random: { uuid: () => 'one' }, clock: { now: () => 5 } },
    store: {
      threadContent: async () => (given.content === undefined ? CONTENT : given.content),
      jobOfThread: async () => given.job ?? null,
      storeKey: async () => KEY,
      // Pages of two.
      events: async (id: string, after: number) =>
        given.events?.() ??
        EVENTS.filter(({ runId, seq }) => runId === id && seq > after).slice(0, 2),
    },
    vault: {
      read: async ({ id }: { id: string }) =>
        id === 'ses_3' ? null : Buffer.from(`file of ${id}`),
      objects: {
        list: async (owner: string) => {
          owners.push(owner)
          return [...objects.keys()].map(name => ({ name }))
        },
        get: async ({ name }: { name: string }) => {
          const text = objects.get(name)
          return text === undefined ? null : Buffer.from(text)
        },
      },
    },
  }
  const staged = () => readdirSync(join(hiddenDir, 'staging'))
  const exports = (options: ExportOptions = {}) =>
    exportThread(dependencies as never, 'thr_1', options)
  return { exports, staged, owners, hiddenDir }
}

/** The entries of the file: kind, what it is of, and its content. */
async function entriesOf(content: AsyncIterable<Uint8Array>, directory: string) {
  const { manifest, entries } = await readThreadFile(content, directory)
  const read = entries.map(({ kind, of, path }) => [kind, of, readFileSync(path, 'utf8')] as const)
  return { manifest, read }
}

const BLOBS = ['session-file', 'checkpoint', 'bundle']
const OBJECTS = { [keptName(5, 1)]: 'state 1', [keptName(5, 2)]: '', 'checkpoints.bundle': 'refs' }

test('V-3 S24 a thread file holds every list, the files of saved sessions and what was kept of checkpoints, and the store signs it', async () => {
  const { exports, staged, hiddenDir } = world({ objects: OBJECTS })
  const { threadId, bytes, content } = await exports()
  const pieces = await Array.fromAsync(content)
  expect([threadId, bytes]).toEqual(['thr_1', Buffer.concat(pieces).length])
  // Somebody has read all of it.
  expect(staged()).toEqual([])
  const { manifest, read } = await entriesOf(
    (async function* () {
      yield* pieces
    })(),
    hiddenDir,
  )
  const about = { threadId: 'thr_1', createdAt: 5, program: 'reprise', key: KEY.publicKey }
  expect(manifest).toMatchObject(about)
  const lines = (...records: readonly object[]) =>
    records.map(record => `${JSON.stringify(record)}\n`).join('')
  expect(read).toEqual([
    ['thread', null, lines({ id: 'thr_1', title: 'ours', branchId: 'brn_1' })],
    ['branches', null, lines(...CONTENT.branches)],
    ['messages', null, lines(...CONTENT.messages)],
    ['runs', null, lines(...CONTENT.runs)],
    ['prompts', null, lines(...CONTENT.prompts)],
    ['sessions', null, lines(...CONTENT.sessions)],
    ['events', null, lines(...EVENTS)],
    ['session-file', 'ses_1', 'file of ses_1'],
    ['checkpoint', keptName(0, 1), 'state 1'],
    ['bundle', null, 'refs'],
  ])
})

test.each<[ExportOptions, readonly string[]]>([
  [{ sessions: false }, ['checkpoint', 'bundle']],
  [{ checkpoints: false }, ['session-file']],
  [{ sessions: false, checkpoints: false }, []],
])('V-3 with %j the file leaves out what may hold secrets', async (options, expected) => {
  const { exports } = world({ objects: OBJECTS })
  const file = Buffer.concat(await Array.fromAsync((await exports(options)).content))
  const { entries } = JSON.parse(file.toString('latin1').split('\n')[1] ?? '')
  const kinds = entries.map(({ kind }: { kind: string }) => kind)
  expect(kinds.filter((kind: string) => BLOBS.includes(kind))).toEqual(expected)
})

test('V-3 what hosts keep of the work tree of a job is under the id of the job', async () => {
  const { exports, owners } = world({ job: { id: 'job_1', workspace: {} }, objects: OBJECTS })
  await exports()
  expect(owners).toEqual(['job_1'])
})

test('V-3 the checkpoints of a job leave alone, as the bundle that git reads', async () => {
  const { exports } = world({ objects: OBJECTS })
  const { threadId, bytes, content } = await exports({ only: 'checkpoints' })
  expect([threadId, bytes]).toEqual(['thr_1', 4])
  expect(Buffer.concat(await Array.fromAsync(content)).toString()).toBe('refs')
})

test('U-4 a thread that is not there, or has no bundle, is refused with what to do', async () => {
  await expect(world({ content: null }).exports()).rejects.toMatchObject({
    ...{ code: 'not-found', message: 'there is no thread thr_1' },
    hint: 'Run `reprise threads` to see their ids.',
  })
  await expect(world().exports({ only: 'checkpoints' })).rejects.toMatchObject({
    ...{ code: 'not-found', message: 'thread thr_1 has no bundle of checkpoints' },
    hint: 'Checkpoints are those of jobs that worked in a git repository of the user.',
  })
})

test('V-3 an export that fails leaves nothing, while it is packed and while it is read', async () => {
  const packing = world({
    events: () => {
      throw new Error('the store is away')
    },
  })
  await expect(packing.exports()).rejects.toThrow('the store is away')
  expect(packing.staged()).toEqual([])
  const reading = world()
  const { content } = await reading.exports()
  rmSync(join(reading.hiddenDir, 'staging', 'one', '3'))
  await expect(Array.fromAsync(content)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(reading.staged()).toEqual([])
})

test('V-3 a reader that stops in the middle ends the export', async () => {
  const { exports, staged } = world()
  const iterator = (await exports()).content[Symbol.asyncIterator]()
  await iterator.next()
  expect(staged()).toEqual(['one'])
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
  expect(staged()).toEqual([])
  expect(await iterator.next()).toMatchObject({ done: true })
})
