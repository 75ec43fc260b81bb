import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BIN, ended } from '../cli/cli-world.ts'
import { ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  chmodSync(join(world.home, 'config.yaml'), 0o600)
  mkdirSync(world.agentEnv.CLAUDE_CONFIG_DIR ?? '', { recursive: true })
  key = { ANTHROPIC_API_KEY: 'a key' }
})
afterEach(() => world.closeAll())

type Report = {
  readonly ok: boolean
  readonly findings: readonly { check: string; state: string; detail: string; hint: string }[]
}

/** Taken away by the test of an agent that cannot sign in. */
let key: Readonly<Record<string, string>> = { ANTHROPIC_API_KEY: 'a key' }

async function doctor(): Promise<{ code: number | null; report: Report }> {
  const { code, out } = await world.run(['doctor', '--json'], { env: key })
  return { code, report: JSON.parse(out) }
}

async function finding(check: string) {
  const { code, report } = await doctor()
  return { code, ...report.findings.find(found => found.check === check) }
}

describe('reprise doctor', () => {
  test('finds nothing wrong with a good installation', async () => {
    const { code, report } = await doctor()
    // Which sandbox works is a matter of the machine.
    const found = report.findings.filter(({ check }) => check !== 'sandbox')
    expect(found.filter(({ state }) => state !== 'ok')).toEqual([])
    expect([code, report.ok]).toEqual([0, true])
    expect(report.findings.map(({ check }) => check)).toEqual([
      'node',
      'sqlite',
      'config',
      'data directory',
      'disk space',
      'disk',
      'sandbox',
      'token',
      'daemon',
      'store',
      'agent claude-code',
      'login claude-code',
      'agent second',
      'login second',
    ])
    const { out } = await world.run(['doctor'], { env: key })
    expect(out).not.toContain('a key')
    expect(out).toMatch(/^ok {4}node {17}\d+\./)
  })

  test('sees the daemon, and one that did not end in order', async () => {
    const daemon = await world.serve()
    expect(await finding('daemon')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining(daemon.url),
    })
    daemon.signal('SIGKILL')
    await daemon.end
    expect(await finding('daemon')).toMatchObject({ code: 0, state: 'warn' })
  })

  test.each([
    ['token', 2, () => writeFileSync(join(world.home, 'token'), 'x', { mode: 0o644 }), 'rm '],
    [
      'store',
      70,
      () => writeFileSync(join(world.home, 'reprise.db'), 'no database'.repeat(99)),
      '',
    ],
    ['config', 2, () => world.writeConfig('agent: {}'), 'agents'],
    [
      'agent claude-code',
      2,
      () => world.config({ agents: { 'claude-code': { executable: '/nowhere/claude' } } }),
      'config.yaml',
    ],
  ])(
    'says what to do when something is wrong with: %s, and ends with %i',
    async (check, code, spoil, hint) => {
      spoil()
      expect(await finding(check)).toMatchObject({
        code,
        state: 'bad',
        hint: expect.stringContaining(hint),
      })
    },
  )

  test('an agent without a key and without a login is bad, exit 2, with what to do', async () => {
    key = {}
    expect(await finding('login claude-code')).toMatchObject({
      code: 2,
      state: 'bad',
      hint: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
    writeFileSync(join(world.agentEnv.CLAUDE_CONFIG_DIR ?? '', '.credentials.json'), '{}')
    expect(await finding('login claude-code')).toMatchObject({ code: 0, state: 'ok' })
  })

  test('U-4 a disk on which nothing can be written is bad, exit 70, with what to do', async () => {
    // As on a full disk: no file may grow.
    const limited = [
      '-c',
      'ulimit -f 4; exec "$@"',
      'sh',
      process.execPath,
      BIN,
      'doctor',
      '--json',
    ]
    const child = spawn('/bin/sh', limited, { cwd: world.workDir, env: { ...world.env, ...key } })
    const { code, out } = await ended(child)
    const { findings } = JSON.parse(out) as Report
    expect(findings.find(({ check }) => check === 'disk')).toMatchObject({
      state: 'bad',
      detail: expect.stringContaining('cannot be written'),
      hint: expect.stringContaining('REPRISE_HOME'),
    })
    expect(code).toBe(70)
    expect(await finding('disk')).toMatchObject({ code: 0, state: 'ok' })
  })

  test('U-4 names events that could not be stored after the database was away, with the reason', async () => {
    mkdirSync(join(world.home, 'spool'), { mode: 0o700 })
    const path = join(world.home, 'spool', 'run_1.kept-out')
    writeFileSync(path, `{}\n[]\n${JSON.stringify({ keptOut: 'taken over' })}\n`, { mode: 0o600 })
    expect(await finding('spool')).toMatchObject({
      code: 0,
      state: 'warn',
      detail: `events in ${path} were not stored: taken over`,
      hint: expect.stringContaining(`rm ${path}`),
    })
  })

  test('warns of files that others can read', async () => {
    chmodSync(join(world.home, 'config.yaml'), 0o644)
    expect(await finding('data directory')).toMatchObject({
      code: 0,
      state: 'warn',
      hint: expect.stringContaining('chmod'),
    })
  })
})
