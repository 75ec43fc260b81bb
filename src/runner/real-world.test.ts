import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isAlive, systemClock, systemFiles, systemRandom, thisProcess } from './real-world.ts'

const scratch = mkdtempSync(join(tmpdir(), 'reprise-world-'))
const file = join(scratch, 'file')
writeFileSync(file, '0123456789')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe('files', () => {
  test('a range of bytes, to the end, and over the end', async () => {
    const read = async (from?: number, to?: number) =>
      String(await systemFiles.read(file, from, to).then(bytes => Buffer.from(bytes ?? [])))
    expect(await read()).toBe('0123456789')
    expect(await read(3, 5)).toBe('34')
    expect(await read(8, 99)).toBe('89')
    expect(await read(50)).toBe('')
  })

  test('what is not there is null', async () => {
    for (const path of [join(scratch, 'none'), join(file, 'below'), 'a\0b']) {
      expect(await systemFiles.stat(path)).toBe(null)
      expect(await systemFiles.realpath(path)).toBe(null)
      expect(await systemFiles.list(path)).toBe(null)
      expect(await systemFiles.read(path)).toBe(null)
    }
  })

  test('a large file is read whole, and a pipe without a writer does not block', async () => {
    const large = join(scratch, 'large')
    writeFileSync(large, Buffer.alloc(3_000_001, 'x'))
    expect((await systemFiles.read(large))?.length).toBe(3_000_001)
    const pipe = join(scratch, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(await systemFiles.stat(pipe)).toMatchObject({ kind: 'other' })
    expect((await systemFiles.read(pipe))?.length).toBe(0)
    for (const path of [large, pipe]) rmSync(path)
  })

  test('kind and size', async () => {
    expect(await systemFiles.stat(file)).toMatchObject({ kind: 'file', sizeBytes: 10 })
    expect(await systemFiles.stat(scratch)).toMatchObject({ kind: 'directory' })
    expect(await systemFiles.list(scratch)).toEqual(['file'])
  })
})

describe('clock and randomness', () => {
  test('an aborted sleep resolves at once, also when it was aborted before', async () => {
    const over = new AbortController()
    const slept = systemClock.sleep(3_600_000, over.signal)
    over.abort()
    await slept
    await systemClock.sleep(3_600_000, over.signal)
  })

  test('ids have their prefix and 16 letters or digits, and differ', () => {
    const ids = Array.from({ length: 1_000 }, () => systemRandom.id('run'))
    expect(ids.every(id => /^run_[a-z2-7]{16}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(1_000)
  })

  test('uuids are of version 4, and differ', () => {
    const uuids = Array.from({ length: 1_000 }, () => systemRandom.uuid())
    const v4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    expect(uuids.filter(uuid => !v4.test(uuid))).toEqual([])
    expect(new Set(uuids).size).toBe(1_000)
  })
})

describe('owners', () => {
  test('this process is alive; the same pid with another start time is dead; on another host it is unknown', () => {
    const us = thisProcess()
    expect(isAlive(us)).toBe(true)
    expect(isAlive({ ...us, startTime: '1@00000000' })).toBe(false)
    expect(isAlive({ ...us, host: 'elsewhere' })).toBe(null)
  })

  test('the host id decides, not the name of the machine', () => {
    const us = thisProcess('build-1')
    expect(us).toMatchObject({ host: 'build-1', pid: process.pid })
    expect(isAlive(us, 'build-1')).toBe(true)
    expect(isAlive(us, 'build-2')).toBe(null)
    expect(isAlive(us)).toBe(null)
    expect(isAlive(thisProcess(), 'build-1')).toBe(null)
  })

  test('a process that ended but was not waited for is dead', async () => {
    // The outer shell becomes a program that never waits for its child.
    const outer = spawn('/bin/sh', ['-c', 'sh -c exit & echo $!; exec sleep 300'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pid = Number(String((await outer.stdout.take(1).toArray())[0]))
    const us = thisProcess()
    await expect.poll(() => isAlive({ ...us, pid }), { timeout: 5_000 }).toBe(false)
    outer.kill('SIGKILL')
  })
})
