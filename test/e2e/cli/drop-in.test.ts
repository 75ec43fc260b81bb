// `reprise claude` as other programs start it, in front of the fake agent and of small programs that print any bytes.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appears } from '../../scenarios/harness/acts.ts'
import { CliWorld, ended, LAUNCHER } from './cli-world.ts'

const DROP_IN = join(dirname(LAUNCHER), 'reprise-claude')
const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open('with a store')
})
afterEach(() => world.close())

type Starting = {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
}

function start(file: string, args: readonly string[], { env = {} }: Starting = {}): ChildProcess {
  return spawn(file, args, {
    cwd: world.workDir,
    env: { ...world.env, ...world.agentEnv, ...env },
  })
}

async function run(file: string, args: readonly string[], starting: Starting = {}) {
  const child = start(file, args, starting)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', chunk => out.push(chunk))
  child.stderr?.on('data', chunk => err.push(chunk))
  child.stdin?.on('error', () => {}) // It ended before it read everything.
  child.stdin?.end(starting.stdin ?? '')
  return new Promise<{ code: number | null; signal: string | null; out: Buffer; err: string }>(
    resolve => {
      child.once('close', (code, signal) => {
        const bytes = { out: Buffer.concat(out), err: Buffer.concat(err).toString('utf8') }
        resolve({ code, signal, ...bytes })
      })
    },
  )
}

const claude = (args: readonly string[], starting: Starting = {}) => run(DROP_IN, args, starting)

/** One turn through the drop-in; gives the id of its session. */
async function turn(args: readonly string[], starting: Starting = {}): Promise<string> {
  const { out, code, err } = await claude([...STREAM, ...args], starting)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [init] = out.toString('utf8').split('\n')
  return JSON.parse(init ?? '').session_id
}

const sessionFiles = () => {
  const projects = world.path('agent/projects')
  return readdirSync(projects).flatMap(project =>
    readdirSync(join(projects, project)).map(name => join(projects, project, name)),
  )
}

/** A program that answers the probes as the fake agent does, and else runs `script`. */
function program(script: string): string {
  const path = world.path('small-agent')
  const probes = [
    'case "$*" in',
    `  --version | --help) exec '${world.executable}' "$1" ;;`,
    'esac',
  ]
  writeFileSync(path, ['#!/bin/sh', ...probes, script, ''].join('\n'))
  chmodSync(path, 0o755)
  return path
}

