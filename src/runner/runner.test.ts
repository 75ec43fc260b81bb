import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Clock } from '../core/world.ts'
import { readProcess, readStartTime } from './proc.ts'
import { findTree, signalProcesses } from './process-tree.ts'
import { systemClock, systemRandom } from './real-world.ts'
import { type AgentProcess, DEFAULT_LIMITS, type Line, type ProcessLimits } from './runner.ts'
import { createRunner } from './start.ts'

const runner = createRunner()
const scratch = mkdtempSync(join(tmpdir(), 'reprise-runner-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const QUICK: ProcessLimits = {
  ...DEFAULT_LIMITS,
  drainMs: 100,
  interruptGraceMs: 100,
  terminateGraceMs: 200,
}
const NO_INPUT = new Uint8Array()
const PATH = process.env.PATH ?? '/usr/bin:/bin'

type Started = { readonly marker: string; readonly agent: AgentProcess }

/** A tiny agent as a shell script. */
async function start(
  script: string,
  limits: Partial<ProcessLimits> = {},
  stdin = '',
): Promise<Started> {
  const marker = systemRandom.id('run')
  const agent = await runner.start(
    {
      file: '/bin/sh',
      args: ['-c', script],
      env: { PATH },
      workDir: scratch,
      stdin: Buffer.from(stdin),
    },
    marker,
    { ...QUICK, ...limits },
  )
  return { marker, agent }
}

async function textOf(agent: AgentProcess): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const line of agent.lines) texts.push(line.kind === 'line' ? line.text : line.head)
  return texts
}

async function firstLine(agent: AgentProcess): Promise<string> {
  const { value } = await agent.lines[Symbol.asyncIterator]().next()
  return value.text
}

/** Polls until the condition holds, bounded. */
const eventually = (condition: () => unknown) =>
  expect.poll(condition, { timeout: 10_000, interval: 10 })
function blockLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const isGone = (pid: number) => readProcess(pid) === null
const leftOf = (marker: string) => findTree({ marker, root: null }).length

/** Keeps the event loop so busy that the drain timer fires before Node reads the pipe. */
const lateLoop: Clock = {
  ...systemClock,
  sleep: (ms, signal) => (ms === QUICK.drainMs ? Promise.resolve() : systemClock.sleep(ms, signal)),
}

