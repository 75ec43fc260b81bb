import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import type { KillReason } from '../core/run/run.ts'
import type { Clock } from '../core/world.ts'
import { systemRandom } from './real-world.ts'
import { type AgentProcess, DEFAULT_LIMITS, type Line, type ProcessLimits } from './runner.ts'
import { createRunner } from './start.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-turns-')))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const LIMITS: ProcessLimits = { ...DEFAULT_LIMITS, firstEventMs: 1_000, silenceMs: 1_000 }

/** Time passes only when the test says so. */
function createClock() {
  let now = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const sleeper = { at: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          resolve()
        })
      }),
  }
  const advance = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now = Math.min(end, now + 500)
      for (const sleeper of [...sleepers].filter(({ at }) => at <= now)) {
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await setImmediate()
    }
  }
  return { clock, advance }
}

/** An agent that answers each line with the same line. */
const ECHO = 'while read -r line; do echo "got $line"; done'

async function start(script: string, clock: Clock, workDir = scratch) {
  const process = await createRunner({ clock }).start(
    {
      file: '/bin/sh',
      args: ['-c', script],
      env: { PATH: '/usr/bin:/bin' },
      workDir,
      stdin: Buffer.from('one\n'),
      keepsInputOpen: true,
    },
    systemRandom.id('run'),
    LIMITS,
  )
  const lines = process.lines[Symbol.asyncIterator]()
  return { process, turns: turnsOf(process), line: async () => textOf(await lines.next()) }
}

const textOf = ({ done, value }: IteratorResult<Line>) =>
  done ? null : value.kind === 'line' ? value.text : value.head

function turnsOf({ turns }: AgentProcess) {
  if (turns) return turns
  throw new Error('the runner cannot keep a process')
}

describe('W-1 a process that takes several turns', () => {
  test('rests as long as it likes; its next turn has limits and a recorder of its own', async () => {
    const { clock, advance } = createClock()
    const { process, turns, line } = await start(ECHO, clock)
    expect(await line()).toBe('got one')
    turns.rest()
    await advance(10 * LIMITS.totalMs)
    const recorded: KillReason[] = []
    turns.begin(LIMITS, async reason => void recorded.push(reason))
    process.write('two\n')
    expect(await line()).toBe('got two')
    expect(recorded).toEqual([])
    await advance(LIMITS.silenceMs)
    const { endedBy } = await process.exit
    expect([endedBy, recorded]).toEqual(['silent', ['silent']])
  })

  test('ends when its input ends', async () => {
    const { process, turns, line } = await start(ECHO, createClock().clock)
    await line()
    turns.rest()
    process.endInput()
    expect(await process.exit).toMatchObject({ code: 0, endedBy: null })
    expect(turns.look()).toBeNull()
  })

  test('shows what lives of it: other processes, memory, the directory', async () => {
    const clock = createClock().clock
    const alone = await start(ECHO, clock)
    await alone.line()
    const look = alone.turns.look()
    expect(look).toMatchObject({ others: 0, workDir: scratch })
    expect(look?.memoryBytes).toBeGreaterThan(100_000)
    alone.process.endInput()
    await alone.process.exit

    const left = await start(`sleep 60 </dev/null >/dev/null 2>&1 & ${ECHO}`, clock)
    await left.line()
    expect(left.turns.look()).toMatchObject({ others: 1 })
    left.process.endInput()
    await left.process.exit
  })

  test('a quick look sees a process that began after the agent had answered', async () => {
    const script = `read -r line; echo "got $line"; read -r line; sleep 60 </dev/null >/dev/null 2>&1 & echo left; ${ECHO}`
    const { process, turns, line } = await start(script, createClock().clock)
    await line()
    process.answerSeen()
    await setImmediate()
    expect(turns.look('quickly')).toMatchObject({ others: 0, workDir: scratch })
    process.write('two\n')
    expect(await line()).toBe('left')
    expect([turns.look('quickly')?.others, turns.look()?.others]).toEqual([1, 1])
    process.endInput()
    await process.exit
  })

  test('shows that its directory was moved away or removed', async () => {
    const place = join(scratch, 'place')
    mkdirSync(place)
    const { process, turns, line } = await start(ECHO, createClock().clock, place)
    await line()
    renameSync(place, join(scratch, 'other'))
    expect(turns.look()?.workDir).toBe(join(scratch, 'other'))
    rmSync(join(scratch, 'other'), { recursive: true })
    expect(turns.look()?.workDir).not.toBe(place)
    process.endInput()
    await process.exit
  })
})
