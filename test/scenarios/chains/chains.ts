// Scenarios of escalation chains: each tier goes on with the conversation of the one below, with its own powers and its own bill.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPolicyFile } from '../../../src/config/read-policy.ts'
import type { Policy } from '../../../src/core/chain/policy.ts'
import { escalationPrompt } from '../../../src/core/chain/tier-prompt.ts'
import type { Chain, ChainOptions, RunEvent } from '../../../src/index.ts'
import { type Act, call, say, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { isReal } from '../harness/program.ts'
import { expectInOrder } from '../threads/continuing.ts'

const POLICY_FILE = new URL('../../../policies/ops.yaml', import.meta.url).pathname

/** The policy that comes along, without pauses between chains. */
export function opsPolicy(more: Partial<Policy> = {}): Policy {
  const policy = readPolicyFile(POLICY_FILE)
  return { ...policy, tiers: policy.tiers.map(tier => ({ ...tier, cooldownMs: 0 })), ...more }
}

/** Between two tiers the chain is held, so that a test can do something there. */
export function heldBetweenTiers(): Policy {
  const policy = opsPolicy()
  const asks = (at: number) => (at === 0 ? {} : { approval: 'ask' as const })
  return { ...policy, tiers: policy.tiers.map((tier, at) => ({ ...tier, ...asks(at) })) }
}

export const escalate = (reason = 'needs more') => verdict('escalate', { reason })

export const look = (says: string) =>
  call('Bash', { command: `echo ${says}`, description: 'look' }, says)

/** A chain to its end; `tiers` is what the model does in each of its runs. */
export async function runChain(
  world: Harness,
  tiers: readonly (readonly Act[])[],
  options: Partial<ChainOptions> = {},
): Promise<{ chain: Chain; events: readonly RunEvent[] }> {
  for (const acts of tiers) world.model.plan(acts)
  const run = world.reprise.chains.start({
    policy: opsPolicy(),
    prompt: 'check the fleet',
    workDir: world.workDir,
    ...options,
  })
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return { chain: await run.result, events }
}

export function chainScenarios(world: () => Harness): void {
  const chain = (tiers: readonly (readonly Act[])[], options?: Partial<ChainOptions>) =>
    runChain(world(), tiers, options)
  const argumentOf = (run: { id: string }, flag: string) => {
    const args = world().argumentsOf({ run })
    return args[args.indexOf(flag) + 1]
  }

  test('E-3 E-7 three tiers: each goes on in a fork of the session below, with its own model, tools and session, without a note', async () => {
    const { chain: done } = await chain([
      [look('web-is-down'), escalate('a restart is needed')],
      [look('restart-failed'), escalate('a playbook is needed')],
      [look('playbook-done'), verdict('resolved')],
    ])
    expect(done).toMatchObject({ status: 'resolved', tier: 3, words: expect.any(String) })
    const [one, two, three] = done.runs
    expect(done.runs.map(run => run.tier)).toEqual([1, 2, 3])
    expect([two?.parentRunId, three?.parentRunId]).toEqual([one?.id, two?.id])
    expect(done.runs.map(run => run.decision?.action)).toEqual(['start', 'fork', 'fork'])
    expect(done.runs.map(run => run.model)).toEqual([
      expect.stringContaining('haiku'),
      expect.stringContaining('sonnet'),
      expect.stringContaining('opus'),
    ])
    expect(new Set(done.runs.map(run => run.sessionId)).size).toBe(3)
    expect(done.runs.map(run => run.verdict?.verdict)).toEqual(['escalate', 'escalate', 'resolved'])
    for (const [index, run] of done.runs.entries()) {
      const tier = opsPolicy().tiers[index]
      const args = world().argumentsOf({ run })
      expect(argumentOf(run, '--model')).toBe(tier?.model)
      for (const rule of tier?.allowedTools ?? []) expect(args).toContain(`--allowedTools=${rule}`)
      for (const rule of tier?.disallowedTools ?? [])
        expect(args).toContain(`--disallowedTools=${rule}`)
      expect(args.some(arg => arg.startsWith('--append-system-prompt'))).toBe(false)
      if (index === 0) continue
      expect(argumentOf(run, '--resume')).toBe(done.runs[index - 1]?.sessionId)
      expect(args).toContain('--fork-session')
    }
    // What the model got at tier 3 holds all that the tools of tiers 1 and 2 gave.
    const everything = await world().model.everything(three?.id ?? '')
    expect(everything).toContain('web-is-down')
    expect(everything).toContain('restart-failed')
    // The same whole chain from each of its runs.
    for (const run of done.runs) {
      expect(await world().reprise.chains.ofRun(run.id)).toEqual(done)
    }
    expect(done.runs.map(run => run.handoverNote)).toEqual([null, null, null])
    expect(readdirSync(world().workDir)).toEqual([])
    expect(await world().reprise.threads.list()).toEqual([])
    expect(await world().reprise.verify()).toEqual([])
  })

  test('C-1 C-2 C-7 the session id of tier 1 is the one the agent named, stored with its run, and found again after a restart', async () => {
    const { chain: done, events } = await chain([[look('up'), verdict('resolved')]])
    const [run] = done.runs
    const args = world().argumentsOf({ run: { id: run?.id ?? '' } })
    expect(args[args.indexOf('--output-format') + 1]).toBe('stream-json')
    const named = events.flatMap(event => (event.type === 'session' ? event.sessionId : []))
    expect(named).toEqual([run?.sessionId])
    await world().restart()
    expect(await world().reprise.runs.list({ sessionId: named[0] ?? '' })).toEqual([run])
    expect(run).toMatchObject({
      tier: 1,
      status: 'completed',
      model: expect.stringContaining('haiku'),
      costUsd: expect.any(Number),
      durationMs: expect.any(Number),
      sessionConfirmedAt: expect.any(Number),
    })
    expect(existsSync(world().sessionFile(named[0] ?? ''))).toBe(true)
  })

  test('E-4 the escalation prompt is the sole new input: no note, no findings, no focus line', async () => {
    const { chain: done } = await chain([
      [look('secret-finding'), say('I saw secret-finding'), escalate('secret-reason')],
      [verdict('resolved')],
    ])
    const second = done.runs[1]
    const saw = await world().model.saw(second?.id ?? '')
    const mandate = { policy: opsPolicy(), maxTier: 3, dryRun: false, budget: opsPolicy().budget }
    const where = 'The earlier investigation by tier 1 (observe) is in this conversation.'
    const prompt = `${where}\n\n${escalationPrompt(mandate, 2, 'structured')}`
    expect(saw.filter(text => text.includes('tier 2 of 3'))).toEqual([prompt])
    expect(prompt).not.toContain('secret')
    expect(prompt.length / 4).toBeLessThan(500)
    expect(second?.handoverNote).toBeNull()
  })

  test('E-8 M-1 every tier has its own cost, and they add up to what was billed', async () => {
    const { chain: done } = await chain([
      [look('one'), escalate()],
      [look('two'), look('three'), escalate()],
      [verdict('resolved')],
    ])
    let billed = 0
    for (const run of done.runs) {
      const bill = world().model.bill(run)
      expect(run.costUsd).toBeCloseTo(bill.costUsd, 6)
      expect(run.costDisputed).toBe(false)
      billed += bill.costUsd
    }
    expect(done.byTier.map(tier => tier.costUsd)).toEqual(done.runs.map(run => run.costUsd))
    expect(done.totals.costUsd).toBeCloseTo(billed, 6)
  })

  test('E-5 Write and a restart are refused at tier 1 and work at tier 2; a playbook is refused at tier 2 and works at tier 3', async () => {
    const bin = world().path('bin')
    mkdirSync(bin, { recursive: true })
    const played = world().path('played')
    for (const [name, says] of [
      ['ansible-playbook', 'played'],
      ['docker', 'restarted'],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${says} >> ${played}\n`, { mode: 0o755 })
    }
    await world().restart({ agentEnv: { PATH: `${bin}:${process.env.PATH}` } })
    const file = join(world().workDir, 'written.txt')
    const write = (fails?: 'missing') =>
      call('Write', { file_path: file, content: 'fixed' }, 'File created', fails)
    const play = (fails?: 'denied') =>
      call('Bash', { command: 'ansible-playbook site.yml', description: 'x' }, 'played', fails)
    const restart = (fails?: 'denied') =>
      call('Bash', { command: 'docker restart web', description: 'x' }, 'restarted', fails)
    const seen: { tier: number; file: boolean; played: string }[] = []
    for (const acts of [
      [write('missing'), restart('denied'), escalate()],
      [write(), restart(), play('denied'), escalate()],
      [play(), verdict('resolved')],
    ]) {
      world().model.plan(acts)
    }
    const { chains } = world().reprise
    const policy = heldBetweenTiers()
    const look = ({ tier }: Chain) => {
      const did = existsSync(played) ? readFileSync(played, 'utf8') : ''
      seen.push({ tier, file: existsSync(file), played: did })
    }
    let done = await chains.start({ policy, prompt: 'repair it', workDir: world().workDir }).result
    look(done)
    while (done.status === 'held') {
      done = await chains.approve(done.id).result
      look(done)
    }
    expect(done.status).toBe('resolved')
    const results = await Promise.all(
      done.runs.map(async ({ id }) =>
        (await world().reprise.runs.events(id))
          .flatMap(event => (event.type === 'tool-result' ? event : []))
          .map(({ isError, denied }) => ({ isError, denied })),
      ),
    )
    const refused = { isError: true, denied: true }
    const worked = { isError: false, denied: false }
    expect(results).toEqual([[refused, refused], [worked, worked, refused], [worked]])
    await world().restart()
    if (!isReal(world().kind)) return
    expect(seen).toEqual([
      { tier: 1, file: false, played: '' },
      { tier: 2, file: true, played: 'restarted\n' },
      { tier: 3, file: true, played: 'restarted\nplayed\n' },
    ])
  })

  test('E-6 F-2 a refused resume goes on with a handover note from the store; the log says why, and no tier runs twice', async () => {
    for (const acts of [
      [look('disk-is-full'), verdict('escalate', { reason: 'rm', findings: [FINDING] })],
      [verdict('resolved')],
    ]) {
      world().model.plan(acts)
    }
    const run = world().reprise.chains.start({
      policy: opsPolicy(),
      prompt: 'check the disk',
      workDir: world().workDir,
    })
    for await (const event of run) {
      if (event.type !== 'session') continue
      const file = join(world().path('home'), '.claude', 'projects')
      world().programs.beforeNextStart(`find '${file}' -name '*.jsonl' -delete`)
    }
    const done = await run.result
    expect(done).toMatchObject({ status: 'resolved' })
    const [, refused, third] = done.runs
    expect(done.runs.map(({ tier }) => tier)).toEqual([1, 2, 2])
    expect(refused).toMatchObject({
      failure: { class: 'resume-refused' },
      continuedBy: third?.id,
      chainStep: null,
    })
    expect(third?.decision).toMatchObject({
      action: 'handover',
      reason: { code: 'resume-refused' },
    })
    const [prompt = ''] = await world().model.saw(third?.id ?? '')
    expect(prompt).not.toContain('in this conversation')
    expectInOrder(prompt, [
      'The session of tier 1 (observe) could not be continued (the agent refused to continue session',
      'check the disk',
      'port 80 is closed',
      'disk-is-full',
      'tier 2 of 3',
    ])
    expect(third?.handoverNote?.tiers[0]).toMatchObject({ tier: 1, verdict: 'escalate' })
    const log = await world().reprise.runs.events(third?.id ?? '')
    expect(log).toContainEqual(expect.objectContaining({ type: 'notice', code: 'handover' }))
  })

  test('E-2 a malformed verdict is asked for once more in the same session, then the chain has failed', async () => {
    const { chain: helped } = await chain(
      [[say('all is well')], [verdict('resolved')]].flatMap(twice(world())),
    )
    expect(helped).toMatchObject({ status: 'resolved', tier: 1 })
    expect(helped.runs.map(run => run.decision?.action)).toEqual(['start', 'resume'])
    expect(helped.runs[1]?.sessionId).toBe(helped.runs[0]?.sessionId)
    const silent = [say('hm'), say('hm again')]
    const { chain: failed } = await chain([silent, silent, [verdict('resolved')]])
    expect(failed).toMatchObject({ status: 'failed', because: { code: 'verdict-malformed' } })
    expect(failed.runs).toHaveLength(2)
    world().model.reset()
  })

  test('E-11 tiers of one model that take no whole tool away find what the one below has sent in the prompt cache', async () => {
    const policy = opsPolicy()
    const tiers = policy.tiers.map(tier => ({
      ...tier,
      model: 'claude-sonnet-4-5',
      disallowedTools: tier.disallowedTools.filter(rule => rule.includes('(')),
    }))
    const long = 'a long list of what is there, '.repeat(200)
    const { chain: done } = await chain(
      [
        [call('Bash', { command: `echo ${long}`, description: 'x' }, long), escalate()],
        [verdict('resolved')],
      ],
      { policy: { ...policy, tiers } },
    )
    const [below, above] = done.runs
    const cached = above?.usage.cacheReadTokens ?? 0
    expect(cached / (below?.contextTokens ?? 0)).toBeGreaterThan(0.9)
    expect(above?.usage.cacheWriteTokens).toBeLessThan(1_000)
  })
}

const FINDING = { service: 'web', status: 'down', detail: 'port 80 is closed' }

/** A real agent asks its model once more by itself before it gives up on structured output. */
function twice(world: Harness): (acts: readonly Act[]) => readonly (readonly Act[])[] {
  return acts => {
    const [first] = acts
    return isReal(world.kind) && first?.does === 'say' ? [[first, first]] : [acts]
  }
}
