import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { listPids, readProcess } from './proc.ts'
import { findTree } from './process-tree.ts'
import { systemRandom } from './real-world.ts'
import { createWatcher } from './watcher.ts'

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
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 })

type Supervisor = ReturnType<typeof supervise>

/** `earlier`: the marker of an earlier run, which another process carries after that run. */
function supervise(marker: string, script = TREE, ...earlier: readonly string[]) {
  return spawn(process.execPath, [SUPERVISOR, marker, script, ...earlier], {
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
const watchersOf = (reprise: number | undefined) =>
  listPids().filter(pid => isWatcher(pid, reprise ?? 0)).length

function isWatcher(pid: number, reprise: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return words.includes(`\0reprise-watcher\0${reprise}\0`)
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
      const supervisor = supervise(marker)
      await killAt(supervisor, /^starting$/)
      await eventually(() => expect(watchersOf(supervisor.pid)).toBe(0))
      expect(leftOf(marker)).toBe(0)
    },
  )

  test('after the run neither watcher nor watchdogs keep Reprise from ending', async () => {
    const marker = systemRandom.id('run')
    const supervisor = supervise(marker, 'echo hello')
    const [code] = await once(supervisor, 'exit')
    expect(code).toBe(0)
    await eventually(() => expect(watchersOf(supervisor.pid)).toBe(0))
  })

  test('one watcher serves all runs: it leaves finished runs alone and ends the others', async () => {
    const [done, going] = [systemRandom.id('run'), systemRandom.id('run')]
    const supervisor = supervise(going, TREE, done)
    const line = await killAt(supervisor, /^\d+ \d+ \d+$/)
    await eventually(() => expect(line.split(' ').map(Number).every(isGone)).toBe(true))
    await eventually(() => expect(watchersOf(supervisor.pid)).toBe(0))
    expect(leftOf(going)).toBe(0)
    const bystanders = findTree({ marker: done, root: null })
    expect(bystanders).toHaveLength(1)
    for (const { pid } of bystanders) process.kill(pid, 'SIGKILL')
  })

  test('a watcher that somebody killed is replaced with the next run', async () => {
    const watcher = createWatcher()
    const before = watchersOf(process.pid)
    watcher.watch(systemRandom.id('run')).release()
    expect(watchersOf(process.pid)).toBe(before + 1)
    for (const pid of listPids()) if (isWatcher(pid, process.pid)) process.kill(pid, 'SIGKILL')
    await eventually(() => expect(watchersOf(process.pid)).toBe(0))
    await eventually(() => {
      watcher.watch(systemRandom.id('run')).release()
      expect(watchersOf(process.pid)).toBe(1)
    })
  })
})
