// J-1 to J-7 through the CLI, without a daemon and with one.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ScriptStep } from '../../../src/testing/fake-agent/script.ts'
import { eventually, ServeWorld } from '../daemon/serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const worked = (): readonly ScriptStep[] => [
  { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' },
  { type: 'sideEffect', appendFile: world.path('effects'), line: 'made' },
]

test('J-1 J-2 without a daemon --wait works on the job here; its attempts, words and logs are shown', async () => {
  world.script([
    { when: 'new', once: true, do: [...worked(), { type: 'killSelf', signal: 'SIGKILL' }] },
    { do: [{ type: 'text', text: 'all done' }] },
  ])
  const job = await world.json(['jobs', 'submit', '--wait', '--backoff', '50ms', 'build it'])
  expect(job).toMatchObject({ status: 'completed', prompt: 'build it', words: 'done' })
  expect(job.attempts).toMatchObject([
    { status: 'interrupted', attempt: 1, jobId: job.id },
    { status: 'completed', attempt: 2, sessionResumed: true },
  ])
  const { out } = await world.here(['jobs', 'show', job.id])
  expect(out).toMatch(/status +completed/)
  const logs = (await world.here(['jobs', 'logs', job.id])).out
  expect(logs).toContain('build it')
  expect(logs).toContain('The work on this task was interrupted')
  expect(logs).toContain('all done')
  expect((await world.here(['jobs'])).out).toContain(job.id)
  expect(await world.list(['threads'])).toEqual([])
  expect(readFileSync(world.path('effects'), 'utf8')).toBe('made\n')
})

test('J-4 --wait prints on stderr what the agent does and says, and on stdout only how the job ended', async () => {
  world.script([
    { when: 'new', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] },
    { do: [{ type: 'text', text: 'all done' }] },
  ])
  const args = ['jobs', 'submit', '--wait', '--backoff', '3s', 'build it']
  const { code, out, err } = await world.run(args)
  expect(code).toBe(0)
  expect(err).toMatch(/attempt 1: run_\w+, start/)
  expect(err).toMatch(/attempt 1: (interrupted|failed), .*SIGKILL/)
  expect(err).toContain('next attempt at ')
  expect(err).toMatch(/attempt 2: completed/)
  expect(err).toContain('all done')
  expect(out).toMatch(/^job +job_/)
  expect(out.endsWith('\nall done\n')).toBe(true)
})

test('J-7 a job without a daemon waits for one; cancelled meanwhile it never runs', async () => {
  const { out } = await world.here(['jobs', 'submit', 'later'])
  const id = out.trim()
  expect(await world.json(['jobs', 'show', id])).toMatchObject({ status: 'queued', attempts: [] })
  expect(await world.json(['jobs', 'cancel', id])).toMatchObject({ status: 'cancelled' })
  const other = (await world.here(['jobs', 'submit', 'for the daemon'])).out.trim()
  await world.serve()
  await eventually(async () => (await world.json(['jobs', 'show', other])).status === 'completed')
  expect(await world.json(['jobs', 'show', id])).toMatchObject({ attempts: [] })
})

test('J-4 a usage limit parks the job until its reset; a retry by hand does not wait for it', async () => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 3_600
  world.script([
    { when: 'new', once: true, do: [{ type: 'usageLimit', resetsAt }] },
    { do: [{ type: 'text', text: 'all done' }] },
  ])
  await world.serve()
  const id = (await world.here(['jobs', 'submit', 'build it'])).out.trim()
  await eventually(async () => (await world.json(['jobs', 'show', id])).status === 'parked')
  const parked = await world.json(['jobs', 'show', id])
  expect(parked.nextAttemptAt).toBeGreaterThanOrEqual(resetsAt * 1000)
  expect(parked.nextAttemptAt).toBeLessThanOrEqual(resetsAt * 1000 + 60_000)
  expect((await world.here(['jobs', 'show', id])).out).toContain(
    'usage limit of the account ends at',
  )
  expect(parked.attempts).toHaveLength(1)
  const retried = await world.json(['jobs', 'retry', id, '--wait'])
  expect(retried).toMatchObject({ status: 'completed' })
})

