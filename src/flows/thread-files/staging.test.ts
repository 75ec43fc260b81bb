// Directories of imports and exports: private, and removed with all that a dead process had put into the vault for them.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clearStaging, dropPlanned, openStaging } from './staging.ts'

const HOUR_MS = 3_600_000
const PLANNED = { threadId: 'thr_1', sessions: [{ agent: 'one', sessionId: 's' }] }

type Given = { readonly isAlive?: boolean | null; readonly isStored?: boolean }

function world({ isAlive = false, isStored = false }: Given = {}) {
  const hiddenDir = mkdtempSync(join(tmpdir(), 'reprise-staging-'))
  onTestFinished(() => rmSync(hiddenDir, { recursive: true }))
  const dropped: unknown[] = []
  const owners: unknown[] = []
  let uuids = 0
  const dependencies = {
    hiddenDir,
    owner: { host: 'here', pid: 7, startTime: '1' },
    random: { uuid: () => `uuid-${++uuids}` },
    isAlive: (owner: unknown) => {
      owners.push(owner)
      return isAlive
    },
    store: { thread: async () => (isStored ? {} : null) },
    vault: {
      remove: async (key: object) => void dropped.push(key),
      objects: { remove: async (owner: string) => void dropped.push(owner) },
    },
  } as never
  const left = () => readdirSync(join(hiddenDir, 'staging'))
  return { dependencies, hiddenDir, dropped, owners, left }
}

test('V-3 S23 a staging directory belongs to this user alone, and is gone when its import is over', async () => {
  const { dependencies, hiddenDir, left } = world()
  const { directory, remove } = await openStaging(dependencies)
  expect(directory).toBe(join(hiddenDir, 'staging', 'uuid-1'))
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  writeFileSync(join(directory, '0'), 'x')
  await remove()
  expect(left()).toEqual([])
  await remove()
})

test('V-3 what a dead process has left is removed, with what it had put into the vault', async () => {
  const { dependencies, dropped, owners, left } = world()
  expect(await clearStaging(dependencies)).toBe(0)
  const staging = await openStaging(dependencies)
  await staging.plan(PLANNED)
  await openStaging(dependencies)
  expect(await clearStaging(dependencies)).toBe(2)
  expect(left()).toEqual([])
  expect(dropped).toEqual([PLANNED.sessions[0], 'thr_1'])
  expect(owners).toContainEqual({ host: 'here', pid: 7, startTime: '1' })
})

test('V-3 what belongs to a thread that was stored stays in the vault', async () => {
  const { dependencies, dropped, left } = world({ isStored: true })
  await (await openStaging(dependencies)).plan(PLANNED)
  expect(await clearStaging(dependencies)).toBe(1)
  expect([left(), dropped]).toEqual([[], []])
  await dropPlanned(dependencies, PLANNED)
  expect(dropped).toEqual([])
})

test('V-3 the directory of a process that lives stays, however old it is', async () => {
  const { dependencies, left } = world({ isAlive: true })
  const { directory } = await openStaging(dependencies)
  utimesSync(directory, 0, 0)
  expect(await clearStaging(dependencies)).toBe(0)
  expect(left()).toHaveLength(1)
})

test.each([
  ['without an owner', { isAlive: true }, false],
  ['of an owner of whom nobody knows', { isAlive: null }, true],
])('V-3 a directory %s stays for an hour', async (_, given, hasOwner) => {
  const { dependencies, hiddenDir, owners, left } = world(given)
  const directory = join(hiddenDir, 'staging', 'left')
  mkdirSync(directory, { recursive: true })
  if (hasOwner) writeFileSync(join(directory, 'owner.json'), '{}')
  expect(await clearStaging(dependencies)).toBe(0)
  expect([left(), owners.length]).toEqual([['left'], hasOwner ? 1 : 0])
  const old = (Date.now() - HOUR_MS - 1_000) / 1_000
  utimesSync(directory, old, old)
  expect(await clearStaging(dependencies)).toBe(1)
  expect(left()).toEqual([])
})
