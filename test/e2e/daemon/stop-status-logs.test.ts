import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RanHere } from '../../run-cli-here.ts'
import { ended } from '../cli/cli-world.ts'
import { appears, eventually, ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

/** An agent that waits until the test lets it go on. */
function hold() {
  const reached = world.path('reached')
  const release = world.path('release')
  world.script([
    { when: 'wait', do: [{ type: 'waitForFile', path: release, reached }] },
    { do: [{ type: 'text', text: 'done' }] },
  ])
  return { reached: () => appears(reached), release: () => writeFileSync(release, '') }
}

const run = (...args: string[]): Promise<RanHere> => world.here(args)
const job = (id: string) => world.json(['jobs', 'show', id])
const submit = (prompt: string) => world.json(['jobs', 'submit', prompt])

async function status() {
  const { code, out } = await run('status', '--json')
  return { code, ...JSON.parse(out) }
}

describe('without a daemon', () => {
  test('status is exit 3 and makes no store; stop and logs are exit 3 and say what to do', async () => {
    expect(await status()).toMatchObject({ code: 3, state: 'none', pid: null })
    expect(existsSync(world.storeFile)).toBe(false)
    expect((await run('status')).out).toContain('reprise serve')
    for (const verb of ['stop', 'logs']) {
      const { code, err } = await run(verb)
      expect({ verb, code }).toEqual({ verb, code: 3 })
      expect(err).toMatch(/hint: .*`reprise (status|serve)`/)
    }
  })

  test('jobs submit says on stderr that nobody works on the job, and how somebody would', async () => {
    const { code, out, err } = await run('jobs', 'submit', 'do it')
    expect(code).toBe(0)
    expect(out).toMatch(/^job_\w+\n$/)
    expect(err).toContain('reprise serve')
    expect(err).toContain(`reprise jobs retry ${out.trim()} --wait`)
  })
})

describe('a daemon that was killed', () => {
  test('status says so with exit 3, stop finds nothing to stop, its log can still be read', async () => {
    const daemon = await world.serve()
    daemon.signal('SIGKILL')
    await daemon.end
    expect(await status()).toMatchObject({ code: 3, state: 'killed', pid: daemon.pid })
    expect(await run('stop')).toMatchObject({ code: 3 })
    expect((await run('logs')).out).toContain('listening')
  })
})

describe('reprise stop', () => {
  test('waits until the daemon is gone; status said what it was and did', async () => {
    const daemon = await world.serve()
    await submit('do it')
    expect(await status()).toMatchObject({
      code: 0,
      state: 'running',
      pid: daemon.pid,
      url: daemon.url,
      store: 'ok',
    })
    const { code, out } = await run('stop')
    expect({ code, out }).toEqual({ code: 0, out: `the daemon (pid ${daemon.pid}) has stopped\n` })
    expect((await daemon.end).code).toBe(0)
    expect(await status()).toMatchObject({ code: 3, state: 'none' })
  })

  test('with --drain the run may end by itself; no new work is taken meanwhile', async () => {
    const { reached, release } = hold()
    const daemon = await world.serve()
    const { id } = await submit('wait')
    await reached()
    const stopping = run('stop', '--drain', '10m')
    await eventually(async () => (await status()).state === 'stopping')
    expect(await status()).toMatchObject({ code: 0, jobs: { running: 1 } })
    const late = await submit('later')
    release()
    expect((await stopping).code).toBe(0)
    expect((await daemon.end).code).toBe(0)
    expect((await job(id)).status).toBe('completed')
    expect((await job(late.id)).attempts).toEqual([])
  })

  test('after the drain it interrupts the run, and the next daemon resumes it', async () => {
    const { reached, release } = hold()
    const daemon = await world.serve(['--port', '0', '--drain', '10m'])
    const { id } = await submit('wait')
    await reached()
    expect((await run('stop', '--drain', '50ms')).code).toBe(0)
    expect((await daemon.end).code).toBe(0)
    const [attempt] = (await job(id)).attempts
    expect(attempt).toMatchObject({ status: 'interrupted', failure: { class: 'shutdown' } })
    release()
    await world.serve()
    await eventually(async () => (await job(id)).status === 'completed')
    const [, second] = (await job(id)).attempts
    expect(second?.decision?.action).toBe('resume')
  })

  test('--now ends a daemon that is draining', async () => {
    const { reached } = hold()
    const daemon = await world.serve(['--port', '0', '--drain', '10m'])
    await submit('wait')
    await reached()
    daemon.signal('SIGTERM')
    await eventually(async () => (await status()).state === 'stopping')
    // The daemon takes signals that come close together for one request; this one counts nevertheless.
    expect((await run('stop', '--now')).code).toBe(0)
    expect((await daemon.end).code).toBe(5)
  })
})

describe('reprise logs', () => {
  test('prints the last lines in words, as JSON, by level, and follows', async () => {
    const daemon = await world.serve()
    await world.request(daemon.url, '/api/nothing')
    const all = (await run('logs')).out
    expect(all).toMatch(/^\d{4}-\S+ info {2}listening url=http/)
    expect((await run('logs', '-n', '1')).out.split('\n')).toHaveLength(2)
    expect((await run('logs', '--level', 'error')).out).toBe('')
    const { out } = await run('logs', '--json', '-n', '1')
    expect(JSON.parse(out)).toMatchObject({
      items: [{ level: 'info', message: 'request', fields: { path: '/api/nothing', status: 404 } }],
      nextCursor: null,
    })
    const following = world.start(['logs', '--follow', '-n', '1'])
    const seen: string[] = []
    following.stdout?.setEncoding('utf8').on('data', text => seen.push(text))
    const end = ended(following)
    await eventually(() => seen.join('').includes('/api/nothing'))
    await world.request(daemon.url, '/api/later')
    await eventually(() => seen.join('').includes('/api/later'))
    following.kill('SIGINT')
    expect((await end).code).toBe(0)
  })

  test('the level comes from the flag, else the environment, else the config', async () => {
    world.config({ daemon: { logLevel: 'error' } })
    const quiet = await world.serve()
    await run('stop')
    await quiet.end
    expect(readFileSync(join(world.home, 'logs', 'daemon.log'), 'utf8')).toBe('')
    const loud = await world.serve(['--port', '0', '--log-level', 'debug'])
    await world.request(loud.url, '/api/threads')
    await eventually(() => world.log.includes('"path":"/api/threads"'))
    const wrong = await world.here(['status'], { env: { REPRISE_LOG_LEVEL: 'noisy' } })
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('REPRISE_LOG_LEVEL') })
  })

  test('of a daemon that logs to stderr it says where to look', async () => {
    await world.serve(['--port', '0', '--log', 'stderr'])
    const { code, err } = await run('logs')
    expect(code).toBe(3)
    expect(err).toContain('journalctl')
  })
})
