// Which session a call means that asks for the latest one.
import { expect, test } from 'vitest'
import { namedCall } from './named-call.ts'

const LATEST = { kind: 'latest', fork: null }

type Given = {
  readonly session?: object
  readonly latest?: object | null
  readonly adapter?: object
}

async function named({ session = LATEST, latest = { sessionId: 's-1' }, adapter }: Given) {
  const asked: object[] = []
  const sessionFiles = {
    latest: async (place: object) => {
      asked.push(place)
      return latest
    },
  }
  const agent = { name: 'one', fullEnv: { A: '1' }, adapter: adapter ?? { sessionFiles } }
  const call = { session, model: 'm' }
  const found = await namedCall({} as never, call as never, { agent, workDir: '/w' } as never)
  return { found, asked }
}

test.each<[string, Given, object]>([
  [
    'a session by its id',
    { session: { kind: 'resume', sessionId: 's' } },
    { kind: 'resume', sessionId: 's' },
  ],
  ['the latest session', {}, { kind: 'resume', sessionId: 's-1' }],
  [
    'a fork of the latest session',
    { session: { kind: 'latest', fork: { sessionId: 's-2' } } },
    { kind: 'fork', from: 's-1', sessionId: 's-2' },
  ],
])(
  'W-2 a call for %s is served, with everything else that it asks for',
  async (_, given, session) => {
    expect((await named(given)).found).toEqual({ session, model: 'm' })
  },
)

test('W-2 the latest session is the one of the work dir, as the agent of the caller finds it', async () => {
  expect((await named({})).asked).toEqual([{ workDir: '/w', env: { A: '1' } }])
})

test.each<[string, Given]>([
  ['it does not name its session by an id', { session: { kind: 'unnamed' } }],
  ['nobody knows how one finds its latest session', { adapter: {} }],
  ['nobody knows how one finds its latest session', { adapter: { sessionFiles: {} } }],
  ['two are equally new', { latest: { unsure: 'two are equally new' } }],
])('W-2 a call runs without Reprise, because: %s', async (because, given) => {
  expect((await named(given)).found).toEqual({ because })
})
