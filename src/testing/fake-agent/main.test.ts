import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundledFakeAgent } from '../../../test/fake-agent.ts'
import { readJournal, writeFakeScript } from './executable.ts'
import type { ScriptStep } from './script.ts'
import { encodeWorkDir } from './session-file.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']

type Event = Record<string, unknown> & { type: string; subtype?: string }

let directory: string
let executable: string
let journal: string
const children = new Set<ChildProcess>()

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "fake agent's-")))
  executable = await bundledFakeAgent(directory)
  journal = join(directory, 'journal.jsonl')
  await mkdir(join(directory, 'work'))
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(directory, { recursive: true })
})

async function start(args: readonly string[], prompt: string, steps: readonly ScriptStep[] = []) {
  const script = await writeFakeScript(join(directory, 'script.json'), [{ do: steps }])
  const env = {
    PATH: process.env.PATH ?? '',
    CLAUDE_CONFIG_DIR: join(directory, 'config'),
    FAKE_AGENT_SCRIPT: script,
    FAKE_AGENT_JOURNAL: journal,
    ANTHROPIC_API_KEY: 'a secret',
  }
  const child = spawn(executable, args, { cwd: join(directory, 'work'), env })
  children.add(child)
  const chunks: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', chunk => chunks.push(chunk))
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  child.stdin.on('error', () => undefined) // A probe does not read it.
  child.stdin.end(prompt)
  const exit = new Promise<{ code: number | null; signal: string | null }>(resolve =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  )
  const closed = new Promise<void>(resolve => child.on('close', () => resolve()))
  const output = () => Buffer.concat(chunks)
  return { child, exit, closed, output, stderr: () => stderr }
}

async function run(args: readonly string[], prompt: string, steps: readonly ScriptStep[] = []) {
  const { exit, closed, output, stderr } = await start(args, prompt, steps)
  const { code, signal } = await exit
  await closed
  const lines = output().toString('utf8').split('\n')
  const events: Event[] = lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  return { code, signal, events, lines, bytes: output(), stderr: stderr() }
}

const sessionFile = () =>
  join(directory, 'config/projects', encodeWorkDir(join(directory, 'work')), `${ID}.jsonl`)

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5)
}
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
const isAlive = async (pid: number) =>
  !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z'))

test('a line of its input ends at a newline alone, not at other separators that a text may hold', async () => {
  const text = 'one\u2028two\u2029three\r\nfour'
  const lines = [text, 'more'].map(content =>
    JSON.stringify({ type: 'user', message: { role: 'user', content } }),
  )
  const args = [...STREAM, '--input-format', 'stream-json']
  const { exit } = await start(args, lines.join('\n'))
  expect((await exit).code).toBe(0)
  const prompts = (await readJournal(journal)).map(({ prompt }) => prompt)
  expect(prompts.join('\n')).toBe(`${text}\nmore`)
})

