// `reprise escalate` and what shows chains, with and without a daemon: the same words, the same exit codes.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeScript, ScriptStep } from '../../../src/testing/fake-agent/script.ts'
import { appears, type DaemonProcess, eventually, ServeWorld } from '../daemon/serve-world.ts'
import { ended } from './cli-world.ts'

const POLICY = readFileSync(new URL('../../../policies/ops.yaml', import.meta.url), 'utf8')

const says = (verdict: string, more: readonly ScriptStep[] = []): FakeScript[number]['do'] => [
  ...more,
  { type: 'verdict', output: { verdict, summary: `it is ${verdict}`, reason: 'as it is' } },
]
const write: ScriptStep = { type: 'tool', name: 'Write', input: { file_path: 'x' }, denied: false }

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  const file = world.path('ops.yaml')
  writeFileSync(file, POLICY.replaceAll(/cooldownMs: \d+/g, 'cooldownMs: 0'))
  world.config({ policies: { ops: file } })
  script('resolved')
})
afterEach(() => world.closeAll())

function script(second: string, first = says('escalate')): void {
  world.script([
    { when: 'tier 1 of 3', do: first },
    { when: 'tier 2 of 3', do: says(second) },
    { when: 'tier 3 of 3', do: says(second) },
  ])
}

describe.each(['without a daemon', 'through the daemon'])('U-1 %s', how => {
  let daemon: DaemonProcess | null
  beforeEach(async () => {
    daemon = how === 'through the daemon' ? await world.serve() : null
  })

  test('E-7 M-4 a chain is priced, run to its end, shown, shown again from any of its runs, and priced by what it cost', async () => {
    const preview = ['escalate', '-p', 'ops', '--preview', 'check']
    const unknown = await world.here(preview)
    expect(unknown).toMatchObject({ code: 0, out: expect.stringMatching(/▸ +start .*not known/) })
    expect(unknown.out).toContain('No earlier chain of ops tells')
    expect(await world.list(['chains'])).toEqual([])
    const { code, out, err } = await world.run(['escalate', '-p', 'ops', 'check'])
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('→ tier 2') })
    expect(out).toContain('2 safe remediation')
    const [chain] = await world.list(['chains'])
    expect(chain).toMatchObject({ status: 'resolved', tier: 2, policy: 'ops' })
    for (const { id } of chain?.runs ?? []) {
      expect(await world.json(['chains', 'show', id])).toEqual(chain)
    }
    const priced = await world.here(preview)
    expect(priced.out).toMatch(
      /tier 2 safe remediation[\s\S]*▸ +fork +.*\$\d[\s\S]*up to this tier: about \$/,
    )
    const second = { tier: 2, estimate: { basis: { of: 'tier' }, costUsd: expect.any(Number) } }
    expect(await world.json(preview)).toMatchObject({ tiers: [{ tier: 1 }, second, { tier: 3 }] })
  })

  test.each([
    ['resolved', [], 'resolved', 0],
    ['failed', [], 'failed', 1],
    ['escalate', [], 'exhausted', 6],
    ['resolved', ['--max-tier', '1'], 'exhausted', 6],
    ['resolved', ['--budget', '0.001'], 'held', 6],
  ] as const)('tier 2 says %s with %j: %s, exit %i', async (second, flags, status, exitCode) => {
    script(second)
    const { code, out } = await world.here(['escalate', '-p', 'ops', 'check', '--json', ...flags])
    expect(JSON.parse(out)).toMatchObject({ status })
    expect(code).toBe(exitCode)
  })

  test('E-5 a tool outside the tier ends it with exit 6', async () => {
    script('resolved', says('escalate', [write]))
    const { code, out } = await world.run(['escalate', '-p', 'ops', 'check', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      because: { class: 'policy-violation' },
    })
    expect(code).toBe(6)
  })

  test('E-2 U-3 after kill -9 in the middle of a tier a person lets it go on; nobody else does', async () => {
    const reached = world.path('reached')
    const stuck: ScriptStep = { type: 'waitForFile', path: world.path('never'), reached }
    const act: ScriptStep = { type: 'tool', name: 'Bash', input: { command: 'act' }, result: null }
    world.script([
      { when: 'still operate as tier 1 of 3', do: says('resolved') },
      { when: 'tier 1 of 3', do: [act, stuck] },
    ])
    const child = world.start(['escalate', '-p', 'ops', 'check'])
    const end = ended(child)
    await appears(reached)
    if (daemon) {
      daemon.signal('SIGKILL')
      await daemon.end
    }
    child.kill('SIGKILL')
    await end
    if (daemon) await world.serve()
    const [{ id } = { id: '' }] = await world.list(['chains', 'ls'])
    await eventually(async () => (await world.json(['chains', 'show', id])).status !== 'running')
    const shown = await world.here(['chains', 'show', id])
    expect(shown.out).toContain('failed')
    expect(shown.err).toContain(
      `continue it: reprise chains continue ${id}\nwhat that would cost: reprise chains preview ${id}\n`,
    )
    const preview = await world.here(['chains', 'preview', id])
    expect(preview).toMatchObject({ code: 0, out: expect.stringMatching(/^tier 1 /) })
    const refused = await world.here(['chains', 'approve', id], world.approving)
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('chains continue') })
    const done = await world.json(['chains', 'continue', id], world.approving)
    expect(done).toMatchObject({ status: 'resolved', tier: 1 })
    expect(done.runs).toMatchObject([
      { status: 'interrupted', failure: { class: 'supervisor-died' } },
      { status: 'completed', attempt: 2, parentRunId: done.runs[0]?.id },
    ])
    const again = await world.here(['chains', 'continue', id], world.approving)
    expect(again).toMatchObject({ code: 4, err: expect.stringContaining('is resolved') })
    expect((await world.here(['chains', 'continue', 'chn_nobody'], world.approving)).code).toBe(3)
  })

  test('U-4 what cannot be run gives an error with a hint, and leaves nothing', async () => {
    const unknown = await world.here(['escalate', '-p', 'opps', 'check'])
    expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining('"ops"') })
    const high = await world.here(['escalate', '-p', 'ops', '--max-tier', '4', 'check'])
    expect(high).toMatchObject({ code: 2, err: expect.stringContaining('from 1 to 3') })
    expect(await world.list(['chains'])).toEqual([])
  })
})

