import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { connectReprise } from '../../../src/client/connect.ts'
import { type ServeWorld, useDaemon, useServeWorlds } from './serve-world.ts'

let world: ServeWorld
const take = (opened: ServeWorld) => {
  world = opened
}

const socket = () => join(world.home, 'daemon.sock')

function ask(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ socketPath: socket(), path, headers }, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

/** Addresses, in the kernel's hex, that a process listens on. */
function listeners(pid: number): readonly string[] {
  const own = readdirSync(`/proc/${pid}/fd`).map(fd => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return '' // Closed meanwhile.
    }
  })
  return ['tcp', 'tcp6'].flatMap(kind =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map(line => line.trim().split(/\s+/))
      .filter(
        ([, , , state, , , , , , inode]) => state === '0A' && own.includes(`socket:[${inode}]`),
      )
      .map(([, address = '']) => address.split(':')[0] ?? ''),
  )
}

describe('the socket', () => {
  const daemon = useDaemon(take)

  test('S1 is in the data directory, and the daemon listens nowhere off loopback', async () => {
    const { pid } = daemon()
    expect(statSync(socket()).mode & 0o777).toBe(0o600)
    expect(statSync(world.home).mode & 0o777).toBe(0o700)
    expect(listeners(pid)).toEqual(['0100007F'])
  })

  test('S1 is what the verbs of the CLI use', async () => {
    await world.json(['send', 'hello'])
    const lines = world.log.split('\n').filter(line => line.includes('/turns'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ via: 'socket', status: 202 })
  })

  test('S1 another user cannot even connect', async () => {
    // What stands around it is open, so that its own doors count, each by itself.
    chmodSync(world.root, 0o755)
    expect(await connectAs(65_534)).toBe(isRoot ? 'EACCES' : 'connected')
    chmodSync(world.home, 0o755)
    expect(await connectAs(65_534)).toBe(isRoot ? 'EACCES' : 'connected')
    expect(await connectAs(null)).toBe('connected')
    chmodSync(world.home, 0o700)
  })

  test('S4 still wants the token, and no page', async () => {
    const authorization = `Bearer ${world.token}`
    expect(await ask('/health')).toBe(200)
    expect(await ask('/api/threads')).toBe(401)
    expect(await ask('/api/threads', { authorization })).toBe(200)
    expect(await ask('/api/threads', { authorization, host: 'anything' })).toBe(200)
    expect(await ask('/api/threads', { authorization, origin: 'http://evil.test' })).toBe(403)
  })

  test('S8 a daemon that does not know the token never gets it', async () => {
    const { url } = daemon()
    const stranger = connectReprise({ url, token: 'x'.repeat(43), socket: socket() })
    await expect(stranger.connected()).rejects.toThrow(/does not know the token/)
    const friend = connectReprise({ url: 'http://reprise', token: world.token, socket: socket() })
    expect(await friend.threads.list()).toBeInstanceOf(Array)
  })
})

describe('the socket of a daemon that is over', () => {
  useServeWorlds(take)

  test('a killed daemon’s is replaced, a stopped daemon’s is gone', async () => {
    const first = await world.serve()
    first.signal('SIGKILL')
    await first.end
    expect(existsSync(socket())).toBe(true)
    const second = await world.serve()
    expect(await ask('/health')).toBe(200)
    second.signal('SIGTERM')
    await second.end
    expect(existsSync(socket())).toBe(false)
  })
})

const isRoot = process.getuid?.() === 0

/** Only root can become another user; any other user asks as itself. */
async function connectAs(uid: number | null): Promise<string> {
  const become =
    isRoot && uid !== null
      ? `process.setgroups([]);process.setgid(${uid});process.setuid(${uid});`
      : ''
  const program = `const net = require('node:net');${become}
    net.connect(process.env.SOCKET, () => { console.log('connected'); process.exit() })
      .on('error', error => console.log(error.code))`
  const env = { ...process.env, SOCKET: socket() }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { env })
  return stdout.trim()
}
