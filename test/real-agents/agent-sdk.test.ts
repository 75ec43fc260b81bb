// The real Agent SDK as the way to the agent: its own program, the options that a caller adds to its query, what it may not say.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type AgentSdk,
  claudeCode,
  createReprise,
  type LocalReprise,
  sqlite,
} from '../../src/index.ts'
import { append, call, say } from '../scenarios/harness/acts.ts'
import { agentSdk, createHarness, type Harness } from '../scenarios/harness/harness.ts'
import { hostileRepository } from '../scenarios/harness/hostile-repository.ts'
import { NEWEST } from '../scenarios/harness/program.ts'

describe('the Agent SDK', () => {
  let world: Harness
  let reprise: LocalReprise | null = null

  beforeAll(async () => {
    world = await createHarness(NEWEST, { transport: 'sdk' })
  })
  afterEach(async () => {
    await reprise?.close()
    reprise = null
    world.model.reset()
  })
  afterAll(() => world.close())

  /** A Reprise over the SDK with options that an embedding program adds. */
  async function withOptions(options: Readonly<Record<string, unknown>>): Promise<LocalReprise> {
    const real = await agentSdk()
    const sdk: AgentSdk = {
      query: ({ prompt, options: ours }) =>
        real.query({ prompt, options: { ...ours, ...options } }),
    }
    return open(sdk)
  }

  async function open(sdk: AgentSdk): Promise<LocalReprise> {
    const executable = await world.programs.path('usual')
    reprise = createReprise({
      store: sqlite(world.path('other.db')),
      agents: [claudeCode({ sdk, executable, env: world.agentEnv })],
      dataDir: world.path('other-data'),
      environment: { PATH: process.env.PATH },
    })
    return reprise
  }

  async function turn(on: LocalReprise, prompt: string) {
    const thread = await on.threads.create({ workDir: world.workDir })
    return thread.send(prompt, { allowedTools: ['Bash'] }).result
  }

  test('L-4 without an executable of its own, an agent over the SDK runs the program that the SDK brings', async () => {
    const { executable } = claudeCode({ sdk: await agentSdk() })
    expect(executable).toMatch(/claude-agent-sdk-linux-\w+\/claude$/)
  })

  test('S16 an untrusted thread is closed through the SDK too, on its first turn and on a resume', async () => {
    const repository = hostileRepository(world, 'hostile')
    const channels = [
      ...['project-session-hook', 'project-tool-hook', 'local-session-hook', 'user-session-hook'],
      ...['project-allow', 'user-allow', 'key-helper', 'mcp-json', 'user-server', 'local-server'],
    ]
    const { workDir } = repository
    const acts = ['project-allow', 'user-allow'].map(channel =>
      call('Bash', { command: `touch ${channel}`, description: 'touch' }),
    )
    const thread = await world.reprise.threads.create({ workDir, trust: 'none' })
    await world.turn(thread, 'one', { acts: [...acts, say('first')] })
    const { run } = await world.turn(thread, 'two', { acts: [...acts, say('second')] })
    expect(run).toMatchObject({ trust: 'none', decision: { action: 'resume' } })
    for (const channel of channels) expect(repository.proofOf(channel), channel).toBeNull()
    await world.turn(thread, 'three', { trust: 'project', acts: [...acts, say('third')] })
    for (const channel of channels) expect(repository.proofOf(channel), channel).not.toBeNull()
  })

  test('L-4 hooks that the caller adds to the query are asked, and the run is on record as ever', async () => {
    const asked: unknown[] = []
    const hook = async (input: { readonly tool_name: string }) => {
      asked.push(input.tool_name)
      return {}
    }
    const hooked = await withOptions({ hooks: { PreToolUse: [{ hooks: [hook] }] } })
    world.model.plan([append(world.path('hooked'), 'x'), say('done')])
    const { run, text } = await turn(hooked, 'append it')
    expect([run.status, text, asked]).toEqual(['completed', 'done', ['Bash']])
    const events = await hooked.runs.events(run.id)
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
  })

  test('L-4 canUseTool of the caller decides about calls that need a permission', async () => {
    const asked: string[] = []
    const canUseTool = async (name: string) => {
      asked.push(name)
      return { behavior: 'deny', message: 'not today' }
    }
    const strict = await withOptions({ canUseTool })
    const file = world.path('denied.txt')
    world.model.plan([
      { does: 'call', name: 'Write', input: { file_path: file, content: 'x' }, gives: '' },
      say('refused'),
    ])
    const { run } = await turn(strict, 'write it')
    expect(asked).toEqual(['Write'])
    expect(run).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['resume', { resume: '00000000-0000-4000-8000-00000000dead' }, '--resume'],
    ['model', { model: 'claude-haiku-4-5' }, '--model'],
    ['permissionMode', { permissionMode: 'plan' }, '--permission-mode'],
  ])(
    'D-2 %s among the options of the SDK is refused before anything starts',
    async (_, options, flag) => {
      const { spawns } = world
      const { run } = await turn(await withOptions(options), 'hello')
      expect(run).toMatchObject({ status: 'failed', failure: { class: 'spawn-failed' } })
      expect(run.failure?.message).toContain(flag)
      expect(world.spawns).toBe(spawns)
    },
  )

  test.each([
    [
      'throws',
      () => {
        throw new Error('no such option')
      },
      'no such option',
    ],
    ['starts its program itself', async function* () {}, 'does not let us start its program'],
  ])('U-4 an SDK that %s ends the run with what to do', async (_, query, words) => {
    const { run } = await turn(await open({ query }), 'hello')
    expect(run).toMatchObject({ status: 'failed', failure: { class: 'spawn-failed' } })
    expect(run.failure?.message).toContain(words)
    expect(run.failure?.hint).toContain('version of the SDK')
  })
})