describe('a normal run', () => {
  test('gives stdin to the agent, its lines to the reader and its exit at the end', async () => {
    const { agent } = await start('cat; echo oops >&2; exit 3', {}, 'one\ntwo\n')
    expect(await textOf(agent)).toEqual(['one', 'two'])
    expect(await agent.exit).toEqual({
      code: 3,
      signal: null,
      endedBy: null,
      stderr: 'oops\n',
      outputCut: false,
    })
  })

  test('the agent gets the given environment and the marker, nothing else', async () => {
    const marker = systemRandom.id('run')
    const agent = await runner.start(
      {
        file: process.execPath,
        args: ['-p', 'JSON.stringify(process.env)'],
        env: { ONLY: 'this' },
        workDir: scratch,
        stdin: new Uint8Array(),
      },
      marker,
      QUICK,
    )
    expect(JSON.parse((await textOf(agent)).join(''))).toEqual({
      ONLY: 'this',
      REPRISE_RUN_ID: marker,
    })
  })

  test('S11 what a shell would run stays text in an argument, a variable, the work dir and the input', async () => {
    const hostile = '; touch harm $(touch harm) `touch harm`\n"&| touch harm #'
    const workDir = join(scratch, `hostile ${hostile}`.replaceAll('/', ''))
    mkdirSync(workDir)
    const seen = '[process.argv[1], process.env.HOSTILE, process.cwd(), input]'
    const program = `const input = require('node:fs').readFileSync(0, 'utf8'); console.log(JSON.stringify(${seen}))`
    const agent = await runner.start(
      {
        file: process.execPath,
        args: ['-e', program, hostile],
        env: { HOSTILE: hostile },
        workDir,
        stdin: Buffer.from(hostile),
      },
      systemRandom.id('run'),
      QUICK,
    )
    const [line = ''] = await textOf(agent)
    expect(JSON.parse(line)).toEqual([hostile, hostile, workDir, hostile])
    expect([...readdirSync(scratch), ...readdirSync(workDir)]).not.toContain('harm')
  })

  test('U-3 what an agent printed before it ended is read, however busy the loop is', async () => {
    const busy = createRunner({ clock: lateLoop })
    const args = ['-c', 'echo 2.1.325; echo oops >&2']
    const command = { file: '/bin/sh', args, env: { PATH }, workDir: scratch, stdin: NO_INPUT }
    const agents = await Promise.all(
      Array.from({ length: 20 }, () => busy.start(command, systemRandom.id('run'), QUICK)),
    )
    // All of them end while nothing is read.
    blockLoop(300)
    for (const agent of agents) {
      expect(await textOf(agent)).toEqual(['2.1.325'])
      expect(await agent.exit).toMatchObject({ code: 0, stderr: 'oops\n', outputCut: false })
    }
  })

  test('a signal of another process is reported', async () => {
    const { agent } = await start('kill -9 $$')
    expect(await agent.exit).toMatchObject({ code: null, signal: 'SIGKILL', endedBy: null })
  })

  test('U-3 an agent that closes stdin early does not fail the run', async () => {
    const { agent } = await start('exec 0<&-; echo done', {}, 'x'.repeat(5_000_000))
    expect(await textOf(agent)).toEqual(['done'])
    expect((await agent.exit).code).toBe(0)
  })

  test('5 MB of stdin arrive whole', async () => {
    const { agent } = await start('wc -c', {}, 'x'.repeat(5_000_000))
    expect((await textOf(agent)).map(Number)).toEqual([5_000_000])
  })

  test('stderr keeps its last 64 kB', async () => {
    const { agent } = await start('head -c 300000 /dev/zero | tr "\\0" x >&2; echo end >&2')
    const { stderr } = await agent.exit
    expect(stderr).toHaveLength(65_536)
    expect(stderr.endsWith('xend\n')).toBe(true)
  })

  test('a character split over two writes stays whole, a broken one becomes U+FFFD', async () => {
    const { agent } = await start(
      "printf 'a\\360\\237'; sleep 0.05; printf '\\230\\200b\\n\\360\\237\\nc\\n'",
    )
    expect(await textOf(agent)).toEqual(['a😀b', '\uFFFD', 'c'])
  })
})

describe('output is bounded', () => {
  test('U-3 a line of 50 MB is one oversized line between its neighbours', async () => {
    const { agent } = await start('echo a; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo b')
    const lines: Line[] = []
    for await (const line of agent.lines) lines.push(line)
    expect(lines).toEqual([
      { kind: 'line', text: 'a' },
      { kind: 'oversized', head: 'x'.repeat(4096), bytes: 50_000_000 },
      { kind: 'line', text: 'b' },
    ])
  })

  test('a flood is read at the pace of its reader, and nothing is lost', async () => {
    const { agent } = await start('seq 1 300000')
    let count = 0
    for await (const line of agent.lines) {
      count += 1
      if (line.kind !== 'line' || line.text !== String(count)) throw new Error(`line ${count}`)
      if (count % 20_000 === 0) await new Promise(resolve => setTimeout(resolve, 1))
    }
    expect(count).toBe(300_000)
  })

  test('output that is still in the pipe at the exit is read without a reader', async () => {
    const { agent } = await start('seq 1 20000')
    expect((await agent.exit).code).toBe(0)
  })

  test('a reader that leaves early does not block the agent', async () => {
    const { agent } = await start('seq 1 300000')
    for await (const _ of agent.lines) break
    expect((await agent.exit).code).toBe(0)
  })

  test('U-3 S28 too much output ends the run as output-limit', async () => {
    const { agent, marker } = await start('yes', { maxOutputBytes: 1_000_000 })
    for await (const _ of agent.lines);
    expect((await agent.exit).endedBy).toBe('output-limit')
    expect(leftOf(marker)).toBe(0)
  })
})

