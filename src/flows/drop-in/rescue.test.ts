// What is done before an agent resumes a session whose file is gone or damaged: our copy, else the conversation written again.
import { expect, test } from 'vitest'
import { rescue } from './rescue.ts'

const MISSING = { state: 'missing', path: '/old/s.jsonl' }
const DAMAGED = { state: 'damaged', path: '/old/s.jsonl', detail: 'half a line' }
const PRESENT = { state: 'present' }
const SESSION = {
  ...{ id: 'ses_1', sessionId: 's', threadId: 'thr_1', model: 'sonnet', knownEnd: 'a-1' },
  seen: [
    { hash: 'h1', anchor: null, isPart: false },
    { hash: 'h2', anchor: 'a-1', isPart: false },
  ],
}

type Given = {
  /** The file at each look; the last one stays. */
  readonly files?: readonly object[]
  readonly hasCopy?: boolean
  readonly model?: string | null
  readonly session?: object
  readonly areTaken?: boolean
  readonly canWrite?: boolean
  readonly home?: string | null
  readonly branch?: readonly object[]
  readonly damaged?: Uint8Array | null
  readonly adapter?: object
}

async function rescued(given: Given = {}) {
  const notes: string[] = []
  const written: object[] = []
  const looks = [...(given.files ?? [MISSING])]
  const branch = given.branch ?? [{ hash: 'h1' }, { hash: 'other' }, { hash: 'h2' }]
  const beside = new Map<string, Uint8Array>()
  const damaged = given.damaged === undefined ? Buffer.from('half') : given.damaged
  const dependencies = {
    files: {
      read: async (path: string) =>
        path === '/old/s.jsonl' ? damaged : (beside.get(path) ?? null),
    },
    ...(given.canWrite !== false && {
      fileWriter: {
        write: async (path: string, content: string | Uint8Array) => {
          notes.push(`write ${path} ${Buffer.from(content).toString()}`)
          if (path.includes('.damaged')) beside.set(path, Buffer.from(content))
        },
      },
    }),
    random: { uuid: () => 'u' },
    store: {
      branch: async () => branch,
      moveSession: async (_: object, id: string, to: string) => void notes.push(`move ${id} ${to}`),
    },
    vault: {
      extend: async () => {},
      read: async () => (given.hasCopy ? new Uint8Array() : null),
      keptAt: async () => null,
      restore: async (_: object, path: string) => void notes.push(`restore ${path}`),
    },
  }
  const adapter = {
    sessionFiles: {
      inspect: async () => (looks.length > 1 ? looks.shift() : looks[0]),
      locate: async () => ({
        found: null,
        home: given.home === undefined ? '/home/s.jsonl' : given.home,
      }),
      holds: () => true,
    },
    writtenSessions: {
      areTaken: () => given.areTaken ?? true,
      write: (writing: object) => {
        written.push(writing)
        return { text: 'again' }
      },
    },
    ...given.adapter,
  }
  const agent = { fullEnv: {}, runtime: { version: '2' }, adapter }
  const session = { ...SESSION, ...given.session }
  const model = given.model ?? null
  const asked = { agent, session, workDir: '/project', model, lease: {} }
  const notice = await rescue(dependencies as never, asked as never)
  return { notice, notes, written }
}

const said = (text: string) => ({
  ...{ type: 'notice', code: 'session-rescued', text: `The session could be resumed: ${text}.` },
})

test('W-2 a session whose file is there needs no help, and of an agent without files nobody knows', async () => {
  expect(await rescued({ files: [PRESENT] })).toMatchObject({ notice: null, notes: [] })
  const blind = await rescued({ adapter: { sessionFiles: undefined } })
  expect(blind).toMatchObject({ notice: null, notes: [] })
})

test('W-2 V-1 our copy takes the place of a lost file, and the session belongs to this work dir', async () => {
  const { notice, notes } = await rescued({ hasCopy: true, files: [MISSING, PRESENT] })
  expect(notice).toEqual(said('our copy replaced its file (it is not there)'))
  expect(notes).toEqual(['restore /home/s.jsonl', 'move ses_1 /project'])
})

test('W-2 a file without a copy is written again from what the session has seen', async () => {
  const { notice, notes, written } = await rescued()
  expect(notice).toEqual(said('its file was written again from the thread'))
  expect(notes).toEqual(['write /home/s.jsonl again', 'move ses_1 /project'])
  expect(written).toMatchObject([
    {
      ...{ sessionId: 's', workDir: '/project', version: '2', model: 'sonnet' },
      ...{ messages: [{ hash: 'h1' }, { hash: 'h2' }], maxChars: 480_000, shortensOutputs: false },
    },
  ])
})

test('W-2 V-2 a damaged file stays beside the new one, and so does one whose copy is damaged too', async () => {
  const kept = 'write /old/s.jsonl.damaged half'
  const again = ['write /old/s.jsonl again', 'move ses_1 /project']
  expect((await rescued({ files: [DAMAGED] })).notes).toEqual([kept, ...again])
  const copied = await rescued({ hasCopy: true, files: [DAMAGED] })
  const restored = ['restore /old/s.jsonl', 'move ses_1 /project']
  expect(copied.notes).toEqual([kept, ...restored, ...again])
  expect(copied.notice).toEqual(said('its file was written again from the thread'))
})

test('W-2 the session goes on with the model that the caller names', async () => {
  expect((await rescued({ model: 'opus' })).written).toMatchObject([{ model: 'opus' }])
})

test.each<[string, Given]>([
  ['this version takes no written sessions', { areTaken: false }],
  ['the agent takes none at all', { adapter: { writtenSessions: undefined } }],
  ['files cannot be written here', { canWrite: false }],
  ['nobody knows where its file would be', { home: null }],
  ['the thread holds nothing that the session has seen', { branch: [{ hash: 'other' }] }],
  ['nobody knows its model', { session: { model: null } }],
  ['its damaged file is gone meanwhile', { files: [DAMAGED], damaged: null }],
])('W-2 nobody can help when %s', async (_, given) => {
  expect(await rescued(given)).toMatchObject({ notice: null, notes: [] })
})
