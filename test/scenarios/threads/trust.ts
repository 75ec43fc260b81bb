// Scenarios of trust: what a repository and the user's own config may make the real agent do, channel by channel.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Trust } from '../../../src/core/run/trust.ts'
import type { Chain, Run } from '../../../src/index.ts'
import { startModelApi, textReply } from '../../../src/testing/index.ts'
import { opsPolicy } from '../chains/chains.ts'
import { type Act, call, say, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { type HostileRepository, hostileRepository } from '../harness/hostile-repository.ts'
import { NEWEST, type RealVersion } from '../harness/program.ts'

type Channel = {
  readonly what: string
  readonly proof: string
  /** Versions on which it is open when everybody is trusted: there the test can fail. */
  readonly opensOn: readonly RealVersion[]
}

const BOTH: readonly RealVersion[] = ['2.1.197', NEWEST]

/** Of the repository. */
const REPOSITORY: readonly Channel[] = [
  { what: 'a SessionStart hook of .claude/settings.json', proof: 'project-session-hook' },
  { what: 'a UserPromptSubmit hook of .claude/settings.json', proof: 'project-prompt-hook' },
  { what: 'a PreToolUse hook of .claude/settings.json', proof: 'project-tool-hook' },
  { what: 'a Stop hook of .claude/settings.json', proof: 'project-stop-hook' },
  { what: 'a SessionStart hook of settings.local.json', proof: 'local-session-hook' },
  { what: 'a PreToolUse hook that answers allow', proof: 'hook-allow' },
  { what: 'permissions.allow of a trusted directory', proof: 'project-allow' },
  { what: 'permissions.allow of settings.local.json', proof: 'local-allow' },
  { what: 'apiKeyHelper', proof: 'key-helper' },
  { what: 'a server of .mcp.json', proof: 'mcp-json' },
  { what: "a skill's command", proof: 'skill' },
  { what: 'core.fsmonitor of .git/config', proof: 'git-fsmonitor', opensOn: ['2.1.197'] as const },
  { what: 'a filter of .git/config', proof: 'git-filter', opensOn: ['2.1.197'] as const },
].map(channel => ({ opensOn: BOTH, ...channel }))

/** Of the user. */
const USER: readonly Channel[] = [
  { what: 'a SessionStart hook', proof: 'user-session-hook' },
  { what: 'a PreToolUse hook', proof: 'user-tool-hook' },
  { what: 'permissions.allow', proof: 'user-allow' },
  { what: 'an MCP server for all projects', proof: 'user-server' },
].map(channel => ({ opensOn: BOTH, ...channel }))

const LOCAL_SERVER: Channel = {
  what: 'an MCP server for this directory',
  proof: 'local-server',
  opensOn: BOTH,
}

const NOTES = ['MARMOT-IN-CLAUDE-MD', 'MARMOT-IN-IMPORT', 'MARMOT-IN-DOT-CLAUDE']

export function trustScenarios(world: () => Harness, version: RealVersion): void {
  channelScenarios(world, version)
  trustedTurnScenarios(world)
}

/** Which ways into the agent are open differs between its versions. */
function channelScenarios(world: () => Harness, version: RealVersion): void {
  type Tried = { readonly repository: HostileRepository; readonly got: string }
  const tried = new Map<Trust | 'chain', Tried>()
  const of = (how: Trust | 'chain'): Tried => {
    const found = tried.get(how)
    if (found) return found
    throw new Error(`nothing was run as ${how}`)
  }
  let chain: Chain

  describe('in a hostile repository', () => {
    beforeAll(async () => {
      const repository = hostileRepository(world(), 'hostile-chain')
      world().model.plan([...EVERYTHING, verdict('resolved'), verdict('resolved')])
      chain = await chainIn(world(), repository)
      const got = await world().model.everything(chain.runs[0]?.id ?? '')
      tried.set('chain', { repository, got })
      // Nobody guards the calls of a thread: only trust decides there.
      for (const trust of ['none', 'user', 'project'] as const) {
        const repository = hostileRepository(world(), `hostile-${trust}`)
        const run = await runIn(world(), repository, { trust, acts: [...EVERYTHING, say('done')] })
        tried.set(trust, { repository, got: await world().model.everything(run.id) })
      }
    })

    test('E-12 S16 a chain resolves without a violation, and says that nobody was trusted', () => {
      expect(chain.runs.map(({ failure }) => failure)).toEqual([null])
      expect(chain.status).toBe('resolved')
      expect(chain.byTier.map(tier => tier.trust)).toEqual(['none'])
    })

    for (const { what, proof, opensOn } of [...REPOSITORY, ...USER, LOCAL_SERVER]) {
      test(`E-12 S15 ${what} is closed (${proof})`, () => {
        for (const fenced of ['chain', 'none'] as const) {
          expect(of(fenced).repository.proofOf(proof), fenced).toBeNull()
        }
        // The same repository does get through where it is trusted: the channel is a real one.
        expect(of('project').repository.proofOf(proof) !== null).toBe(opensOn.includes(version))
      })
    }

    test('E-12 S15 with trust user everything of the repository is closed, and what the user has set up takes part', () => {
      const { repository } = of('user')
      for (const { proof } of [...REPOSITORY, LOCAL_SERVER]) {
        expect(repository.proofOf(proof), proof).toBeNull()
      }
      for (const { proof } of USER) expect(repository.proofOf(proof), proof).not.toBeNull()
    })

    test('E-12 S15 variables of settings do not reach the agent', () => {
      expect(of('project').got).toContain('set-by-project')
      expect(of('user').got).not.toContain('set-by-project')
      for (const whose of ['project', 'local', 'user']) {
        for (const fenced of ['chain', 'none'] as const) {
          expect(of(fenced).got, fenced).not.toContain(`set-by-${whose}`)
        }
      }
    })

    test('E-12 S16 what the project has written in CLAUDE.md reaches the model all the same', () => {
      for (const trust of ['chain', 'none', 'user', 'project'] as const) {
        for (const note of NOTES) expect(of(trust).got, trust).toContain(note)
      }
    })
  })

  for (const { what, agent, acts, proof } of AGENTS) {
    test(`E-12 S15 ${what} is closed (${proof})`, async () => {
      const start = call('Agent', { description: 'do it', prompt: 'do it', subagent_type: agent })
      const closed = hostileRepository(world(), `closed-${agent}`)
      world().model.plan([start, verdict('resolved')])
      expect((await chainIn(world(), closed)).status).toBe('resolved')
      expect(closed.proofOf(proof)).toBeNull()
      for (const trust of ['none', 'user'] as const) {
        const fenced = hostileRepository(world(), `${trust}-${agent}`)
        await runIn(world(), fenced, { trust, acts: [start, ...acts, say('x'), say('y')] })
        expect(fenced.proofOf(proof), trust).toBeNull()
      }
      // 2.1.325 lets such agents work in the background: what they come to is a matter of time.
      if (version !== '2.1.197') return
      const open = hostileRepository(world(), `open-${agent}`)
      await runIn(world(), open, { trust: 'project', acts: [start, ...acts, say('x'), say('y')] })
      expect(open.proofOf(proof)).not.toBeNull()
    })
  }

  forgetSettings(world)
}

/** What a turn gets by whom it trusts: the same arguments close the same channels. */
function trustedTurnScenarios(world: () => Harness): void {
  test('E-12 S15 ANTHROPIC_BASE_URL of a repository does not lead requests away', async () => {
    const elsewhere = await startModelApi()
    elsewhere.respond(() => textReply('I am somebody else'))
    try {
      const workDir = world().path('misleading')
      mkdirSync(join(workDir, '.claude'), { recursive: true })
      const settings = { env: { ANTHROPIC_BASE_URL: elsewhere.url } }
      writeFileSync(join(workDir, '.claude/settings.json'), JSON.stringify(settings))
      const ask = async (trust: Trust) => {
        const thread = await world().reprise.threads.create({ workDir, trust })
        return (await world().turn(thread, 'who are you?', { acts: [say('I am myself')] })).text
      }
      for (const trust of ['none', 'user'] as const) expect(await ask(trust)).toBe('I am myself')
      expect(elsewhere.requests).toHaveLength(0)
      expect(await ask('project')).toBe('I am somebody else')
    } finally {
      await elsewhere.close()
    }
  })

  test('E-12 S16 an untrusted thread stays closed on every turn, also when its session is resumed or forked', async () => {
    const repository = hostileRepository(world(), 'untrusted')
    const { workDir } = repository
    const thread = await world().reprise.threads.create({ workDir, trust: 'none' })
    await world().turn(thread, 'one', { acts: [touch('hook-allow'), say('first')] })
    const resumed = await world().turn(thread, 'two', {
      acts: [touch('user-allow'), say('second')],
    })
    expect(resumed.run).toMatchObject({ trust: 'none', decision: { action: 'resume' } })
    const { messages } = await thread.show()
    await thread.edit(messages[2]?.id ?? '', 'two, in other words')
    const forked = await world().turn(thread, 'three', { acts: [touch('project-allow'), say('x')] })
    expect(forked.run.decision?.action).toBe('fork')
    for (const { proof } of [...REPOSITORY, ...USER, LOCAL_SERVER]) {
      expect(repository.proofOf(proof), proof).toBeNull()
    }
    // A turn may say otherwise for itself.
    const trusting = await world().turn(thread, 'four', { trust: 'project', acts: [say('y')] })
    expect(trusting.run.trust).toBe('project')
    expect(repository.proofOf('project-session-hook')).not.toBeNull()
  })

  test('E-12 S16 a version that does not know the flags is refused with the reason before anything starts, unless everybody is trusted', async () => {
    const { workDir, spawns } = world()
    await world().restart({ program: 'no-setting-sources' })
    const refused = {
      code: 'agent-unusable',
      message: expect.stringContaining('cannot keep other settings out'),
      hint: expect.stringContaining('claude update'),
    }
    const thread = await world().reprise.threads.create({ workDir })
    for (const trust of ['none', 'user'] as const) {
      await expect(thread.send('hello', { trust }).result).rejects.toMatchObject(refused)
    }
    const job = { prompt: 'hello', workDir, trust: 'none' } as const
    await expect(world().reprise.jobs.submit(job)).rejects.toMatchObject(refused)
    const chain = { policy: opsPolicy(), prompt: 'check', workDir }
    await expect(world().reprise.chains.start(chain).result).rejects.toMatchObject(refused)
    expect(world().spawns).toBe(spawns)
    const { run } = await world().turn(thread, 'hello', { acts: [say('x')] })
    expect(run).toMatchObject({ status: 'completed', trust: 'project' })
    await world().restart()
  })

  test("E-12 S16 a thread in one's own directory has what the agent itself would have", async () => {
    const repository = hostileRepository(world(), 'own')
    const thread = await world().reprise.threads.create({ workDir: repository.workDir })
    const { run } = await world().turn(thread, 'hello', {
      acts: [touch('project-allow'), say('x')],
    })
    expect(run.trust).toBe('project')
    expect(repository.proofOf('project-session-hook')).not.toBeNull()
    expect(repository.proofOf('project-allow')).not.toBeNull()
  })

  test('E-12 S16 CLAUDE.md of a directory with a blank in its name arrives; one that leads out of it does not', async () => {
    const workDir = world().path('with a blank')
    mkdirSync(workDir)
    writeFileSync(join(workDir, 'CLAUDE.md'), 'MARMOT-BEHIND-A-BLANK')
    writeFileSync(world().path('outside.md'), 'MARMOT-OUTSIDE')
    symlinkSync(world().path('outside.md'), join(workDir, 'CLAUDE.local.md'))
    const thread = await world().reprise.threads.create({ workDir, trust: 'none' })
    const { run } = await world().turn(thread, 'hello', { acts: [say('x')] })
    const got = await world().model.everything(run.id)
    expect(got).toContain('MARMOT-BEHIND-A-BLANK')
    expect(got).not.toContain('MARMOT-OUTSIDE')
  })

  forgetSettings(world)
}

function forgetSettings(world: () => Harness): void {
  afterAll(() => {
    for (const file of ['settings.json', '.claude.json']) {
      rmSync(world().path(`home/.claude/${file}`), { force: true })
    }
  })
}

const AGENTS = [
  {
    what: 'an agent of the repository with bypassPermissions',
    agent: 'bypass',
    acts: [touch('agent-bypass'), say('done')],
    proof: 'agent-bypass',
  },
  {
    what: 'a hook of an agent of the repository',
    agent: 'hooked',
    acts: [call('Bash', { command: 'ls', description: 'look' }), say('done')],
    proof: 'agent-hook',
  },
]

function touch(channel: string): Act {
  return call('Bash', { command: `touch ${channel}`, description: 'touch' })
}

const EVERYTHING: readonly Act[] = [
  touch('hook-allow'),
  touch('project-allow'),
  touch('local-allow'),
  touch('user-allow'),
  ...['PROJECT', 'LOCAL', 'USER'].map(whose =>
    call('Bash', { command: `printenv HOSTILE_${whose}`, description: 'look' }),
  ),
  call('Skill', { skill: 'evil' }),
]

const ALLOWED = ['Read', 'Bash(ls:*)', 'Bash(printenv:*)', 'Skill', 'Task', 'Agent']

/** One tier that may look, ask skills and start sub-agents. */
function chainIn(world: Harness, { workDir }: HostileRepository): Promise<Chain> {
  const policy = opsPolicy({ maxTier: 1 })
  const only = policy.tiers.slice(0, 1)
  const tiers = only.map(tier => ({ ...tier, allowedTools: ALLOWED, disallowedTools: [] }))
  const options = { policy: { ...policy, tiers }, prompt: 'check', workDir }
  return world.reprise.chains.start(options).result
}

/** A turn with the same tools. */
async function runIn(
  world: Harness,
  { workDir }: HostileRepository,
  { trust, acts }: { readonly trust: Trust; readonly acts: readonly Act[] },
): Promise<Run> {
  const thread = await world.reprise.threads.create({ workDir, trust })
  const options = { permissionMode: 'dontAsk', allowedTools: ALLOWED, acts }
  return (await world.turn(thread, 'check', options)).run
}