describe('nothing of a run outlives it', () => {
  test('U-3 a grandchild that holds stdout after the exit is cut off and ended', async () => {
    const { agent } = await start('sleep 300 & echo $!')
    const [pid] = await textOf(agent)
    expect(await agent.exit).toMatchObject({ code: 0, endedBy: null, outputCut: true })
    expect(isGone(Number(pid))).toBe(true)
  })

  test('U-3 a grandchild in a session of its own, without a parent, is ended', async () => {
    const { agent, marker } = await start(
      '(setsid sh -c \'trap "" TERM; echo $$; exec >/dev/null 2>&1; sleep 300; :\' &) ; sleep 0.1',
    )
    const [pid] = await textOf(agent)
    expect(await agent.exit).toMatchObject({ code: 0, outputCut: false })
    expect(isGone(Number(pid))).toBe(true)
    expect(leftOf(marker)).toBe(0)
  })

  test('U-3 a child without the marker is found by its parent', async () => {
    const { agent } = await start('env -i setsid sleep 300 & echo $!; wait')
    const pid = Number(await firstLine(agent))
    await eventually(() => readProcess(pid)?.session).toBe(pid)
    await agent.stop('cancelled')
    expect(isGone(pid)).toBe(true)
  })

  test('U-3 endLeftovers ends the processes that a dead supervisor left, and counts them', async () => {
    const marker = systemRandom.id('run')
    const left = spawn('/bin/sh', ['-c', 'sleep 300 & sleep 300 & wait'], {
      env: { PATH, REPRISE_RUN_ID: marker },
      detached: true,
      stdio: 'ignore',
    })
    await eventually(() => leftOf(marker)).toBe(3)
    expect(await runner.endLeftovers(marker)).toBe(3)
    expect(leftOf(marker)).toBe(0)
    expect(left.pid !== undefined && isGone(left.pid)).toBe(true)
    expect(await runner.endLeftovers(marker)).toBe(0)
  })

  test('U-3 a reused pid gets no signal', async () => {
    const stranger = spawn('/bin/sleep', ['300'], { stdio: 'ignore' })
    const ended = once(stranger, 'exit')
    const pid = stranger.pid ?? 0
    signalProcesses([{ pid, startTime: '1' }], 'SIGKILL')
    signalProcesses([{ pid, startTime: readStartTime(pid) }], 'SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
  })

  test('a process whose environment only resembles the marker is not found', async () => {
    const marker = systemRandom.id('run')
    const stranger = spawn('/bin/sleep', ['300'], {
      env: { REPRISE_RUN_ID: `${marker}x`, XREPRISE_RUN_ID: marker },
      stdio: 'ignore',
    })
    expect(leftOf(marker)).toBe(0)
    stranger.kill('SIGKILL')
  })
})

describe('stop', () => {
  test('the reason is recorded before the first signal, and the first reason stays', async () => {
    const { agent } = await start('trap "exit 0" INT; echo $$; while :; do sleep 0.01; done', {
      interruptGraceMs: DEFAULT_LIMITS.interruptGraceMs,
    })
    const pid = Number(await firstLine(agent))
    let wasAlive = false
    const record = async () => {
      wasAlive = !isGone(pid)
    }
    const first = agent.stop('cancelled', record)
    const second = agent.stop('shutdown', async () => Promise.reject(new Error('not called')))
    await Promise.all([first, second])
    expect(wasAlive).toBe(true)
    expect(await agent.exit).toMatchObject({ code: 0, endedBy: 'cancelled' })
  })

  test('a failed record is reported, and the agent is ended all the same', async () => {
    const { agent, marker } = await start('echo up; sleep 300')
    await firstLine(agent)
    const stopped = agent.stop('cancelled', () => Promise.reject(new Error('disk full')))
    await expect(stopped).rejects.toThrow('disk full')
    expect(leftOf(marker)).toBe(0)
  })

  test('U-3 an agent that ignores interrupt and terminate is killed with its tree', async () => {
    const { agent, marker } = await start(
      'trap "" INT TERM; setsid sh -c \'trap "" INT TERM; echo up; while :; do sleep 1; done\'',
    )
    await firstLine(agent)
    await agent.stop('cancelled')
    expect(await agent.exit).toMatchObject({ signal: 'SIGKILL', endedBy: 'cancelled' })
    expect(leftOf(marker)).toBe(0)
  })

  test('an agent that waits for a slow reader can be stopped', async () => {
    const { agent, marker } = await start('yes', {})
    await firstLine(agent)
    await agent.stop('cancelled')
    expect(leftOf(marker)).toBe(0)
  })

  test('a stop after a natural end changes nothing', async () => {
    const { agent } = await start('exit 0')
    await agent.exit
    await agent.stop('cancelled')
    expect((await agent.exit).endedBy).toBe(null)
  })

  test.each([
    ['no-first-event', 'sleep 300', { firstEventMs: 20 }],
    ['silent', 'echo hello; sleep 300', { silenceMs: 20 }],
    ['too-slow', 'while :; do echo tick; sleep 0.01; done', { totalMs: 50 }],
  ] as const)('U-3 S28 the watchdog %s ends the run', async (reason, script, limits) => {
    const { agent, marker } = await start(script, limits)
    for await (const _ of agent.lines);
    expect((await agent.exit).endedBy).toBe(reason)
    expect(leftOf(marker)).toBe(0)
  })

  test('an agent that hangs after its result is ended, and what it said stays', async () => {
    const { agent } = await start('echo result; sleep 300', { afterResultMs: 20 })
    const texts: string[] = []
    for await (const line of agent.lines) {
      texts.push(line.kind)
      agent.resultSeen()
    }
    expect(texts).toEqual(['line'])
    expect((await agent.exit).endedBy).toBe('hung-after-result')
  })

  test('a watchdog records its reason through the given recorder before the signal', async () => {
    const recorded: string[] = []
    const agent = await runner.start(
      { file: '/bin/sleep', args: ['300'], env: {}, workDir: scratch, stdin: new Uint8Array() },
      systemRandom.id('run'),
      { ...QUICK, firstEventMs: 20 },
      async reason => void recorded.push(`${reason} ${isGone(agent.pid)}`),
    )
    expect((await agent.exit).endedBy).toBe('no-first-event')
    expect(recorded).toEqual(['no-first-event false'])
  })
})

describe('probe', () => {
  test('gives stdout and stderr together', async () => {
    const args = ['-c', 'echo 1.2.3; echo warned >&2; exit 1']
    expect(await runner.probe('/bin/sh', args, { PATH })).toEqual({
      text: '1.2.3\nwarned\n',
      outputCut: false,
    })
  })

  test('U-3 says when a process that it left behind held its output', async () => {
    const args = ['-c', 'sleep 300 & echo 1.2.3']
    const probed = await runner.probe('/bin/sh', args, { PATH })
    expect(probed).toEqual({ text: '1.2.3', outputCut: true })
  })

  test.each([
    ['end', 20, undefined],
    ['answer', 60, { args: [], input: 'hello', isAnswer: () => false }],
  ] as const)(
    'U-4 a program that does not %s says for how long Reprise waited',
    async (what, seconds, greeting) => {
      const hurry: Clock = {
        ...systemClock,
        sleep: (ms, signal) => systemClock.sleep(ms / 500, signal),
      }
      const probed = createRunner({ clock: hurry }).probe('/bin/sleep', ['300'], { PATH }, greeting)
      await expect(probed).rejects.toMatchObject({
        code: 'agent-unusable',
        message: `/bin/sleep 300 did not ${what} within ${seconds} seconds`,
      })
    },
  )

  test('a missing executable is agent-missing', async () => {
    const probed = runner.probe('/nonexistent/agent', [], {})
    await expect(probed).rejects.toMatchObject({ code: 'agent-missing' })
  })
})