describe('the fake agent as a program', () => {
  test('says its version and its flags without waiting for a prompt', async () => {
    expect((await run(['--version'], '')).lines[0]).toBe('2.1.325 (Claude Code)')
    expect((await run(['--help'], '')).bytes.toString()).toContain('--session-id')
  })

  test('C-1 starts a session, keeps it in a file of its own and resumes it', async () => {
    await run([...STREAM, '--session-id', ID], 'one')
    const { code, events } = await run([...STREAM, '--resume', ID], 'two')
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ session_id: ID, result: 'echo: two' })
    expect((await stat(sessionFile())).mode & 0o777).toBe(0o600)
    const [, second] = await readJournal(journal)
    expect(second?.history.map(said => said.text)).toEqual(['one', 'echo: one'])
    expect(second).toMatchObject({ prompt: 'two', ended: true, code: 0, sessionId: ID })
    expect(second?.env.ANTHROPIC_API_KEY).toBe('[hidden]')
  })

  test('its events have the fields of the real ones', async () => {
    const steps: ScriptStep[] = [
      { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a' },
    ]
    const args = [...STREAM, '--session-id', ID, '--include-partial-messages']
    const { events } = await run(args, 'x', steps)
    const keys = (type: string, subtype?: string) =>
      Object.keys(events.find(e => e.type === type && e.subtype === subtype) ?? {})
    const init = ['cwd', 'session_id', 'tools', 'model', 'permissionMode', 'claude_code_version']
    expect(keys('system', 'init')).toEqual(expect.arrayContaining([...init, 'uuid']))
    const message = ['message', 'parent_tool_use_id', 'session_id', 'uuid']
    expect(keys('assistant')).toEqual(expect.arrayContaining([...message, 'request_id']))
    expect(keys('user')).toEqual(expect.arrayContaining([...message, 'tool_use_result']))
    expect(keys('stream_event')).toEqual(expect.arrayContaining(['event', 'ttft_ms']))
    const result = ['is_error', 'num_turns', 'result', 'stop_reason', 'total_cost_usd', 'usage']
    const more = ['modelUsage', 'permission_denials', 'terminal_reason', 'api_error_status']
    expect(keys('result', 'success')).toEqual(expect.arrayContaining([...result, ...more]))
  })

  test('the ids of its blocks are those of the lines in the session file', async () => {
    const { events } = await run([...STREAM, '--session-id', ID], 'x')
    const spoken = events.find(event => event.type === 'assistant')
    const lines = (await readFile(sessionFile(), 'utf8')).trim().split('\n')
    const kept = lines.map(line => JSON.parse(line)).find(line => line.type === 'assistant')
    expect(kept).toMatchObject({ uuid: spoken?.uuid, sessionId: ID, version: '2.1.325' })
    expect(kept.message).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 2 } })
  })

  test('refuses an unknown session and an unknown flag', async () => {
    const unknown = await run([...STREAM, '--resume', ID], 'x')
    expect(unknown).toMatchObject({ code: 1, events: [{ subtype: 'error_during_execution' }] })
    expect(unknown.stderr).toContain(`No conversation found with session ID: ${ID}`)
    const flag = await run([...STREAM, '--colour'], 'x')
    expect(flag).toMatchObject({
      code: 1,
      events: [],
      stderr: "error: unknown option '--colour'\n",
    })
  })

  test('dies of its own signal in the middle of a call and leaves the call open', async () => {
    const steps: ScriptStep[] = [
      { type: 'tool', name: 'Bash', result: null },
      { type: 'killSelf', signal: 'SIGKILL' },
    ]
    const { signal, events } = await run([...STREAM, '--session-id', ID], 'x', steps)
    expect(signal).toBe('SIGKILL')
    expect(events.map(event => event.type)).toEqual(['system', 'assistant'])
    expect(await readFile(sessionFile(), 'utf8')).toContain('"tool_use"')
    expect((await readJournal(journal))[0]).toMatchObject({ ended: false, code: null })
  })

  test.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
  ] as const)('ends on %s with code %i and without a result', async (signal, code) => {
    const reached = join(directory, 'reached')
    const wait: ScriptStep = { type: 'waitForFile', path: join(directory, 'never'), reached }
    const { child, exit, closed, output } = await start(STREAM, 'x', [wait])
    await until(() => exists(reached))
    child.kill(signal)
    expect(await exit).toMatchObject({ code })
    await closed
    expect(output().toString()).not.toContain('"type":"result"')
  })

  test('can ignore signals, but not a kill', async () => {
    const reached = join(directory, 'reached')
    const go = join(directory, 'go')
    const steps: ScriptStep[] = [
      { type: 'ignoreSignals' },
      { type: 'waitForFile', path: go, reached },
      { type: 'hang' },
    ]
    const { child, exit, output } = await start(STREAM, 'x', [...steps])
    await until(() => exists(reached))
    child.kill('SIGTERM')
    child.kill('SIGINT')
    await writeFile(go, '')
    expect(output().toString()).toContain('init')
    child.kill('SIGKILL')
    expect(await exit).toMatchObject({ signal: 'SIGKILL' })
  })

  test.each([false, true])('leaves an orphan that holds stdout (own session: %j)', async own => {
    const orphan: ScriptStep = { type: 'orphan', seconds: 30, ownSession: own }
    const { exit, closed } = await start(STREAM, 'x', [orphan])
    expect(await exit).toMatchObject({ code: 0 })
    const [entry] = await readJournal(journal)
    const pid = entry?.orphans[0] ?? 0
    expect(await isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
    await closed
  })

  test('floods, breaks UTF-8 and writes a line of many bytes without losing the end', async () => {
    const steps: ScriptStep[] = [
      { type: 'flood', events: 5000 },
      { type: 'brokenUtf8' },
      { type: 'bigLine', bytes: 3_000_000 },
    ]
    const { bytes, events } = await run(STREAM, 'x', steps)
    expect(bytes.includes(Buffer.from([0xff, 0xc3, 0x28]))).toBe(true)
    expect(bytes.length).toBeGreaterThan(3_500_000)
    expect(events.at(-1)).toMatchObject({ type: 'result', result: 'echo: x' })
  })

  test('plays a turn once over several processes', async () => {
    const script = join(directory, 'once.json')
    await writeFakeScript(script, [{ once: true, do: [{ type: 'text', text: 'only once' }] }])
    const env = { PATH: process.env.PATH ?? '', HOME: directory, FAKE_AGENT_SCRIPT: script }
    const answer = () =>
      new Promise<string>(resolve => {
        const child = spawn(executable, STREAM, { cwd: directory, env })
        let text = ''
        child.stdout.on('data', chunk => {
          text += chunk
        })
        child.on('close', () => resolve(JSON.parse(text.trim().split('\n').at(-1) ?? '').result))
        child.stdin.end('x')
      })
    expect([await answer(), await answer()]).toEqual(['only once', 'echo: x'])
    expect(await readdir(join(directory, '.claude/projects'))).toHaveLength(1)
  })
})