test('S19 a person approves a held chain over the daemon', async () => {
  const asking = POLICY.replaceAll(/cooldownMs: \d+/g, 'cooldownMs: 0').replace(
    '  - name: safe remediation',
    '  - approval: ask\n    name: safe remediation',
  )
  writeFileSync(world.path('ops.yaml'), asking)
  await world.serve()
  const held = await world.here(['escalate', '-p', 'ops', 'check', '--json'])
  expect(held.code).toBe(6)
  const { id } = JSON.parse(held.out)
  const shown = await world.here(['chains', 'show', id])
  expect(shown.err).toContain(`what the next tier would cost: reprise chains preview ${id}`)
  const preview = await world.here(['chains', 'preview', id])
  expect(preview.code).toBe(0)
  expect(preview.out).toMatch(/^tier 2 /)
  expect(preview.out).toMatch(/▸ +fork/)
  expect(await world.json(['chains', 'preview', id])).toMatchObject({ tier: 2 })
  expect(await world.json(['chains', 'approve', id], world.approving)).toMatchObject({
    status: 'resolved',
    tier: 2,
  })
})

test('S16 chains show says whom each tier trusted, and what the policy opens in the tier that a person must approve', async () => {
  const opening = POLICY.replaceAll(/cooldownMs: \d+/g, 'cooldownMs: 0')
    .replace('  - name: observe', '  - trust: user\n    name: observe')
    .replace(
      '  - name: safe remediation',
      '  - approval: ask\n    trust: project\n    sandbox: none\n    name: safe remediation',
    )
  writeFileSync(world.path('ops.yaml'), opening)
  const { id } = JSON.parse((await world.here(['escalate', '-p', 'ops', 'check', '--json'])).out)
  const { out } = await world.here(['chains', 'show', id])
  expect(out).toContain('tier 1 trusts user: settings, hooks and servers of the user take part')
  expect(out).toMatch(
    /tier 2 waits for the approval of a person; it trusts project: .*; it runs without a sandbox/,
  )
})

test('E-9 a schedule is run by the daemon, and listed and removed by the CLI', async () => {
  const { id } = await world.json(['escalate', '-p', 'ops', '--every', '1s', 'check'])
  expect(await world.list(['chains'])).toEqual([])
  await world.serve()
  await eventually(async () => (await world.list(['chains'])).length >= 2)
  expect(await world.list(['schedules'])).toMatchObject([{ id, recurrence: { everyMs: 1_000 } }])
  await world.json(['schedules', 'rm', id])
  expect(await world.list(['schedules'])).toEqual([])
})

test('E-16 a policy whose tiers have different agents is shown, checked and run; agents that are not there are named', async () => {
  const withAgent = (name: string) =>
    POLICY.replace(
      '  - name: safe remediation\n',
      `  - name: safe remediation\n    agent: ${name}\n`,
    )
  writeFileSync(world.path('mixed.yaml'), withAgent('second'))
  const shown = await world.here(['policies', 'show', world.path('mixed.yaml')])
  expect(shown.out).toMatch(/tier 2: safe remediation\n {2}role .*\n {2}agent {6}second\n/)
  expect((await world.here(['policies', 'check', world.path('mixed.yaml')])).code).toBe(0)
  const run = await world.run(['escalate', '-p', world.path('mixed.yaml'), 'check'])
  expect(run.out).toMatch(/^tier +agent +model/m)
  expect(run.out).toMatch(/^2 safe remediation +second .* handover/m)
  writeFileSync(world.path('mixed.yaml'), withAgent('codx'))
  world.config({ policies: { ops: world.path('mixed.yaml') } })
  const words = 'tier 2: there is no agent named "codx"'
  const refused = { code: 3, err: expect.stringContaining(words) }
  expect(await world.here(['policies', 'check', world.path('mixed.yaml')])).toMatchObject(refused)
  expect(await world.here(['escalate', '-p', 'ops', 'check'])).toMatchObject(refused)
  const checked = await world.here(['config', 'check'])
  expect(checked).toMatchObject({ code: 2, err: expect.stringContaining(words) })
  expect((await world.here(['policies'])).out).toContain(words)
})

test('E-1 policies check names the line of a fault, and says when a policy is good', async () => {
  expect((await world.here(['policies', 'check', world.path('ops.yaml')])).code).toBe(0)
  writeFileSync(world.path('bad.yaml'), 'name: bad\ntiers:\n  - name: x\n    rol: y\n')
  const bad = await world.here(['policies', 'check', world.path('bad.yaml')])
  expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('bad.yaml:4') })
})
