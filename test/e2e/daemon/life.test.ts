import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ended } from '../cli/cli-world.ts'
import { appears, eventually, ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const tokenFile = () => join(world.home, 'token')
const modeOf = (path: string) => execFileSync('stat', ['-c', '%a', path], { encoding: 'utf8' })

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

describe('the token', () => {
  test('S6 is 256 bits in a file for its owner alone, whatever the umask', async () => {
    await world.serve()
    expect(modeOf(tokenFile()).trim()).toBe('600')
    expect(Buffer.from(world.token, 'base64url')).toHaveLength(32)
  })

  test('stays the same over restarts', async () => {
    const first = await world.serve()
    const { token } = world
    first.signal('SIGTERM')
    await first.end
    await world.serve()
    expect(world.token).toBe(token)
  })

  test.each([
    ['that others can read', () => chmodSync(tokenFile(), 0o644), 'open to others'],
    ['that others can write', () => chmodSync(tokenFile(), 0o666), 'open to others'],
    [
      'that is a link',
      () => {
        writeFileSync(world.path('elsewhere'), readFileSync(tokenFile()), { mode: 0o600 })
        rmSync(tokenFile())
        symlinkSync(world.path('elsewhere'), tokenFile())
      },
      'symbolic link',
    ],
    ['that holds something else', () => writeFileSync(tokenFile(), 'guess'), 'not hold a token'],
  ])('S6 a file %s keeps the daemon from starting', async (_, spoil, words) => {
    writeFileSync(tokenFile(), `${'a'.repeat(43)}\n`, { mode: 0o600 })
    spoil()
    const { code, err } = await world.here(['serve', '--port', '0'])
    expect(code).toBe(2)
    expect(err).toContain(words)
    expect(err).toContain(`rm ${tokenFile()}`)
  })
})

describe('the address', () => {
  test('S1 is of this machine alone', async () => {
    const { port } = await world.serve()
    const wanted = port.toString(16).toUpperCase().padStart(4, '0')
    const listening = ['tcp', 'tcp6'].flatMap(kind => {
      return readFileSync(`/proc/net/${kind}`, 'utf8')
        .split('\n')
        .map(line => line.trim().split(/\s+/))
        .filter(fields => fields[3] === '0A' && fields[1]?.endsWith(`:${wanted}`))
        .map(fields => fields[1])
    })
    expect(listening).toEqual([`0100007F:${wanted}`])
  })

  test.each([['0.0.0.0'], ['192.0.2.1'], ['::']])('S1 --host %s is refused', async host => {
    const { code, err } = await world.here(['serve', '--port', '0', '--host', host])
    expect(code).toBe(2)
    expect(err).toContain('--listen')
  })

  test('a daemon that is stopped the moment it can be found stops in order', async () => {
    for (let times = 0; times < 3; times++) {
      const child = world.startServe(['--port', '0'])
      const end = ended(child)
      await appears(join(world.home, 'daemon.json'))
      child.kill('SIGTERM')
      expect((await end).code).toBe(0)
      expect(existsSync(join(world.home, 'daemon.json'))).toBe(false)
    }
  })

  test('S1 --listen takes any, with a warning', async () => {
    const child = world.startServe(['--port', '0', '--listen', '0.0.0.0'])
    const end = ended(child)
    await appears(join(world.home, 'daemon.json'))
    child.kill('SIGTERM')
    const { code, err } = await end
    expect(code).toBe(0)
    expect(err).toContain('can be reached by other machines')
  })

  test('U-4 a fault of our own ends the daemon with exit 70 and says on stderr where to look', async () => {
    const faulty = world.path('faulty.mjs')
    writeFileSync(faulty, `process.on('SIGUSR2', () => { throw new Error('out of tune') })`)
    const daemon = await world.serve(['--port', '0'], { NODE_OPTIONS: `--import=${faulty}` })
    daemon.signal('SIGUSR2')
    const { code, err } = await daemon.end
    expect(code).toBe(70)
    expect(err).toMatch(/^error: .*Error: out of tune\nhint: see `reprise logs`.*\n$/m)
    expect(world.log).toContain('a fault nobody caught')
  })

  test('a port in use gives an error that says what to do', async () => {
    const { port } = await world.serve()
    const other = (await new ServeWorld().open()) as ServeWorld
    try {
      const { code, out } = await ended(other.startServe(['--port', String(port)]))
      expect(code).toBe(4)
      expect(out).toContain(`port ${port}`)
    } finally {
      await other.closeAll()
    }
  })
})

describe('one daemon per data directory', () => {
  test('ten that start at once: one wins, the others say where it is', async () => {
    const children = Array.from({ length: 10 }, () => world.startServe(['--port', '0']))
    const ends = children.map(ended)
    const losers: { code: number | null; out: string }[] = []
    for (const end of ends) void end.then(loser => losers.push(loser))
    await eventually(() => losers.length >= 9)
    expect(losers.map(({ code }) => code)).toEqual(Array(9).fill(4))
    for (const { out } of losers) {
      expect(JSON.parse(out).error.message).toMatch(/runs at http|is starting or stopping/)
    }
    await appears(join(world.home, 'daemon.json'))
    const { pid } = JSON.parse(readFileSync(join(world.home, 'daemon.json'), 'utf8'))
    expect(children.filter(child => child.exitCode === null).map(child => child.pid)).toEqual([pid])
  })

  test('what a killed one left behind is in nobody’s way', async () => {
    const first = await world.serve()
    first.signal('SIGKILL')
    await first.end
    expect(await world.list(['threads'])).toEqual([])
    const second = await world.serve()
    expect(JSON.parse(readFileSync(join(world.home, 'daemon.json'), 'utf8'))).toMatchObject({
      pid: second.pid,
      url: second.url,
    })
  })
})

describe('a stop', () => {
  test('ends in order: exit 0, no daemon.json, running turns interrupted, queued ones kept', async () => {
    const { reached } = hold()
    const daemon = await world.serve()
    const reprise = world.connect(daemon)
    const thread = await reprise.threads.create({ workDir: world.workDir })
    const running = await thread.send('wait').submitted
    await reached()
    const queued = await thread.send('next').submitted
    daemon.signal('SIGTERM')
    expect((await daemon.end).code).toBe(0)
    expect(await world.here(['doctor'])).toMatchObject({
      out: expect.stringContaining('none runs'),
    })
    expect(world.agentProcesses()).toEqual([])
    expect((await world.json(['runs', 'show', running.runId])).status).toBe('interrupted')
    expect((await world.json(['runs', 'show', queued.runId])).status).toBe('queued')
    const again = world.connect(await world.serve())
    await eventually(async () => (await again.runs.get(queued.runId)).status === 'completed')
    await reprise.close()
  })

  test('with --drain, running turns may end by themselves', async () => {
    const { reached, release } = hold()
    const daemon = await world.serve(['--port', '0', '--drain', '60s'])
    const reprise = world.connect(daemon)
    const thread = await reprise.threads.create({ workDir: world.workDir })
    const { runId } = await thread.send('wait').submitted
    await reached()
    daemon.signal('SIGTERM')
    await eventually(async () => (await world.here(['doctor'])).out.includes('none runs'))
    release()
    expect((await daemon.end).code).toBe(0)
    expect((await world.json(['runs', 'show', runId])).status).toBe('completed')
    await reprise.close()
  })

  test('a second signal ends it at once; the next start puts things right', async () => {
    const { reached } = hold()
    const daemon = await world.serve(['--port', '0', '--drain', '10m'])
    const reprise = world.connect(daemon)
    const thread = await reprise.threads.create({ workDir: world.workDir })
    const { runId } = await thread.send('wait').submitted
    await reached()
    daemon.signal('SIGTERM')
    let isOver = false
    void daemon.end.then(() => {
      isOver = true
    })
    // Very close together, two are one request: asked until it counts as another.
    await eventually(() => {
      daemon.signal('SIGTERM')
      return isOver
    })
    expect((await daemon.end).code).toBe(5)
    const again = world.connect(await world.serve())
    expect((await again.runs.get(runId)).status).toBe('interrupted')
    await eventually(() => world.agentProcesses().length === 0)
    await reprise.close()
  })

  test('a stream of events ends with it, whole', async () => {
    const { reached } = hold()
    const daemon = await world.serve()
    const reprise = world.connect(daemon)
    const thread = await reprise.threads.create({ workDir: world.workDir })
    const { runId } = await thread.send('wait').submitted
    await reached()
    const stream = await world.request(daemon.url, `/api/runs/${runId}/events`)
    const text = stream.text()
    daemon.signal('SIGTERM')
    expect((await text).endsWith('\n\n')).toBe(true)
    expect((await daemon.end).code).toBe(0)
    await reprise.close()
  })
})

test('S22 nothing in the data directory is open to others, and no secret is in the log', async () => {
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  const thread = await reprise.threads.create({ workDir: world.workDir })
  await thread.send('a very private prompt', { instructions: 'be brief' }).result
  await world.request(daemon.url, '/api/nothing', { headers: { authorization: 'Bearer wrong' } })
  expect(await world.list(['threads'])).toHaveLength(1)
  expect(execFileSync('find', [world.home, '-perm', '/077'], { encoding: 'utf8' })).toBe(
    `${join(world.home, 'config.yaml')}\n`,
  )
  daemon.signal('SIGTERM')
  await daemon.end
  expect(world.log).toContain('"path":"/api/threads"')
  for (const secret of [world.token, 'very private', 'be brief', 'Bearer']) {
    expect(world.log).not.toContain(secret)
  }
  await reprise.close()
})
