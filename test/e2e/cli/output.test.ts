import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BIN, CliWorld } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

test('U-1 a reader that is slow gets all of it, also what a pipe cannot take at once', async () => {
  const long = 'x'.repeat(300_000)
  const { threadId } = await world.json(['send', '-'], { stdin: long })
  const command = `"${process.execPath}" "${BIN}" threads show ${threadId} --json | (sleep 0.5; wc -c)`
  const child = spawn('/bin/sh', ['-c', command], {
    env: { PATH: process.env.PATH, HOME: world.root, REPRISE_HOME: world.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = (await child.stdout.toArray()).join('')
  expect(Number(printed)).toBeGreaterThan(300_000)
})

test('U-4 a data directory that cannot be made is an error, not an endless try', async () => {
  const { code, err } = await world.run(['threads'], { env: { REPRISE_HOME: '/proc/reprise' } })
  expect(code).toBe(2)
  expect(err).toContain('/proc/reprise')
})

test('U-4 an unknown cursor or thread is not an empty list', async () => {
  await world.json(['send', 'one'])
  expect((await world.here(['threads', 'ls', '--cursor', 'thr_none'])).code).toBe(2)
  expect((await world.here(['runs', 'ls', '--cursor', 'run_none'])).code).toBe(2)
  expect((await world.here(['runs', 'ls', '-t', 'thr_none'])).code).toBe(3)
})

test('doctor looks, and makes no store', async () => {
  await world.run(['doctor'])
  expect(existsSync(world.storeFile)).toBe(false)
})