test('J-7 --cron says when; a wrong time is refused with exit 2 and a hint', async () => {
  const submit = (...flags: string[]) => world.here(['jobs', 'submit', ...flags, 'build it'])
  const cron = ['--cron', '0 3 * * 1-5', '--timezone', 'Europe/Berlin']
  const { out, err } = await submit(...cron)
  expect(err).toMatch(/^0 3 \* \* 1-5 \(Europe\/Berlin\), next at .* UTC$/m)
  const shown = (await world.here(['jobs', 'show', out.trim()])).out
  expect(shown).toMatch(/^schedule +0 3 \* \* 1-5 \(Europe\/Berlin\)$/m)
  expect(shown).toMatch(/^next attempt +\d{4}-\d\d-\d\d 0[12]:00:00 UTC$/m)
  const refused = await submit('--cron', '61 * * * *')
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('"61 * * * *" is no cron expression')
  expect(refused.err).toContain('minute, hour, day, month and weekday')
  expect((await submit(...cron, '--every', '1h')).code).toBe(2)
  expect((await submit('--timezone', 'UTC')).err).toContain('nothing without --cron')
  expect((await submit('--cron', '@daily', '--timezone', 'Mars/Olympus')).code).toBe(2)
  const policy = join(world.root, 'watch.yaml')
  writeFileSync(policy, 'name: watch\ntiers: [{ name: look, role: Look., allowedTools: [Read] }]\n')
  const recurrence = { cron: '0 3 * * 1-5', timezone: 'Europe/Berlin' }
  const scheduled = await world.json(['escalate', '-p', policy, ...cron, 'check'])
  expect(scheduled).toMatchObject({ recurrence })
  expect((await world.here(['schedules'])).out).toContain('0 3 * * 1-5 (Europe/Berlin)')
})

test('V-5 why, jobs show and sessions show say how a job went on', async () => {
  const doc = readFileSync(new URL('../../../docs/jobs.md', import.meta.url), 'utf8')
  for (const verb of ['reprise why RUN', 'reprise jobs show', 'reprise sessions show']) {
    expect(doc).toContain(verb)
  }
  world.script([
    { when: 'new', once: true, do: [...worked(), { type: 'killSelf', signal: 'SIGKILL' }] },
  ])
  const job = await world.json(['jobs', 'submit', '--wait', '--backoff', '50ms', 'build it'])
  const [, second] = job.attempts
  const why = (await world.here(['why', second?.id ?? ''])).out
  expect(why).toContain(second?.sessionId)
  expect(why.split('\n').length).toBeGreaterThan(5)
  const shown = (await world.here(['jobs', 'show', job.id])).out
  expect(shown).toMatch(/attempt 1 .*interrupted · agent-crashed/)
  expect(shown).toMatch(/attempt 2 .*completed · resume/)
  const [session] = await world.list(['sessions'])
  const details = (await world.here(['sessions', 'show', session?.id ?? ''])).out
  for (const what of ['file', 'copy', 'wake']) expect(details).toContain(what)
})

test('J-5 a key makes one job of two submissions; other words under it are refused with exit 4', async () => {
  const submit = (prompt: string) => world.here(['jobs', 'submit', '--key', 'nightly', prompt])
  const [first, second] = [await submit('build it'), await submit('build it')]
  expect(second.out).toBe(first.out)
  expect(await submit('something else')).toMatchObject({ code: 4 })
  expect(await world.list(['jobs'])).toHaveLength(1)
})

test('J-6 checkpoints are listed and restored by number; a wrong number gives an error', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: world.workDir })
  git('init', '--quiet')
  const file = join(world.workDir, 'made.txt')
  world.script([{ do: [{ type: 'sideEffect', appendFile: file, line: 'made' }] }])
  writeFileSync(join(world.workDir, 'mine.txt'), 'mine\n')
  const { id } = await world.json(['jobs', 'submit', '--wait', 'build it'])
  const points = await world.list(['jobs', 'checkpoints', id])
  expect(points.map((point: { kind: string }) => point.kind)).toEqual(['before', 'after'])
  const restored = await world.here(['jobs', 'restore', id, '1'])
  expect(restored).toMatchObject({ code: 0, out: 'removed made.txt\n' })
  expect(existsSync(file)).toBe(false)
  expect(readFileSync(join(world.workDir, 'mine.txt'), 'utf8')).toBe('mine\n')
  await world.here(['jobs', 'restore', id, '3'])
  expect(readFileSync(file, 'utf8')).toBe('made\n')
  expect(await world.here(['jobs', 'restore', id, '77'])).toMatchObject({ code: 3 })
})

test.each([
  [['jobs', 'show', 'job_none'], 3],
  [['jobs', 'cancel', 'job_none'], 3],
  [['jobs', 'retry', 'job_none'], 3],
  [['jobs', 'submit', '--timeout', 'soon', 'x'], 2],
  [['jobs', 'submit', '--budget', 'little', 'x'], 2],
  [['jobs', 'submit', '--cwd', 'nowhere', 'x'], 2],
  [['jobs', 'submit', '--permission-mode', 'reckless', 'x'], 2],
  [['jobs', 'submit', '   '], 2],
] as const)('U-4 reprise %j is refused with exit %d and a hint', async (args, code) => {
  const ended = await world.here(args)
  expect(ended).toMatchObject({ code, out: '' })
  expect(ended.err).toContain('hint')
  expect(await world.list(['jobs'])).toEqual([])
})
