import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type DaemonFile,
  daemonFilePath,
  readDaemonFile,
  removeDaemonFile,
  writeDaemonFile,
} from './daemon-file.ts'
import { findDaemon } from './find-daemon.ts'
import { openLog } from './log.ts'
import { lockInstance } from './single-instance.ts'
import { socketPath } from './socket.ts'
import { readOrCreateToken, readToken, tokenPath } from './token.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-life-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const daemon: DaemonFile = {
  host: 'here',
  pid: 7,
  startTime: '100@boot',
  startedAt: 1,
  url: 'http://127.0.0.1:1',
  socket: null,
  version: '1.0.0',
  logTo: 'file',
  stopping: null,
}

test('S1 a data directory too deep for the name of a socket does without', () => {
  expect(socketPath('/data')).toBe('/data/daemon.sock')
  expect(socketPath(`/${'ü'.repeat(50)}`)).toBeNull()
})

describe('the token', () => {
  test('S6 is made once, for its owner alone, and read again', () => {
    expect(readToken(home)).toBeNull()
    const token = readOrCreateToken(home)
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(statSync(tokenPath(home)).mode & 0o777).toBe(0o600)
    expect([readToken(home), readOrCreateToken(home)]).toEqual([token, token])
  })

  test('is another in another directory', () => {
    const other = mkdtempSync(join(tmpdir(), 'reprise-life-'))
    expect(readOrCreateToken(other)).not.toBe(readOrCreateToken(home))
    rmSync(other, { recursive: true })
  })

  test.each([
    ['open to its group', () => chmodSync(tokenPath(home), 0o640)],
    ['a link', () => [rmSync(tokenPath(home)), symlinkSync(join(home, 'x'), tokenPath(home))]],
    ['a directory', () => [rmSync(tokenPath(home)), mkdirSync(tokenPath(home))]],
    ['cut off', () => writeFileSync(tokenPath(home), 'abc')],
  ])('S6 is refused when it is %s', (_, spoil) => {
    readOrCreateToken(home)
    spoil()
    for (const use of [readToken, readOrCreateToken]) {
      expect(() => use(home)).toThrow(expect.objectContaining({ code: 'bad-config' }))
    }
  })
})

describe('daemon.json', () => {
  test('is whole at every moment, private, and leaves nothing beside it', () => {
    writeDaemonFile(home, daemon)
    writeDaemonFile(home, { ...daemon, pid: 8 })
    expect(readDaemonFile(home)).toEqual({ ...daemon, pid: 8 })
    expect(statSync(daemonFilePath(home)).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(['daemon.json'])
  })

  test('is removed only by the daemon that wrote it', () => {
    writeDaemonFile(home, daemon)
    removeDaemonFile(home, { ...daemon, startTime: '200@boot' })
    expect(readDaemonFile(home)).toEqual(daemon)
    removeDaemonFile(home, daemon)
    expect(readDaemonFile(home)).toBeNull()
  })

  test.each(['', '{', 'null', '[]', '{"pid":1}', JSON.stringify({ ...daemon, pid: 'x' })])(
    'is no daemon when it holds %j',
    text => {
      writeFileSync(daemonFilePath(home), text, { mode: 0o600 })
      expect(readDaemonFile(home)).toBeNull()
    },
  )

  test('is no daemon when others could have written it, or when its process is gone', () => {
    writeDaemonFile(home, daemon)
    expect(findDaemon(home, () => true)).toEqual(daemon)
    expect(findDaemon(home, () => false)).toBeNull()
    expect(findDaemon(home, () => null)).toBeNull()
    chmodSync(daemonFilePath(home), 0o666)
    expect(findDaemon(home, () => true)).toBeNull()
  })
})

describe('the lock', () => {
  test('is held by one at a time, and free again when released', () => {
    const lock = lockInstance(home)
    expect(() => lockInstance(home)).toThrow(/is starting or stopping/)
    writeDaemonFile(home, daemon)
    expect(() => lockInstance(home)).toThrow(
      expect.objectContaining({ code: 'conflict', hint: expect.stringContaining('reprise stop') }),
    )
    lock.release()
    lockInstance(home).release()
    expect(statSync(join(home, 'daemon.lock')).mode & 0o077).toBe(0)
  })
})

describe('the log', () => {
  test('S7 hides secrets and what people write, at every depth it is given', () => {
    const log = openLog(home, 'file')
    const hidden = { authorization: 'Bearer a', token: 'b', prompt: 'c', text: 'd' }
    log.logger.info({ ...hidden, request: { headers: hidden, body: 'e' }, status: 200 }, 'asked')
    log.close()
    const line = JSON.parse(readFileSync(join(home, 'logs', 'daemon.log'), 'utf8'))
    expect(line).toMatchObject({ status: 200, msg: 'asked', token: '[redacted]' })
    expect(line.request).toEqual({
      headers: Object.fromEntries(Object.keys(hidden).map(name => [name, '[redacted]'])),
      body: '[redacted]',
    })
    expect(statSync(join(home, 'logs')).mode & 0o077).toBe(0)
  })

  test('begins anew when it has grown long, and keeps the one before', () => {
    mkdirSync(join(home, 'logs'))
    writeFileSync(join(home, 'logs', 'daemon.log'), 'x'.repeat(11 * 1024 * 1024))
    openLog(home, 'file').close()
    expect(statSync(join(home, 'logs', 'daemon.log')).size).toBe(0)
    expect(readdirSync(join(home, 'logs'))).toEqual(['daemon.log', 'daemon.log.1'])
  })
})
