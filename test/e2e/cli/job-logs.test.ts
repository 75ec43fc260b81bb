// `reprise jobs logs --follow`, without a daemon and with one that is killed meanwhile.
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ScriptStep } from '../../../src/testing/fake-agent/script.ts'
import { appears, eventually, ServeWorld } from '../daemon/serve-world.ts'
import { ended } from './cli-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const made: ScriptStep = { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' }

/** The first attempt waits in its middle and is killed; the second is done at once. */
function interrupted(): { readonly reached: string; readonly gate: string } {
  const [reached, gate] = [world.path('reached'), world.path('gate')]
  const wait: ScriptStep = { type: 'waitForFile', path: gate, reached }
  world.script([
    {
      when: 'new',
      once: true,
      do: [{ type: 'text', text: 'I begin.' }, made, wait, { type: 'killSelf', signal: 'SIGKILL' }],
    },
    { do: [{ type: 'text', text: 'all done' }] },
  ])
  return { reached, gate }
}

function following(child: ChildProcess): { readonly text: () => string } {
  let text = ''
  child.stdout?.on('data', piece => {
    text += piece
  })
  return { text: () => text }
}

test('J-1 logs --follow without a daemon prints what another process works on, attempt after attempt', async () => {
  const { reached, gate } = interrupted()
  const working = world.start(['jobs', 'submit', '--wait', '--backoff', '50ms', 'build it'])
  const worked = ended(working)
  await appears(reached)
  const [{ id } = { id: '' }] = await world.list(['jobs'])
  const child = world.start(['jobs', 'logs', id, '--follow'])
  const end = ended(child)
  const { text } = following(child)
  await eventually(() => text().includes('[Bash make]'))
  expect(text()).not.toContain('attempt 2')
  writeFileSync(gate, '')
  const { code, out } = await end
  expect(code).toBe(0)
  expect(out.replaceAll(/run_\w+/g, 'RUN').split('\n')).toMatchObject([
    '--- attempt 1: RUN, start',
    'build it',
    '--- answer',
    'I begin.',
    '[Bash make]',
    expect.stringMatching(/^--- attempt 1: interrupted, .*SIGKILL/),
    '--- attempt 2: RUN, resume',
    expect.stringContaining('The work on this task was interrupted'),
    '',
    expect.stringContaining('Go on with the task'),
    '--- answer',
    'all done',
    '--- attempt 2: completed',
    '',
  ])
  expect((await worked).code).toBe(0)
})

test('J-1 logs --follow goes on over a kill -9 of the daemon, with every event once', async () => {
  const { reached } = interrupted()
  const daemon = await world.serve()
  const id = (await world.run(['jobs', 'submit', '--backoff', '50ms', 'build it'])).out.trim()
  const child = world.start(['jobs', 'logs', id, '--stream-json'])
  const end = ended(child)
  const { text } = following(child)
  await appears(reached)
  await eventually(() => text().includes('"tool"'))
  daemon.signal('SIGKILL')
  await daemon.end
  await world.serve(['--port', String(daemon.port)])
  const { code, out } = await end
  expect(code).toBe(0)
  const lines = out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const keys = lines.filter(({ seq }) => seq > 0).map(({ runId, seq }) => `${runId} ${seq}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect(lines.filter(({ type }) => type === 'ended')).toMatchObject([
    { attempt: 1, status: 'interrupted', failure: { class: 'supervisor-died' } },
    { attempt: 2, status: 'completed' },
  ])
  const [{ prompt }] = lines
  expect(prompt).toBe('build it')
})

test('J-1 Ctrl-C leaves a job that is followed alone', async () => {
  const { reached, gate } = interrupted()
  await world.serve()
  const id = (await world.run(['jobs', 'submit', '--backoff', '50ms', 'build it'])).out.trim()
  await appears(reached)
  const child = world.start(['jobs', 'logs', id, '-f'])
  const end = ended(child)
  const { text } = following(child)
  await eventually(() => text().includes('[Bash make]'))
  child.kill('SIGINT')
  expect((await end).code).toBe(5)
  expect(await world.json(['jobs', 'show', id])).toMatchObject({ status: 'running' })
  writeFileSync(gate, '')
  await eventually(async () => (await world.json(['jobs', 'show', id])).status === 'completed')
})

test('J-1 logs --follow says on stderr why nothing happens', async () => {
  const id = (await world.run(['jobs', 'submit', '--cron', '@yearly', 'build it'])).out.trim()
  const child = world.start(['jobs', 'logs', id, '-f'])
  const end = ended(child)
  let err = ''
  child.stderr?.on('data', piece => {
    err += piece
  })
  await eventually(() => err.includes('queued, next attempt at '))
  child.kill('SIGINT')
  expect((await end).out).toBe('')
  const refused = await world.run(['jobs', 'logs', id, '-f', '--json'])
  expect(refused.code).toBe(2)
  expect((await world.run(['jobs', 'logs', 'job_none', '-f'])).code).toBe(3)
})
