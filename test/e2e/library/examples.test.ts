// The examples run as they stand, with the fake agent in the place of `claude`.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ExampleWorld } from './example-world.ts'

let world: ExampleWorld
beforeEach(async () => {
  world = await new ExampleWorld().open()
})
afterEach(() => world.close())

test('the first example continues in the same session', async () => {
  expect(await world.run('first-turn.ts')).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^echo: Which files are here\?\necho: Which one should I read first\?\ncompleted resume \$0\.\d{4}\n$/,
    ),
    err: '',
  })
})

test('the example of streaming shows the decision, the tools and the text as they come', async () => {
  world.script([
    {
      do: [
        { type: 'tool', name: 'Read', input: { file_path: 'a.md' }, result: 'nothing' },
        { type: 'text', text: ['It is ', 'empty.'] },
      ],
    },
  ])
  const { code, out, err } = await world.run('streaming.ts', 'What is in a.md?')
  expect({ code, out }).toEqual({ code: 0, out: 'It is empty.\n' })
  expect(err).toMatch(/^▸ start\n▸ Read .*a\.md.*\n▸ done: nothing\ncompleted · \d+ tokens out\n$/)
})

test('L-4 the example of an embedded agent asks twice in one session', async () => {
  const { out } = await world.run('embedded-agent.ts')
  expect(out).toBe(
    'new session: echo: Remember the number 7.\nsame session: echo: Which number was it?\n',
  )
})

test('J-5 the example of a durable job is one job, however often it is started', async () => {
  const first = await world.run('durable-job.ts')
  expect(first.out).toMatch(/^completed after 1 attempt\(s\): done\necho: /)
  expect((await world.run('durable-job.ts')).out).toBe(first.out)
})

test('J-2 the example of a CI job is stopped, loses the agent’s files, and continues in the same session', async () => {
  const reached = world.path('reached')
  world.script([
    {
      when: 'new',
      do: [
        { type: 'tool', name: 'Bash', input: { command: 'npm update' }, result: 'updated' },
        { type: 'waitForFile', path: world.path('never'), reached },
      ],
    },
  ])
  const first = world.start('ci-job.ts', 'Update everything')
  await first.until(() => existsSync(reached))
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({
    code: 75,
    out: 'time is up; start this job again to continue\n',
  })
  // The next machine has what was kept of the CI job, and nothing of the agent.
  rmSync(world.agentFiles, { recursive: true })
  const second = await world.run('ci-job.ts', 'Update everything')
  expect(second.code).toBe(0)
  expect(second.out).toMatch(/^completed after 2 attempt\(s\): done\necho: /)
  const [one, two] = await world.journal()
  expect(two?.sessionId).toBe(one?.sessionId)
  expect(two?.history.map(({ text }) => text).join('\n')).toContain('npm update')
})

test.each([
  ['0.012', /^stopped: the budget of the run is spent: \$0\.015 of \$0\.012\n/],
  ['0.0155', /^echo: one\nnot sent: a resume costs at least \$0\.\d{4}, \$0\.000\d is left\n/],
])('M-2 the example of a budget guard with $%s ends before it costs more', async (limit, says) => {
  const { code, out } = await world.run('budget-guard.ts', limit, 'one', 'two', 'three')
  expect(code).toBe(1)
  expect(out).toMatch(says)
  // The run that is stopped has been billed its prompt; its answer costs $0.0001 and may or may not have come before the stop.
  expect(out).toMatch(/\n\$0\.015[01] of \$0\.01\d\d\n$/)
})

test('E-9 the example of a watchdog looks again and again, and escalates', async () => {
  const verdict = (verdict: string, summary: string) =>
    ({ type: 'verdict', output: { verdict, summary } }) as const
  world.script([
    { once: true, do: [verdict('escalate', 'the web server does not answer')] },
    { do: [verdict('resolved', 'restarted it')] },
  ])
  const watchdog = world.start('ops-watchdog.ts', '1')
  await watchdog.until(out => out.includes('\n'))
  watchdog.child.kill('SIGTERM')
  const { code, out } = await watchdog.ended
  expect(code).toBe(0)
  expect(out).toMatch(/^resolved: .+ \(observe \$0\.\d{4}, repair \$0\.\d{4}\)\n/)
})

test('T-10 the example of a chat backend streams a turn, and a reader that lost the connection misses nothing', async () => {
  const goOn = world.path('go-on')
  world.script([{ do: [{ type: 'text', text: ['Hello ', { waitForFile: goOn }, 'again.'] }] }])
  const backend = world.start('chat-backend.ts', '0')
  const said = await backend.until(out => out.includes('port:'))
  const url = `http://127.0.0.1:${/port: (\d+)/.exec(said)?.[1]}`
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })
    const answer = (await response.json()) as { readonly id?: string; readonly runId?: string }
    return { status: response.status, ...answer }
  }
  const { id } = await post('/chats', {})
  const { status, runId } = await post(`/chats/${id}/messages`, { text: 'hi' })
  expect(status).toBe(202)

  const first = await fetch(`${url}/turns/${runId}/events`)
  expect(first.headers.get('content-type')).toBe('text/event-stream')
  const seen = await world.frames(first, frame => frame.text === 'Hello ')
  writeFileSync(goOn, '')
  const headers = { 'last-event-id': seen.at(-1)?.id ?? '' }
  const rest = await world.frames(await fetch(`${url}/turns/${runId}/events`, { headers }))
  const all = [...seen, ...rest]
  expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => `${runId}:${index + 1}`))
  expect(all.map(({ text }) => text).join('')).toBe('Hello again.')
  expect(all.at(-1)?.type).toBe('ended')

  expect(await post('/chats/thr_none/messages', { text: 'hi' })).toMatchObject({ status: 404 })
  expect(await post(`/chats/${id}/messages`, { text: '' })).toMatchObject({ status: 400 })
  backend.child.kill('SIGTERM')
  expect(await backend.ended).toMatchObject({ code: 0, err: '' })
})

test('O-7 the example of telemetry registers a provider and says nothing by itself; the tests of the daemon use it', async () => {
  expect(await world.run('telemetry.ts')).toMatchObject({ code: 0, out: '', err: '' })
})

test('every example is run here', () => {
  const tests = readFileSync(import.meta.filename, 'utf8')
  const examples = readdirSync(join(import.meta.dirname, '../../../examples'))
  expect(examples.filter(name => !tests.includes(`'${name}'`))).toEqual([])
})
