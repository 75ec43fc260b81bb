// A whole Reprise with a contained agent of any kind: nothing that an agent starts outlives its run, and it cannot approve itself.
import { chmodSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SandboxKind } from '../../../src/core/run/sandbox.ts'
import type { Chain } from '../../../src/index.ts'
import { listPids } from '../../../src/runner/proc.ts'
import { createSandboxes } from '../../../src/runner/sandbox/sandboxes.ts'
import { BIN, ended } from '../../e2e/cli/cli-world.ts'
import { appears, eventually } from '../../e2e/daemon/serve-world.ts'
import { askUser, call, say, verdict } from '../harness/acts.ts'
import { type DaemonWorld, useDaemon } from '../harness/daemon-world.ts'
import type { Kind } from '../harness/program.ts'

const CONTAINED = ['--sandbox', 'auto', '--allow-tools', 'Bash']

export function containmentScenarios(kind: Kind): void {
  describe(`E-13 a contained agent, on ${kind}`, () => {
    const current = useDaemon(kind)

    test('0 of six escape shapes survive a normal end of a chain, and the run says what held it', async () => {
      const { world, model } = current()
      const expected = await bestHere(world.home)
      const T = escapes(current())
      model.plan([call('Bash', run(current(), 'escape')), verdict('resolved')])
      const chain = await startChain(current())
      expect(chain).toMatchObject({ status: 'resolved', runs: [{ sandbox: expected }] })
      expect(readFileSync(world.path('spread'), 'utf8').trim()).toBe('8')
      if (expected === 'none') return expectUncontained(chain)
      expect(survivors(T)).toEqual([])
    })

    test('0 of six escape shapes survive a kill -9 of the agent', async () => {
      const { world, model } = current()
      const T = escapes(current(), FOR_EVER)
      if ((await bestHere(world.home)) === 'none') return expectRefusal(current())
      model.plan([call('Bash', { ...run(current(), 'escape'), timeout: 600_000 })])
      const sending = world.start(['send', '--json', ...CONTAINED, 'go'])
      const end = ended(sending)
      await appears(world.path('spread'))
      for (const pid of agentsOf(world.root)) process.kill(pid, 'SIGKILL')
      const { code, out } = await end
      expect(code).toBe(1)
      expect(JSON.parse(out).run).toMatchObject({ exit: { signal: 'SIGKILL' } })
      expect(survivors(T)).toEqual([])
    })

    test('0 of six escape shapes survive a kill -9 of Reprise', async () => {
      const { world, model, daemon } = current()
      const T = escapes(current(), FOR_EVER)
      if ((await bestHere(world.home)) === 'none') return expectRefusal(current())
      model.plan([call('Bash', { ...run(current(), 'escape'), timeout: 600_000 })])
      const sending = world.start(['send', ...CONTAINED, 'go'])
      await appears(world.path('spread'))
      expect(survivors(T).length).toBeGreaterThan(5)
      daemon.signal('SIGKILL')
      await daemon.end
      await eventually(() => survivors(T).length === 0)
      sending.kill('SIGKILL')
    })

    test('T-7a T-8 a question is parked and answered, and instructions arrive, although the data directory is hidden', async () => {
      const { world, model } = current()
      const expected = await bestHere(world.home)
      writeFileSync(world.path('style'), 'Speak like a heron.')
      model.plan([askUser('Which database?', ['Postgres', 'SQLite'])])
      const flags = ['--sandbox', 'auto', '--instructions', world.path('style'), '--ask']
      const sent = await world.run(['send', '--json', ...flags, 'set it up'])
      const { run: asking, questions } = JSON.parse(sent.out)
      expect(asking).toMatchObject({ status: 'waiting', sandbox: expected })
      expect(await model.system(asking.id)).toContain('Speak like a heron.')
      model.plan([say('Postgres it is')])
      const call = questions[0]?.toolUseId
      const answered = await world.run(['runs', 'answer', asking.id, call, 'Postgres', '--json'])
      const { run: done, text } = JSON.parse(answered.out)
      expect(text).toBe('Postgres it is')
      expect(done).toMatchObject({ sandbox: expected, decision: { action: 'resume' } })
      expect(await model.everything(done.id)).toContain('Your questions have been answered')
    })

    test('0 self-approvals: it sees neither token nor store, and what it leaves behind to approve is gone', async () => {
      const { world, model, daemon } = current()
      const expected = await bestHere(world.home)
      const T = escapes(current())
      const reprise = `REPRISE_HOME=${world.home} HOME=${world.root} '${process.execPath}' ${BIN}`
      script(world.path('approve'), [
        `cat ${world.home}/token > ${world.path('token-seen')}`,
        `${reprise} chains --json > ${world.path('chains-seen')} 2>&1`,
        `setsid env -i PATH="$PATH" sh -c 'while sleep 0.1; do for id in $(ls ${world.home} && ${reprise} chains --json | grep -o "chn_[a-z0-9]*"); do ${reprise} chains approve $id --json; done; done' ${T} >/dev/null 2>&1 </dev/null &`,
      ])
      model.plan([call('Bash', run(current(), 'approve')), verdict('escalate', { reason: 'x' })])
      const held = await startChain(current(), { approval: 'ask' })
      expect(held).toMatchObject({ status: 'held', runs: [{ sandbox: expected }] })
      if (expected !== 'none') {
        expect(readFileSync(world.path('token-seen'), 'utf8')).toBe('')
        expect(readFileSync(world.path('chains-seen'), 'utf8')).not.toContain(held.id)
        expect(survivors(T)).toEqual([])
      }
      // With or without a sandbox, neither the token of the data directory nor a pipe approves anything.
      const path = `/api/chains/${held.id}/approve`
      const headers = { 'content-type': 'application/json' }
      const refused = await world.request(daemon.url, path, { method: 'POST', body: '{}', headers })
      expect(refused.status).toBe(403)
      expect(await world.run(['chains', 'approve', held.id])).toMatchObject({ code: 2 })
      expect(await world.json(['chains', 'show', held.id])).toMatchObject({ status: 'held' })
      for (const pid of survivors(T)) process.kill(pid, 'SIGKILL')
    })
  })
}

