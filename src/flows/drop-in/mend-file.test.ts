// The damaged file of a session that only the agent knows is repaired, and what was there stays beside it.
import { describe, expect, test } from 'vitest'
import { keepDamaged } from './keep-damaged.ts'
import { mendFile } from './mend-file.ts'

const PATH = '/sessions/s.jsonl'
const QUIET_MS = 5_000

type Given = {
  /** What the adapter finds at each look. */
  readonly states?: readonly string[]
  readonly sessionFiles?: object | undefined
  readonly stat?: object | null
  readonly canWrite?: boolean
  readonly repaired?: string | null
  readonly canRepair?: boolean
  /** Files that are there. */
  readonly disk?: Readonly<Record<string, string>>
}

async function mended(given: Given = {}) {
  const disk = new Map(Object.entries(given.disk ?? { [PATH]: 'half a li' }))
  const states = [...(given.states ?? ['damaged', 'present'])]
  const wanted: object[] = []
  const repair = (bytes: Uint8Array, asked: object) => {
    wanted.push({ ...asked, bytes: Buffer.from(bytes).toString() })
    return { text: given.repaired === undefined ? 'whole' : given.repaired }
  }
  const sessionFiles = {
    inspect: async () => ({ state: states.shift(), path: PATH }),
    ...(given.canRepair !== false && { repair }),
  }
  const dependencies = {
    files: {
      read: async (path: string) => (disk.has(path) ? Buffer.from(disk.get(path) ?? '') : null),
      stat: async () => (given.stat === undefined ? { kind: 'file', modifiedMs: 0 } : given.stat),
    },
    ...(given.canWrite !== false && {
      fileWriter: {
        write: async (path: string, content: string | Uint8Array) =>
          void disk.set(path, Buffer.from(content).toString()),
      },
    }),
    clock: { now: () => QUIET_MS },
    random: { uuid: () => 'u' },
  }
  const adapter = 'sessionFiles' in given ? {} : { sessionFiles }
  const agent = { adapter, runtime: {}, model: 'sonnet' }
  const place = { sessionId: 's', workDir: '/project', env: {} }
  const isUsable = await mendFile(dependencies as never, agent as never, place)
  return { isUsable, wanted, disk: Object.fromEntries(disk) }
}

test('V-2 a damaged file is repaired in its place, and stays beside it byte by byte', async () => {
  const { isUsable, wanted, disk } = await mended()
  expect(isUsable).toBe(true)
  expect(disk).toEqual({ [PATH]: 'whole', [`${PATH}.damaged`]: 'half a li' })
  const known = { anchors: [], end: null }
  expect(wanted).toMatchObject([{ sessionId: 's', model: 'sonnet', known, bytes: 'half a li' }])
})

test('V-2 a repaired file that the agent still cannot use is not called usable', async () => {
  expect(await mended({ states: ['damaged', 'damaged'] })).toMatchObject({ isUsable: false })
})

test.each<[string, Given, boolean]>([
  ['is whole', { states: ['present'] }, true],
  ['is not there', { states: ['missing'] }, false],
  ['belongs to an agent without files', { sessionFiles: undefined }, false],
  ['was written a moment ago', { stat: { kind: 'file', modifiedMs: 1 } }, false],
  ['is a directory', { stat: { kind: 'directory', modifiedMs: 0 } }, false],
  ['has gone meanwhile', { stat: null }, false],
  ['has gone a moment later', { disk: { other: '' } }, false],
  ['cannot be repaired', { repaired: null }, false],
  ['is of an agent that repairs nothing', { canRepair: false }, false],
  ['cannot be written', { canWrite: false }, false],
])('V-2 a file that %s stays as it is; the agent can go on: %s', async (_, given, expected) => {
  const { isUsable, disk } = await mended(given)
  expect(isUsable).toBe(expected)
  expect(disk).toEqual(given.disk ?? { [PATH]: 'half a li' })
})

describe('V-2 a damaged file', () => {
  const names = Array.from({ length: 100 }, (_, at) => `/f.damaged${at === 0 ? '' : `-${at + 1}`}`)
  async function kept(beside: Readonly<Record<string, string>>) {
    const disk = new Map(Object.entries({ '/f': 'bytes', ...beside }))
    const written: string[] = []
    const dependencies = {
      files: {
        read: async (path: string) => (disk.has(path) ? Buffer.from(disk.get(path) ?? '') : null),
      },
      fileWriter: { write: async (path: string) => void written.push(path) },
    }
    return { isKept: await keepDamaged(dependencies as never, '/f'), written }
  }
  const taken = (count: number) =>
    Object.fromEntries(names.slice(0, count).map(name => [name, 'other bytes']))

  test('gets the next free name beside it', async () => {
    expect(await kept({})).toEqual({ isKept: true, written: ['/f.damaged'] })
    expect(await kept(taken(2))).toEqual({ isKept: true, written: ['/f.damaged-3'] })
    expect(await kept(taken(99))).toEqual({ isKept: true, written: ['/f.damaged-100'] })
  })

  test('is kept once, however often it is found', async () => {
    expect(await kept({ ...taken(1), '/f.damaged-2': 'bytes' })).toEqual({
      isKept: true,
      written: [],
    })
  })

  test('S27 is not kept when too many are there, so nobody may replace it', async () => {
    expect(await kept(taken(100))).toEqual({ isKept: false, written: [] })
  })
})
