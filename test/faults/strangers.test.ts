// S16: an agent in which something takes part that nobody has named: the run that trusts nobody is ended there and then.
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ScriptStep } from '../../src/testing/index.ts'
import { opsPolicy } from '../scenarios/chains/chains.ts'
import { fake, say, verdict } from '../scenarios/harness/acts.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

const HOOK = JSON.stringify({
  ...{ type: 'system', subtype: 'hook_started', hook_name: 'SessionStart:startup' },
})

/** What, how it shows, the words, and what the hint says to do if it may take part. */
const STRANGERS: readonly (readonly [string, ScriptStep, string, string])[] = [
  [
    'an MCP server',
    { type: 'strangers', servers: ['evil'] },
    'the MCP server evil takes part',
    '`mcpServers`',
  ],
  [
    'a sub-agent',
    { type: 'strangers', agents: ['evil'] },
    'the sub-agent evil takes part',
    '`subagents`',
  ],
  [
    'a plugin',
    { type: 'strangers', plugins: ['evil'] },
    'the plugin evil takes part',
    '`trust: user`',
  ],
  [
    'a hook',
    { type: 'bannerLine', text: HOOK },
    'a hook has run (SessionStart:startup)',
    '`trust: user`',
  ],
]

describe('E-12 S16 strangers', () => {
  const world = useHarness('fake')
  /** It waits for ever: only from outside can it be ended. */
  const waiting = (step: ScriptStep, after: string) => [
    fake(step),
    fake({ type: 'waitForFile', path: world().path('never') }),
    fake({ type: 'sideEffect', appendFile: after, line: 'went on' }),
    verdict('resolved'),
  ]

  test.each(STRANGERS)(
    'E-12 S16 %s ends a chain as a violation',
    async (_, step, words, remedy) => {
      const after = world().path('after-chain')
      world().model.plan(waiting(step, after))
      const { workDir, reprise } = world()
      const chain = await reprise.chains.start({ policy: opsPolicy(), prompt: 'check', workDir })
        .result
      expect(chain.status).toBe('failed')
      expect(chain.runs.map(({ failure }) => failure)).toMatchObject([
        {
          class: 'policy-violation',
          message: expect.stringContaining(words),
          hint: expect.stringContaining(remedy),
        },
      ])
      expect(existsSync(after)).toBe(false)
    },
  )

  test('E-12 S16 an untrusted thread is ended by it as well; a trusted one goes on', async () => {
    const thread = await world().thread()
    const after = world().path('after-thread')
    const step: ScriptStep = { type: 'strangers', servers: ['evil'] }
    const untrusted = await world().turn(thread, 'one', {
      trust: 'none',
      acts: waiting(step, after),
    })
    expect(untrusted.run).toMatchObject({
      status: 'failed',
      failure: { class: 'policy-violation' },
    })
    const trusted = await world().turn(thread, 'two', { acts: [fake(step), say('fine')] })
    expect(trusted).toMatchObject({ text: 'fine', run: { status: 'completed', trust: 'project' } })
  })

  test('E-12 S16 a copy of the conversation of a chain trusts no more than the chain did', async () => {
    world().model.plan([verdict('resolved')])
    const { workDir, reprise } = world()
    const chain = await reprise.chains.start({ policy: opsPolicy(), prompt: 'check', workDir })
      .result
    const copy = await (await reprise.threads.get(chain.threadId)).fork()
    const { run } = await world().turn(copy, 'and now?', { acts: [say('fine')] })
    expect([run.trust, run.sandboxWanted]).toEqual(['none', 'auto'])
  })

  test('E-12 S16 what the policy names is no stranger', async () => {
    const step: ScriptStep = { type: 'strangers', servers: ['files'], agents: ['doctor'] }
    world().model.plan([fake(step), verdict('resolved')])
    const policy = opsPolicy({ mcpServers: ['files'], subagents: ['doctor'] })
    const { workDir, reprise } = world()
    const chain = await reprise.chains.start({ policy, prompt: 'check', workDir }).result
    expect(chain.status).toBe('resolved')
  })
})
