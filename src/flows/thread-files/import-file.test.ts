// What becomes of a thread file here: where its thread goes on, whose settings count, what is kept, and in which words it is refused.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BRANCH,
  forge,
  type Part,
  PROMPT,
  parts,
  THEIR_KEY,
  THREAD,
  withList,
} from '../../../test/thread-files/sample-file.ts'
import type { ImportOptions, LocalReprise } from '../../api.ts'
import { claudeCode, createReprise, sqlite } from '../../index.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import { filePieces } from '../../vault/file-pieces.ts'
import { createVault } from '../../vault/vault.ts'
import { keptName } from '../workspaces/kept-names.ts'
import { threadFilesApi } from './thread-files-api.ts'

let root: string
let reprise: LocalReprise
let store: StoreWithWork
let titles = 0

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-import-')))
  for (const name of ['data', 'project']) mkdirSync(join(root, name))
  store = await sqlite(':memory:')()
  reprise = opened()
})
afterAll(async () => {
  await reprise.close()
  rmSync(root, { recursive: true })
})

const opened = (change: Partial<StoreWithWork> = {}) =>
  createReprise({
    store: async () => ({ ...store, ...change }),
    agents: [claudeCode({ executable: join(root, 'nothing-here'), env: {} })],
    dataDir: join(root, 'data'),
  })
const workDir = () => join(root, 'project')
const vault = () => createVault(filePieces(join(root, 'data')))

async function* inOnePiece(file: Uint8Array): AsyncGenerator<Uint8Array> {
  yield file
}
const take = (file: Uint8Array, options: ImportOptions = { workDir: workDir() }, by = reprise) =>
  by.threads.import(inOnePiece(file), options)

/** A file of a thread with these fields. Each has a title of its own, so that none came in before. */
const fileOf = (thread: object, ...more: readonly Part[]) => {
  titles += 1
  return forge([...withList('thread', [{ ...THREAD, title: `t${titles}`, ...thread }]), ...more])
}
const shown = async (id: string) => (await reprise.threads.get(id)).show()

const WORKSPACE = { repository: 'https://example.org/r.git', ref: 'main', commit: 'a'.repeat(40) }
const kept = (name: string): Part => ({ kind: 'checkpoint', of: name, content: 'state' })
const BUNDLE: Part = {
  ...{ kind: 'bundle', of: null },
  content: `# v2 git bundle\n${'0'.repeat(40)} refs/reprise/job_a/1\n\nPACK`,
}

test('V-3 an import says how much of the thread came in', async () => {
  const old = { ...BRANCH, id: 'brn_old', messageIds: [PROMPT.id] }
  const branches = withList('branches', [old, BRANCH])
  expect(await take(forge(branches))).toMatchObject({
    ...{ isNew: true, messages: 2, runs: 1, sessions: 1 },
    replayed: [{ agent: 'claude-code', because: 'other-version' }],
  })
})

test.each<[object, ImportOptions, object]>([
  [
    { trust: 'project', sandbox: 'none', kind: 'job', forkedFrom: 'thr_other' },
    {},
    { trust: null, sandbox: null, kind: 'chat', forkedFrom: null },
  ],
  [{ trust: 'none', sandbox: 'bwrap' }, {}, { trust: 'none', sandbox: 'bwrap' }],
  [{ trust: 'none' }, { trust: 'user' }, { trust: 'user' }],
])(
  'S23 a thread of %j that comes in with %j can only become more careful',
  async (was, options, is) => {
    const { threadId } = await take(fileOf(was), { workDir: workDir(), ...options })
    expect(await shown(threadId)).toMatchObject({ workDir: workDir(), ...is })
  },
)

test('V-3 J-10 a thread of a repository needs no work dir, and brings what hosts kept of its files', async () => {
  const name = keptName(0, 3)
  const { threadId } = await take(fileOf({ workspace: WORKSPACE }, kept(name), BUNDLE), {})
  expect(await shown(threadId)).toMatchObject({
    ...{ workspace: WORKSPACE, host: null },
    workDir: join(root, 'data', 'workspaces', threadId),
  })
  const { objects } = vault()
  const names = (await objects.list(threadId)).map(object => object.name)
  expect(names.toSorted()).toEqual([name, 'checkpoints.bundle'])
  expect(Buffer.from((await objects.get({ owner: threadId, name })) ?? []).toString()).toBe('state')
})

test('V-3 J-10 a thread of a repository without a ref may come in too', async () => {
  const { threadId } = await take(fileOf({ workspace: { ...WORKSPACE, ref: null } }), {})
  expect((await shown(threadId)).workspace).toEqual({ ...WORKSPACE, ref: null })
})

