// One event language: a turn reads the same for a program, over HTTP and on the command line, event by event.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runEventSchema } from '../../../src/daemon/contract/event.ts'
import { claudeCode, createReprise, type RunEvent, sqlite } from '../../../src/index.ts'
import { ended } from '../cli/cli-world.ts'
import { type DaemonProcess, eventually, ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const ASKS_TO_RUN = {
  type: 'tool',
  name: 'Bash',
  input: { command: 'echo hi' },
  asks: true,
} as const
const QUESTION = { question: 'Which?', header: 'Which', options: [], multiSelect: false }

/** As they stand in a stream: an id and the text of each. */
async function overHttp(daemon: DaemonProcess, runId: string, lastId?: string) {
  const headers = {
    accept: 'text/event-stream',
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  }
  const response = await world.request(daemon.url, `/api/turns/${runId}/events`, { headers })
  const lines = (await response.text()).split('\n')
  const after = (prefix: string) =>
    lines.flatMap(line => (line.startsWith(prefix) ? line.slice(prefix.length) : []))
  return { status: response.status, ids: after('id: '), texts: after('data: ') }
}

async function inLibrary(runId: string): Promise<readonly string[]> {
  const reprise = createReprise({
    store: sqlite(join(world.home, 'reprise.db')),
    agents: [claudeCode()],
  })
  const events = await Array.fromAsync(reprise.turns.follow(runId))
  await reprise.close()
  return events.map(event => JSON.stringify(event))
}

async function inClient(daemon: DaemonProcess, runId: string): Promise<readonly string[]> {
  const reprise = world.connect(daemon)
  const events = await Array.fromAsync(reprise.turns.follow(runId))
  await reprise.close()
  return events.map(event => JSON.stringify(event))
}

/** All that are not the printed ones read the same turn from the store, and every event is as OpenAPI describes it. */
async function expectSame(daemon: DaemonProcess, runId: string, printed: readonly string[]) {
  const { texts, ids } = await overHttp(daemon, runId)
  expect(texts).toEqual(printed)
  expect(await inClient(daemon, runId)).toEqual(printed)
  expect(await inLibrary(runId)).toEqual(printed)
  const events = printed.map(text => JSON.parse(text) as RunEvent)
  for (const event of events) expect(runEventSchema.parse(event)).toEqual(event)
  expect(ids).toEqual(events.map(({ runId: id, seq }) => `${id}:${seq}`))
  return events
}

const typesOf = (events: readonly RunEvent[]) =>
  events.flatMap(({ type }) => (['session', 'usage', 'block', 'result'].includes(type) ? [] : type))

test('U-6 F-2 a turn whose resume is refused reads the same everywhere, and says where it goes on', async () => {
  const daemon = await world.serve()
  const { threadId } = await world.json(['send', 'one'])
  world.script([{ when: 'two', once: true, do: [{ type: 'refuseResume' }] }])
  // Another model needs another process; the one that waits would refuse nothing.
  const other = ['--model', 'claude-haiku-4-5']
  const { out, code } = await world.run(['send', '-t', threadId, '--stream-json', ...other, 'two'])
  expect(code).toBe(0)
  const printed = out.trim().split('\n')
  const [first] = printed.map(line => JSON.parse(line) as RunEvent)
  const events = await expectSame(daemon, first?.runId ?? '', printed)
  // The notice says why the process that waits is not used.
  expect(typesOf(events)).toEqual([
    ...['started', 'notice', 'fallback', 'ended'],
    ...['started', 'text', 'ended'],
  ])
  const [refused, last] = events.filter(event => event.type === 'ended')
  expect(refused).toMatchObject({ status: 'failed', continuedBy: last?.runId })
  expect(last).toMatchObject({ status: 'completed', continuedBy: null })
  expect(events.find(event => event.type === 'fallback')).toMatchObject({
    nextRunId: last?.runId,
    words: expect.stringMatching(/a new session that is written with the conversation so far$/),
  })
})

test('U-6 T-7 a turn with a question that was answered reads the same everywhere', async () => {
  const does = [
    { ...ASKS_TO_RUN, result: 'hi' },
    { type: 'text', text: 'written' },
  ] as const
  world.script([{ when: 'write it', do: does }])
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  const child = world.start(['send', '--ask', '--stream-json', 'write it'])
  child.stdin?.end()
  const end = ended(child)
  let toolUseId = ''
  await eventually(async () => {
    const [open] = await reprise.questions({ state: 'open' })
    toolUseId = open?.toolUseId ?? ''
    return open !== undefined
  })
  const [question] = await reprise.questions({ state: 'open' })
  await reprise.runs.answer(question?.runId ?? '', { toolUseId, allow: true })
  const { out, code } = await end
  expect(code).toBe(0)
  const events = await expectSame(daemon, question?.runId ?? '', out.trim().split('\n'))
  const asked = typesOf(events).filter(type => type !== 'text')
  expect(asked).toEqual(['started', 'tool', 'question', 'answer', 'tool-result', 'ended'])
  await reprise.close()
})

test('U-6 T-7a a reader that only knows the first run follows the turn over a kill -9 of the daemon to its end', async () => {
  const input = { questions: [QUESTION] }
  const asks = { type: 'tool', name: 'AskUserQuestion', input, asks: true, result: 'ok' } as const
  world.script([{ when: 'set it up', do: [asks, { type: 'text', text: 'done' }] }])
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  const thread = await reprise.threads.create({ workDir: world.workDir })
  const { runId } = await thread.send('set it up', { questions: 'ask' }).submitted
  const following = Array.fromAsync(reprise.turns.follow(runId))
  await eventually(async () => (await reprise.runs.get(runId)).status === 'waiting')
  daemon.signal('SIGKILL')
  await daemon.end
  const next = await world.serve(['--port', String(daemon.port)])
  const [question] = await reprise.questions({ state: 'open' })
  const { toolUseId = '' } = question ?? {}
  await reprise.runs.answer(runId, { toolUseId, content: 'this one' })
  const events = await following
  const stored = events.filter(({ seq }) => seq > 0)
  const notices = events.filter(({ seq }) => seq === 0).map(({ type }) => type)
  expect(new Set(notices)).toEqual(new Set(['notice']))
  await expectSame(
    next,
    runId,
    stored.map(event => JSON.stringify(event)),
  )
  const ends = stored.filter(event => event.type === 'ended')
  expect(ends.map(({ runId: id }) => id)[0]).toBe(runId)
  expect(ends.at(-1)).toMatchObject({ status: 'completed', continuedBy: null })
  // The daemon answers 204 to a browser that comes back to a turn that is over; from the middle, it sends the rest.
  const { ids } = await overHttp(next, runId)
  expect((await overHttp(next, runId, ids.at(-1))).status).toBe(204)
  expect((await overHttp(next, runId, ids[1])).ids).toEqual(ids.slice(2))
  const list = await world.request(next.url, `/api/turns/${runId}/events?limit=3`, {
    headers: { accept: 'application/json' },
  })
  expect(await list.json()).toMatchObject({
    items: stored.slice(0, 3),
    nextCursor: ids[2],
    ended: false,
  })
  await reprise.close()
})
