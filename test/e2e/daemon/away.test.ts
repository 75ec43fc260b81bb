// Answers and messages around a daemon that dies while its user is asked.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Question } from '../../../src/core/conversation/question.ts'
import { ended } from '../cli/cli-world.ts'
import { appears, type DaemonProcess, eventually, ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  const asks = { type: 'tool', name: 'Bash', input: { command: 'echo hi' }, asks: true } as const
  const steps = [
    { ...asks, result: 'hi' },
    { type: 'text', text: 'written' },
  ] as const
  world.script([
    { when: 'write it', do: steps },
    { when: 'do it now', do: steps },
  ])
})
afterEach(() => world.closeAll())

async function asked() {
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  const thread = await reprise.threads.create({ workDir: world.workDir })
  const turn = thread.send('write it', { questions: 'ask' })
  for await (const event of turn) if (event.type === 'question') break
  const [question] = await reprise.questions({ state: 'open' })
  return { daemon, reprise, thread, turn, question: question as Question }
}

test('T-7a an answer that is given while the daemon is away arrives when it is back', async () => {
  const { daemon, reprise, turn, question } = await asked()
  const { runId, toolUseId } = question
  daemon.signal('SIGKILL')
  await daemon.end
  const answered = reprise.runs.answer(runId, { toolUseId, allow: true })
  answered.catch(() => {})
  await world.serve(['--port', String(daemon.port)])
  expect((await answered).run).toMatchObject({ id: runId, status: 'interrupted' })
  const { run, text } = await turn.result
  expect([run.parentRunId, run.status, text]).toEqual([runId, 'completed', 'written'])
  const events = await reprise.runs.events(run.id)
  expect(events.map(({ type }) => type)).not.toContain('question')
  await reprise.close()
})

test('T-10 a message behind a question that nobody has answered says what it waits for', async () => {
  const { reprise, thread, turn, question } = await asked()
  const later = thread.send('and then?', { questions: 'ask' })
  for await (const event of later) {
    expect(event).toMatchObject({ type: 'queued', behind: question.runId })
    break
  }
  const { runId, toolUseId } = question
  await reprise.runs.answer(runId, { toolUseId, allow: true })
  expect((await turn.result).text).toBe('written')
  expect((await later.result).run.status).toBe('completed')
  await reprise.close()
})

/** `send` through a daemon, whose agent waits until the file `go` is there. */
async function sending(output: readonly string[]) {
  const reached = world.path('reached')
  const held = { type: 'waitForFile', path: world.path('go'), reached } as const
  world.script([{ when: 'long work', once: true, do: [held] }])
  const daemon = await world.serve()
  const child = world.start(['send', 'long work', ...output])
  child.stdin?.end()
  const end = ended(child)
  await appears(reached)
  return { daemon, child, end }
}

async function threadOf(daemon: DaemonProcess): Promise<string> {
  const reprise = world.connect(daemon)
  const [thread] = await reprise.threads.list()
  await reprise.close()
  return thread?.id ?? ''
}

test('U-4 send through a daemon that stops says at once that it waits and for what, and goes on when it is back', async () => {
  const { daemon, child, end } = await sending(['--stream-json'])
  const said = Promise.withResolvers<string>()
  child.stderr?.on('data', (text: string) => said.resolve(text))
  daemon.signal('SIGTERM')
  await daemon.end
  const stderr = await said.promise
  expect(stderr).toMatch(/^the daemon is away: waiting up to 60 s for it, for run_\w+ of thr_\w+\n/)
  await world.serve(['--port', String(daemon.port)])
  const { code, out, err } = await end
  expect(err).toContain('the daemon is back: on with run_')
  const events = out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const notices = events.filter(event => event.type === 'notice').map(event => event.code)
  expect(notices).toEqual(['daemon-away', 'daemon-back'])
  expect(events.at(-1)).toMatchObject({ type: 'ended', failure: { class: 'shutdown' } })
  expect(code).toBe(1)
})

test('U-4 Ctrl-C while the daemon is away is not lost: the turn is cancelled when the daemon is back', async () => {
  const { daemon, child, end } = await sending(['--stream-json'])
  const away = new Promise(resolve => child.stderr?.once('data', resolve))
  const queued = world.start(['send', 'do it later', '--thread', await threadOf(daemon)])
  queued.stdin?.end()
  const queuedEnd = ended(queued)
  const queuedAway = new Promise(resolve => queued.stderr?.once('data', resolve))
  await eventually(async () => (await world.list(['runs', '--status', 'queued'])).length === 1)
  // Should it be started before the cancel arrives, it does not end by itself.
  world.script([{ do: [{ type: 'hang' }] }])
  daemon.signal('SIGKILL')
  await Promise.all([away, queuedAway])
  queued.kill('SIGINT')
  await world.serve(['--port', String(daemon.port)])
  expect((await queuedEnd).code).toBe(5)
  expect((await end).code).toBe(1)
})

test('U-4 jobs --wait through a daemon that is killed says that it waits for its job, and goes on', async () => {
  const reached = world.path('reached')
  const held = { type: 'waitForFile', path: world.path('go'), reached } as const
  world.script([{ when: 'new', once: true, do: [held] }])
  const daemon = await world.serve()
  const child = world.start(['jobs', 'submit', 'long work', '--wait', '--no-checkpoints'])
  child.stdin?.end()
  const end = ended(child)
  const said = Promise.withResolvers<void>()
  child.stderr?.on('data', (text: string) => {
    if (/the daemon is away: waiting up to 60 s for it, for (?:job|run)_/.test(text)) said.resolve()
  })
  await appears(reached)
  daemon.signal('SIGKILL')
  await said.promise
  await world.serve(['--port', String(daemon.port)])
  const { code, err } = await end
  expect(err).toMatch(/the daemon is back: on with (?:job|run)_/)
  expect(code).toBe(0)
})
