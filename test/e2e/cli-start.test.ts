import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

/** Writes down which of Node's own modules are loaded whenever a process is started. */
const LIST_AT_SPAWN = `
  const { appendFileSync } = require('node:fs')
  const childProcess = require('node:child_process')
  const { spawn } = childProcess
  childProcess.spawn = (...command) => {
    appendFileSync(process.env.LOADED, process.moduleLoadList.join('\\n') + '\\n')
    return spawn(...command)
  }
`

/** What takes long to load and is needed after the agent's start at the earliest, or not at all. */
const TOO_EARLY = ['crypto', 'perf_hooks', 'zlib', 'process', 'http', 'readline', 'worker_threads']

test('a turn that goes on reaches its agent before modules are loaded that take long', async () => {
  const { threadId } = await world.json(['send', 'one'])
  const preload = world.path('list-at-spawn.cjs')
  const list = world.path('loaded')
  writeFileSync(preload, LIST_AT_SPAWN)
  const env = { NODE_OPTIONS: `--require ${preload}`, LOADED: list }
  await world.json(['send', '-t', threadId, 'two'], { env })
  const loaded = new Set(readFileSync(list, 'utf8').split('\n'))
  expect(loaded).toContain('NativeModule child_process')
  expect(TOO_EARLY.filter(name => loaded.has(`NativeModule ${name}`))).toEqual([])
})
