import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { listPids, readProcess } from './proc.ts'
import { findTree } from './process-tree.ts'
import { systemRandom } from './real-world.ts'
import { startWatcher } from './watcher.ts'

const SUPERVISOR = fileURLToPath(new URL('fixtures/supervisor.mjs', import.meta.url))

// A child, one in its own session that ignores SIGTERM, an orphan of a double fork, and one without the marker.
const TREE = `
sleep 300 & a=$!
setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & b=$!
(setsid sleep 300 &)
env -i setsid sleep 300 & c=$!
echo "$a $b $c"
wait`

/** Tries again until it holds, bounded. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 })

type Supervisor = ReturnType<typeof supervise>

function supervise(marker: string, script = TREE) {
  return spawn(process.execPath, [SUPERVISOR, marker, script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Kills the supervisor with SIGKILL as soon as it has printed a line that fits; gives that line. */
async function killAt(supervisor: Supervisor, fits: RegExp): Promise<string> {
  for await (const line of createInterface({ input: supervisor.stdout })) {
    if (!fits.test(line)) continue
    supervisor.kill('SIGKILL')
    return line
  }
  throw new Error(`the supervisor ended before ${fits}`)
}

const isGone = (pid: number) => readProcess(pid) === null
const leftOf = (marker: string) => findTree({ marker, root: null }).length
const watchersOf = (marker: string) => listPids().filter(pid => isWatcher(pid, marker)).length

function isWatcher(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0sh\0${marker}\0`)
  } catch {
    return false // It ended in the meantime.
  }
}

describe('watcher', () => {
  test.concurrent.each([1, 2, 3, 4, 5])(
    'U-3 kill -9 of Reprise leaves nothing of a run (%i)',
    async () => {
      const marker = systemRandom.id('run')
      const line = await killAt(supervise(marker), /^\d+ \d+ \d+$/)
      const pids = line.split(' ').map(Number)
      await eventually(() => expect(leftOf(marker)).toBe(0))
      await eventually(() => expect(pids.every(isGone)).toBe(true))
    },
  )

  test.concurrent.each([1, 2, 3, 4, 5])(
    'U-3 kill -9 in the moment the agent is started leaves nothing either (%i)',
    async () => {
      const marker = systemRandom.id('run')
      await killAt(supervise(marker), /^starting$/)
      await eventually(() => expect(watchersOf(marker)).toBe(0))
      expect(leftOf(marker)).toBe(0)
    },
  )

  test('after the run neither watcher nor watchdogs keep Reprise from ending', async () => {
    const marker = systemRandom.id('run')
    const supervisor = supervise(marker, 'echo hello')
    const [code] = await once(supervisor, 'exit')
    expect(code).toBe(0)
    await eventually(() => expect(watchersOf(marker)).toBe(0))
  })

  test('a released watcher ends and touches nothing', async () => {
    const marker = systemRandom.id('run')
    const bystander = spawn('/bin/sleep', ['300'], {
      env: { REPRISE_RUN_ID: marker },
      stdio: 'ignore',
    })
    const watcher = startWatcher(marker)
    expect(watchersOf(marker)).toBe(1)
    watcher.release()
    await eventually(() => expect(watchersOf(marker)).toBe(0))
    expect(leftOf(marker)).toBe(1)
    bystander.kill('SIGKILL')
  })
})
