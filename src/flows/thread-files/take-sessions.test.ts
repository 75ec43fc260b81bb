// Which sessions of a thread file go on here, and why the others do not.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeSessions } from './take-sessions.ts'

const SESSION = {
  ...{ id: 'ses_1', agent: 'one', sessionId: 'theirs', pointer: 'confirmed', knownEnd: 'a-1' },
  runtime: '/their/bin/agent 2.0.1 (resume)',
  seen: [{ hash: 'h', anchor: 'a-1', isPart: false }],
}
const FILE = { kind: 'session-file', of: 'ses_1', content: 'theirs' }

type Given = {
  readonly sessions?: readonly object[]
  readonly files?: readonly { kind: string; of: string | null; content: string }[]
  /** What the adapter of the agent `one` can do with session files. */
  readonly sessionFiles?: object | undefined
  readonly holds?: boolean
  /** The version of the agent on this machine; `null`: it is not here. */
  readonly version?: string | null
  readonly executable?: string
  readonly realpath?: () => Promise<string | null>
}

async function taken(given: Given = {}) {
  const { version = '2.0.1', executable = '/our/bin/agent' } = given
  const directory = mkdtempSync(join(tmpdir(), 'reprise-take-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const entries = (given.files ?? [FILE]).map(({ content, ...entry }, at) => {
    const path = join(directory, String(at))
    writeFileSync(path, content)
    return { ...entry, path }
  })
  const sessionFiles = {
    copyAs: (file: Uint8Array, { sessionId, workDir }: { sessionId: string; workDir: string }) =>
      `${Buffer.from(file)} as ${sessionId} in ${workDir}`,
    holds: (text: Buffer, end: string) =>
      (given.holds ?? true) && text.includes('theirs as') && end === 'a-1',
  }
  const adapter = {
    name: 'small',
    probes: [],
    passEnv: [],
    recognise: () => ({ version, abilities: { resume: true }, quirks: [], warning: null }),
    ...('sessionFiles' in given ? { sessionFiles: given.sessionFiles } : { sessionFiles }),
  }
  const dependencies = {
    agents: new Map([['one', { name: 'one', executable, env: {}, passEnv: [], adapter }]]),
    environment: {},
    random: { uuid: () => '11111111-2222-4333-8444-555555555555' },
    clock: { now: () => 1 },
    files: {
      realpath: given.realpath ?? (async (path: string) => (version === null ? null : path)),
      stat: async () => ({ kind: 'file', sizeBytes: 1, modifiedMs: 1 }),
    },
    store: { cachedRuntime: async () => ({ printed: ['x'] }) },
  }
  const content = { sessions: given.sessions ?? [SESSION] }
  const arrived = { entries, records: { content }, staging: { directory }, workDir: '/here' }
  const result = await takeSessions(dependencies as never, arrived as never)
  return { ...result, directory }
}

const because = (word: string) => [{ agent: 'one', because: word }]

test('V-3 a session is copied under a new id of the agent, for the work dir and the program of this machine', async () => {
  const { taken: sessions, replayed } = await taken()
  const sessionId = '00000000-0001-7333-8444-555555555555'
  expect(replayed).toEqual([])
  expect(sessions).toEqual([
    {
      ...{ id: 'ses_1', agent: 'one', sessionId, path: expect.any(String) },
      runtime: '/our/bin/agent 2.0.1 (resume)',
    },
  ])
  const path = sessions[0]?.path ?? ''
  expect(readFileSync(path, 'utf8')).toBe(`theirs as ${sessionId} in /here`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('V-3 each session gets its own file, and the files of other things are none of them', async () => {
  const other = { ...SESSION, id: 'ses_2' }
  const files = [
    { ...FILE, kind: 'checkpoint', content: 'a checkpoint' },
    { ...FILE, of: 'ses_2', content: 'second: theirs' },
    FILE,
  ]
  const { taken: sessions } = await taken({ sessions: [SESSION, other], files })
  expect(sessions.map(({ path }) => readFileSync(path, 'utf8').split(' as ')[0])).toEqual([
    'theirs',
    'second: theirs',
  ])
})

test('V-3 a session that was never saved is neither taken nor spoken of', async () => {
  const announced = { ...SESSION, pointer: 'announced' }
  expect(await taken({ sessions: [announced] })).toMatchObject({ taken: [], replayed: [] })
})

test.each<[string, Given]>([
  ['no-such-agent', { sessions: [{ ...SESSION, agent: 'nobody' }] }],
  ['agent-keeps-them', { sessionFiles: undefined }],
  ['agent-keeps-them', { sessionFiles: { holds: () => true } }],
  ['no-file', { files: [] }],
  ['not-whole', { holds: false }],
  ['not-whole', { sessions: [{ ...SESSION, knownEnd: null, seen: [] }] }],
])('V-3 a session is replayed, and no copy is made, because: %s', async (word, given) => {
  const result = await taken(given)
  expect(result.taken).toEqual([])
  expect(result.replayed).toMatchObject([{ because: word }])
  expect(readdirSync(result.directory).filter(name => name.endsWith('.session'))).toEqual([])
})

test.each<[string, Given]>([
  ['another version', { version: '2.0.2' }],
  ['no agent at all', { version: null }],
])(
  'V-3 where this machine has %s, the session stays as it was and is replayed',
  async (_, given) => {
    const result = await taken(given)
    expect(result.replayed).toEqual(because('other-version'))
    expect(result.taken).toMatchObject([{ runtime: SESSION.runtime }])
  },
)

test('V-3 the version is what counts, also where a program has spaces in its path', async () => {
  const executable = '/our programs (new)/agent'
  const { taken: sessions, replayed } = await taken({ executable })
  expect(replayed).toEqual([])
  expect(sessions).toMatchObject([{ runtime: `${executable} 2.0.1 (resume)` }])
})

test('V-3 trouble with the disk is an error of the import, and no other version', async () => {
  const realpath = () => Promise.reject(new Error('the disk is gone'))
  await expect(taken({ realpath })).rejects.toThrow('the disk is gone')
})

test('S27 each reason is given once for an agent, and of many agents only the first ones', async () => {
  const twice = [SESSION, { ...SESSION, id: 'ses_2' }]
  expect((await taken({ sessions: twice, files: [] })).replayed).toEqual(because('no-file'))
  const sessions = Array.from({ length: 30 }, (_, at) => ({ ...SESSION, agent: `agent-${at}` }))
  const { replayed } = await taken({ sessions })
  expect(replayed).toHaveLength(20)
  expect(replayed[19]).toEqual({ agent: 'agent-19', because: 'no-such-agent' })
})