describe('W-2 the drop-in passes on', () => {
  test.each([
    ['text', []],
    ['stream-json', ['--output-format', 'stream-json', '--verbose']],
  ])('every byte of %s output, of stderr and of stdin, and the exit code', async (_, flags) => {
    const noise = Buffer.concat([
      randomBytes(300_000),
      Buffer.from('\n{"type":"result"'),
      Buffer.from([0xff, 0, 10]),
    ])
    writeFileSync(world.path('noise'), noise)
    const REPRISE_CLAUDE = program(
      `cat '${world.path('noise')}'; printf 'to \\377 stderr' >&2; cat; exit 7`,
    )
    const args = ['-p', 'a prompt', ...flags]
    const stdin = randomBytes(200_000)
    const through = await claude(args, { env: { REPRISE_CLAUDE }, stdin })
    const bare = await run(REPRISE_CLAUDE, args, { stdin })
    expect(through.out.equals(bare.out)).toBe(true)
    expect(through.out.equals(Buffer.concat([noise, stdin]))).toBe(true)
    expect([through.err, through.code, through.signal]).toEqual([bare.err, 7, null])
  })

  test('the way in which a program was ended by a signal', async () => {
    const REPRISE_CLAUDE = program('kill -9 $$')
    expect(await claude(['-p', 'x'], { env: { REPRISE_CLAUDE } })).toMatchObject({
      code: null,
      signal: 'SIGKILL',
    })
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('the signal %s, once', async signal => {
    const seen = world.path('seen')
    const loop = 'while :; do sleep 0.02; done'
    const name = signal.slice(3)
    const REPRISE_CLAUDE = program(
      `trap 'echo ${name} >> ${seen}; exit 9' ${name}; touch ${world.path('ready')}; ${loop}`,
    )
    const child = start(DROP_IN, ['-p', 'x'], { env: { REPRISE_CLAUDE } })
    child.stdin?.end()
    const end = ended(child)
    await appears(world.path('ready'))
    child.kill(signal)
    expect(await end).toMatchObject({ code: 9, signal: null })
    expect(readFileSync(seen, 'utf8')).toBe(`${name}\n`)
  })

  test('sub-commands, help and versions, without a record', async () => {
    const REPRISE_CLAUDE = program('printf "%s|" "$@"')
    for (const args of [
      ['mcp', 'list', '--json'],
      ['-p', '--no-session-persistence', 'x'],
    ]) {
      const { out } = await claude(args, { env: { REPRISE_CLAUDE } })
      expect(out.toString()).toBe(args.map(arg => `${arg}|`).join(''))
    }
    const version = await claude(['--version'])
    expect(version.out.equals((await run(world.executable, ['--version'])).out)).toBe(true)
    expect(await world.list(['threads'])).toEqual([])
  })
})

test('W-2 V-1 turns of a session are turns of one thread, with their costs, and copied', async () => {
  const id = await turn(['plan it'])
  expect(await turn(['--resume', id], { stdin: 'now do it' })).toBe(id)
  const [thread, ...others] = await world.list(['threads'])
  expect(others).toEqual([])
  expect(thread).toMatchObject({ title: 'plan it', turnCount: 2 })
  const runs = await world.list(['runs'])
  expect(runs.map(run => [run.status, run.decision?.action, run.sessionId])).toEqual([
    ['completed', 'resume', id],
    ['completed', 'start', id],
  ])
  expect(runs.every(run => (run.costUsd ?? 0) > 0)).toBe(true)
  const { messages } = await world.json(['threads', 'show', thread?.id ?? ''])
  expect(messages.map(({ text }) => text)).toEqual([
    ...['plan it', 'echo: plan it', 'now do it', 'echo: now do it'],
  ])
  const sent = await world.json(['send', '-t', thread?.id ?? '', 'and check it'])
  expect(sent.run.decision?.action).toBe('resume')
  expect((await world.here(['verify'])).code).toBe(0)
})

test('W-2 V-1 a resume of a deleted session succeeds: from our copy, else from the thread', async () => {
  const id = await turn(['remember the number 7'])
  for (const file of sessionFiles()) rmSync(file)
  expect(await turn(['--resume', id, 'second'])).toBe(id)
  for (const file of sessionFiles()) rmSync(file)
  rmSync(join(world.home, 'vault'), { recursive: true })
  expect(await turn(['--resume', id, 'third'])).toBe(id)
  const [file = ''] = sessionFiles()
  expect(readFileSync(file, 'utf8')).toContain('remember the number 7')
  const [last] = await world.list(['runs'])
  const events = await world.json(['runs', 'events', last?.id ?? ''])
  expect(JSON.stringify(events)).toContain('its file was written again from the thread')
})

test('W-2 a session that nobody knows is refused by the agent itself', async () => {
  const args = [...STREAM, '--resume', '00000000-0000-4000-8000-00000000dead', 'x']
  const through = await claude(args)
  const bare = await run(world.executable, args)
  const same = (out: Buffer) => out.toString().replaceAll(/[0-9a-f-]{36}/g, 'ID')
  expect(same(through.out)).toBe(same(bare.out))
  expect([through.code, through.err]).toEqual([bare.code, bare.err])
})

test('V-2 W-2 a damaged session that somebody may be writing stays as it is, and leaves no thread behind', async () => {
  const args = [...STREAM, 'somebody else']
  const { out } = await run(world.executable, args)
  const id = JSON.parse(out.toString('utf8').split('\n')[0] ?? '').session_id
  const [file = ''] = sessionFiles()
  const torn = readFileSync(file).subarray(0, -20)
  writeFileSync(file, torn)
  const soon = new Date(Date.now() + 3_600_000)
  utimesSync(file, soon, soon)
  await claude([...STREAM, '--resume', id, 'next'])
  expect(readFileSync(file).subarray(0, torn.length).equals(torn)).toBe(true)
  expect(sessionFiles()).toEqual([file])
  expect(await world.list(['threads'])).toEqual([])
})

test('W-2 a session that is not named by its id runs alone, and one line says so', async () => {
  const REPRISE_CLAUDE = program('echo answer')
  const args = ['-p', '--resume', 'a title', 'x']
  const { out, err } = await claude(args, { env: { REPRISE_CLAUDE } })
  expect(out.toString()).toBe('answer\n')
  expect(err).toBe('reprise: this call is not recorded: it does not name its session by an id\n')
})

test('W-2 D-9 what the bare program added in between stays foreign to the thread', async () => {
  const id = await turn(['first'])
  await run(world.executable, [...STREAM, '--resume', id, 'without Reprise'])
  expect(await turn(['--resume', id, 'second'])).toBe(id)
  const [thread] = await world.list(['threads'])
  const sent = await world.json(['send', '-t', thread?.id ?? '', 'third'])
  expect(sent.run.decision).toMatchObject({ action: 'fork', reason: { code: 'foreign-turns' } })
})

test('W-2 a caller that reads no more ends the output of the agent', async () => {
  const REPRISE_CLAUDE = program(
    `trap '' PIPE; while echo '{}' 2> /dev/null; do sleep 0.02; done; exit 5`,
  )
  const child = start(DROP_IN, [...STREAM, 'x'], { env: { REPRISE_CLAUDE } })
  child.stdin?.end()
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await ended(child)).toMatchObject({ code: 5 })
})

test('W-2 a fork is a thread of its own that names the first one', async () => {
  const id = await turn(['first'])
  const forkId = await turn(['--resume', id, '--fork-session', 'other way'])
  expect(forkId).not.toBe(id)
  const threads = await world.list(['threads'])
  const original = threads.find(thread => thread.forkedFrom === null)
  const fork = threads.find(thread => thread.forkedFrom !== null)
  expect(fork?.forkedFrom).toBe(original?.id)
  expect([original?.turnCount, fork?.turnCount]).toEqual([1, 1])
})

describe('W-2 V-4 two resumes of a session at a time:', () => {
  async function firstOfTwo() {
    const id = await turn(['begin'])
    const [path, reached] = [world.path('go'), world.path('reached')]
    world.script([{ when: 'slow', do: [{ type: 'waitForFile', path, reached }] }])
    const first = claude([...STREAM, '--resume', id, 'slow'])
    await appears(reached)
    return { id, first, letGo: () => writeFileSync(path, '') }
  }

  test('the second one waits', async () => {
    const { id, first, letGo } = await firstOfTwo()
    const second = turn(['--resume', id, 'quick'])
    await expect.poll(async () => (await world.list(['runs'])).length).toBe(3)
    letGo()
    expect(await second).toBe(id)
    expect((await first).code).toBe(0)
    const [thread] = await world.list(['threads'])
    const { messages } = await world.json(['threads', 'show', thread?.id ?? ''])
    const prompts = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
    expect(prompts).toEqual(['begin', 'slow', 'quick'])
  })

  test('a policy refuses it, lets it fork, or lets it go on at once', async () => {
    const { id, first, letGo } = await firstOfTwo()
    world.config({ dropIn: { whenBusy: 'refuse' } })
    const refused = await claude(['-p', '--resume', id, 'quick'])
    expect([refused.code, refused.out.length]).toEqual([4, 0])
    expect(refused.err).toContain(`another process works on session ${id}`)
    world.config({ dropIn: { whenBusy: 'fork' } })
    expect(await turn(['--resume', id, 'quick'])).not.toBe(id)
    world.config({ dropIn: { waitMs: 0 } })
    const goesOn = await claude([...STREAM, '--resume', id, 'quick'])
    expect([goesOn.code, goesOn.err.split('\n').length]).toEqual([0, 2])
    expect(goesOn.err).toContain('this call is not recorded: another process works on session')
    letGo()
    expect((await first).code).toBe(0)
  })
})

test('W-2 without a usable store, the agent runs and one line says that nothing is recorded', async () => {
  const REPRISE_CLAUDE = program('echo answer; echo word >&2; exit 3')
  writeFileSync(world.storeFile, 'not a database')
  const { out, err, code } = await claude(['-p', 'x'], { env: { REPRISE_CLAUDE } })
  expect([out.toString(), code]).toEqual(['answer\n', 3])
  expect(err).toMatch(/^reprise: this call is not recorded: [^\n]+\nword\n$/)
})

test('W-2 a script named claude that calls Reprise does not run for ever', async () => {
  const REPRISE_CLAUDE = program(`exec '${LAUNCHER}' claude "$@"`)
  const { err, code } = await claude(['-p', 'x'], { env: { REPRISE_CLAUDE } })
  expect(code).toBe(2)
  expect(err).toContain('would start itself for ever')
})

test('W-2 U-3 kill -9 of the drop-in leaves no agent, and its run ends as interrupted', async () => {
  const pidFile = world.path('pid')
  const REPRISE_CLAUDE = program(
    `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; sleep 600`,
  )
  const child = start(DROP_IN, ['-p', 'x'], { env: { REPRISE_CLAUDE } })
  child.stdin?.end()
  await appears(pidFile)
  child.kill('SIGKILL')
  const agent = `/proc/${readFileSync(pidFile, 'utf8').trim()}`
  await expect.poll(() => existsSync(agent)).toBe(false)
  expect((await world.list(['runs'])).map(({ status }) => status)).toEqual(['interrupted'])
})

test('W-2 a call without a prompt leaves nothing behind', async () => {
  const REPRISE_CLAUDE = program('cat > /dev/null')
  const args = [...STREAM, '--input-format', 'stream-json']
  expect((await claude(args, { env: { REPRISE_CLAUDE } })).code).toBe(0)
  expect(await world.list(['threads'])).toEqual([])
})
