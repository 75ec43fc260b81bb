import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../runner/runner.ts'
import { diskFiles } from './fake-agent/disk-files.ts'
import { fakeAgentExecutable } from './fake-agent/executable.ts'
import type { FakeScript, ScriptStep } from './fake-agent/script.ts'
import { createFakeRunner, memoryExecutable } from './fake-runner.ts'
import { FILE, ID, inProcessAgent, linesOf, playing, smallWorld } from './in-process-agent.ts'
import type { MemoryFiles } from './memory-files.ts'

let files: MemoryFiles
beforeEach(async () => {
  files = await smallWorld()
})

const agent = (script?: FakeScript) => inProcessAgent(files, script)
const lines = () => linesOf(files)

describe('the fake runner', () => {
  test('refuses an agent that cannot be started', async () => {
    const { runner } = agent()
    const command = { args: [], env: {}, workDir: '/project', stdin: new Uint8Array() }
    const start = (file: string, workDir = '/project') =>
      runner.start({ ...command, file, workDir }, 'run_1', DEFAULT_LIMITS)
    await files.write('/bin/other', 'text')
    await expect(start('/bin/none')).rejects.toMatchObject({ code: 'agent-missing' })
    await expect(start('/bin/other')).rejects.toMatchObject({ code: 'agent-unusable' })
    await expect(start('/bin/agent', '/none')).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('probes version and help', async () => {
    const { runner } = agent()
    await files.write('/bin/old', memoryExecutable('2.1.197'))
    const textOf = async (...probe: Parameters<typeof runner.probe>) =>
      (await runner.probe(...probe)).text
    expect(await textOf('/bin/old', ['--version'], {})).toBe('2.1.197 (Claude Code)\n')
    expect(await textOf('/bin/agent', ['--help'], {})).toContain('--resume')
    const without = { FAKE_AGENT_HELP: 'no-resume' }
    expect(await textOf('/bin/agent', ['--help'], without)).not.toContain('--resume')
  })

  test('knows the version of a program that was written to disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reprise-fake-runner-'))
    try {
      const program = await fakeAgentExecutable(directory, { version: '2.1.197' })
      const runner = createFakeRunner({ files: diskFiles() })
      const { text } = await runner.probe(program, ['--version'], {})
      expect(text).toBe('2.1.197 (Claude Code)\n')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  test('a stopped run ends where it is, with no result and nothing written after', async () => {
    const steps: ScriptStep[] = [
      { type: 'waitForFile', path: '/go', reached: '/reached' },
      { type: 'sideEffect', appendFile: '/late', line: 'x' },
    ]
    const { start, runner } = agent(playing(...steps))
    const process = await start(['--session-id', ID], 'x')
    while ((await files.stat('/reached')) === null) await new Promise(setImmediate)
    let before = false
    await process.stop('cancelled', async () => {
      before = true
    })
    await files.write('/go', '')
    expect(before).toBe(true)
    expect(await process.exit).toMatchObject({ endedBy: 'cancelled' })
    expect(files.text('/late')).toBeNull()
    expect(lines().map(line => line.type)).toContain('user')
    expect(runner.running).toEqual([])
  })

  test('a stopped run leaves no timer behind', async () => {
    const slept = Promise.withResolvers<AbortSignal | undefined>()
    const sleep = async (_: number, signal?: AbortSignal) => {
      slept.resolve(signal)
      await new Promise(resolve => signal?.addEventListener('abort', resolve))
    }
    const script = playing({ type: 'sleep', ms: 90_000 })
    const { start } = inProcessAgent(files, script, { clock: { now: Date.now, sleep } })
    const process = await start(['--session-id', ID], 'x')
    const signal = await slept.promise
    expect(signal?.aborted).toBe(false)
    await process.stop('cancelled')
    expect(signal?.aborted).toBe(true)
  })

  test('a crash leaves the session file as it was', async () => {
    const { start, runner } = agent(playing({ type: 'waitForFile', path: '/go', reached: '/r' }))
    const process = await start(['--session-id', ID], 'x')
    while ((await files.stat('/r')) === null) await new Promise(setImmediate)
    const content = files.text(FILE)
    const [marker = ''] = runner.running
    expect(await runner.endLeftovers(marker)).toBe(1)
    expect(await process.exit).toMatchObject({ code: null, signal: 'SIGKILL', endedBy: null })
    expect(files.text(FILE)).toBe(content)
  })

  test.each([
    ['before-init', 'no-first-event', 0],
    ['here', 'silent', 1],
    ['after-result', 'hung-after-result', 3],
  ] as const)('a hang %s meets the watchdog %s', async (at, endedBy, events) => {
    const ended = await agent(playing({ type: 'hang', at })).run(['--session-id', ID], 'x')
    expect(ended.exit.endedBy).toBe(endedBy)
    expect(ended.events).toHaveLength(events)
  })

  test('an agent that ignores signals is killed, and an orphan cuts the output', async () => {
    const steps: ScriptStep[] = [{ type: 'ignoreSignals' }, { type: 'orphan' }, { type: 'hang' }]
    const { exit } = await agent(playing(...steps)).run([], 'x')
    expect(exit).toMatchObject({ signal: 'SIGKILL', endedBy: 'silent', outputCut: true })
  })

  test('lines and output are bounded', async () => {
    const { start } = agent(playing({ type: 'bigLine', bytes: 5000 }))
    const process = await start([], 'x', { limits: { maxLineBytes: 2000 } })
    const kinds = []
    for await (const line of process.lines) kinds.push(line.kind)
    expect(kinds).toContain('oversized')
    const { exit } = await agent(playing({ type: 'flood', events: 1000 })).run([], 'x', {
      limits: { maxOutputBytes: 20_000 },
    })
    expect(exit.endedBy).toBe('output-limit')
  })
})