describe('S23 a file is refused in words that say why:', () => {
  const EVIL = { ...WORKSPACE, ref: '--upload-pack=x' }
  test.each<[string, () => Buffer, ImportOptions | undefined, string]>([
    ['without a work dir', () => forge(), {}, 'the request does not say where the thread goes on'],
    [
      'with a ref that is a flag',
      () => fileOf({ workspace: EVIL }),
      undefined,
      'its repository cannot be used: ',
    ],
    [
      'with the file of a session that it does not have',
      () => forge([...parts(), { kind: 'session-file', of: 'ses_other', content: 'x' }]),
      undefined,
      'a session file belongs to no session of the thread',
    ],
    [
      'with a checkpoint under a name that nobody gives',
      () => fileOf({ workspace: WORKSPACE }, kept('evil')),
      undefined,
      'a checkpoint has a name that Reprise does not write',
    ],
    [
      'with a checkpoint of no repository',
      () => fileOf({}, kept(keptName(0, 1))),
      undefined,
      'a checkpoint belongs to no repository',
    ],
  ])('%s', async (_, make, options, words) => {
    await expect(take(make(), options)).rejects.toThrow(words)
    expect(readdirSync(join(root, 'data/staging'))).toEqual([])
  })

  test('a file of another key than the trusted one', async () => {
    const trustKey = await reprise.threads.publicKey()
    const hint =
      'Leave out --trust-key to take it in as data, or ask for a file of the key that you trust.'
    const refused = async (file: Buffer, message: string) =>
      expect(take(file, { workDir: workDir(), trustKey })).rejects.toMatchObject({ message, hint })
    await refused(forge(), `${THEIR_KEY} signed this thread file`)
    await refused(forge(undefined, { signed: false }), 'nobody has signed this thread file')
  })

  test('a trusted key that is none, of which only the beginning is shown', async () => {
    const trustKey = 'x'.repeat(200)
    await expect(take(forge(), { trustKey })).rejects.toMatchObject({
      ...{ code: 'bad-input', message: `"${'x'.repeat(100)}" is not a public key` },
      hint: 'Ask the other side for what `reprise threads key` prints.',
    })
  })
})

test('V-3 of two imports of one file at once, one is new, and the other one leaves nothing in the vault', async () => {
  const file = fileOf({ workspace: WORKSPACE }, kept(keptName(0, 1)))
  const both = await Promise.all([take(file, {}), take(file, {})])
  expect(new Set(both.map(({ threadId }) => threadId)).size).toBe(1)
  expect(both.map(({ isNew }) => isNew).toSorted()).toEqual([false, true])
  expect(both[0]).toMatchObject({ messages: 2, runs: 1, sessions: 1 })
  expect(both[1]).toMatchObject({ messages: 2, runs: 1, sessions: 1 })
})

test('V-3 an import that the store refuses leaves neither sessions nor checkpoints in the vault', async () => {
  const arrivals: { id: string; sessionId: string }[] = []
  const failing = opened({
    importThread: ({ content: { thread, sessions } }) => {
      for (const { sessionId } of sessions) arrivals.push({ id: thread.id, sessionId })
      return Promise.reject(new Error('the disk is full'))
    },
  })
  const file = fileOf({ workspace: WORKSPACE }, kept(keptName(0, 1)))
  await expect(take(file, {}, failing)).rejects.toThrow('the disk is full')
  const [{ id, sessionId } = { id: '', sessionId: '' }] = arrivals
  expect(id).toMatch(/^thr_/)
  expect(await vault().objects.list(id)).toEqual([])
  expect(await vault().read({ agent: 'claude-code', sessionId })).toBeNull()
})

test('U-4 a thread that began here needs no approval, and a user hears so', async () => {
  const approve = (isImported: boolean, thread: object | null) => {
    const verbs = { approveThread: async () => isImported, thread: async () => thread }
    const ready = async () => ({ store: verbs, clock: { now: () => 5 } }) as never
    return threadFilesApi(ready, async id => `shows ${id}` as never).approve('thr_1')
  }
  await expect(approve(false, {})).rejects.toMatchObject({
    ...{ code: 'conflict', message: 'thread thr_1 began here, so nobody has to approve it' },
    hint: 'It can go on as it is: reprise send -t thr_1.',
  })
  expect(await approve(true, {})).toBe('shows thr_1')
  expect(await approve(false, null)).toBe('shows thr_1')
})