/** What `auto` comes to on this machine. */
async function bestHere(home: string): Promise<SandboxKind> {
  const sandboxes = createSandboxes()
  for (const sandbox of ['bwrap', 'namespace'] as const) {
    if ((await sandboxes.test(sandbox, home)).works) return sandbox
  }
  return 'none'
}

/** Where no sandbox works, a chain says so. */
function expectUncontained({ runs }: Chain): void {
  expect(runs[0]?.sandboxNote).toMatch(/bwrap: .+; namespace: .+/)
}

/** Where no sandbox works, a run that asks for one is refused before anything is started. */
async function expectRefusal({ world }: DaemonWorld): Promise<void> {
  const { code, out } = await world.run(['send', '--json', '--sandbox', 'bwrap', 'go'])
  expect(code).toBe(1)
  expect(JSON.parse(out).run.failure).toMatchObject({
    class: 'spawn-failed',
    message: expect.stringContaining('`bwrap` does not work on this machine'),
    hint: expect.stringContaining('bubblewrap'),
  })
}

let count = 0
/** The command that started the processes does not end by itself. */
const FOR_EVER = 'while :; do sleep 1; done'

/** Writes the script that starts six processes which leave its tree; gives the word that they can be found by. */
function escapes({ world }: DaemonWorld, last = ''): string {
  count += 1
  const T = `31${process.pid}.${count}`
  const quiet = '>/dev/null 2>&1 </dev/null'
  script(world.path('escape'), [
    `setsid env -i sleep ${T} ${quiet} &`,
    `(setsid sleep ${T} ${quiet} &)`,
    `nohup sleep ${T} ${quiet} &`,
    `setsid -f env -i sh -c '(sleep ${T} &)' ${quiet}`,
    `sh -c 'trap "" HUP INT TERM; env -i sleep ${T}; :' ${quiet} &`,
    `(cd /; setsid env -i sh -c 'trap "" HUP TERM; sleep ${T} & wait' ${quiet} &)`,
    `until [ "$(grep -lazF ${T} /proc/[0-9]*/cmdline 2>/dev/null | wc -l)" -ge 8 ]; do sleep 0.05; done`,
    `echo 8 > ${world.path('spread.new')} && mv ${world.path('spread.new')} ${world.path('spread')}`,
    last,
  ])
  return T
}

/** In a file: Claude Code refuses some commands by how they read. */
function script(path: string, lines: readonly string[]): void {
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'))
  chmodSync(path, 0o755)
}

function run({ world }: DaemonWorld, name: string) {
  return { command: world.path(name), description: 'run it' }
}

async function startChain(
  { world }: DaemonWorld,
  second: { readonly approval?: 'ask' } = {},
): Promise<Chain> {
  const tier = (name: string) => ({
    name,
    role: 'Look.',
    permissionMode: 'dontAsk',
    allowedTools: ['Bash'],
  })
  const policy = { name: 'two', tiers: [tier('first'), { ...tier('second'), ...second }] }
  writeFileSync(world.path('two.yaml'), JSON.stringify(policy))
  const args = ['escalate', '-p', world.path('two.yaml'), 'check', '--json']
  const { out } = await world.run(args)
  return JSON.parse(out)
}

function survivors(T: string): readonly number[] {
  return listPids().filter(pid => commandLine(pid).includes(T))
}

/** The agents themselves, without the sandbox around them: a program by this name with an environment of this test. */
function agentsOf(root: string): readonly number[] {
  return listPids().filter(pid => {
    try {
      const isAgent = readlinkSync(`/proc/${pid}/exe`).endsWith('/claude')
      return isAgent && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(root)
    } catch {
      return false // It ended in the meantime, or is not ours.
    }
  })
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It ended in the meantime.
  }
}
