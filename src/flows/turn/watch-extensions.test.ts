// A run that trusts nobody's settings ends when an extension from such settings takes part.
import { expect, test } from 'vitest'
import type { Policy } from '../../core/chain/policy.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import type { Agent } from '../dependencies.ts'
import { watchExtensions } from './watch-extensions.ts'

const AGENT = {
  adapter: { builtInAgents: ['general-purpose'] },
  mcpServers: ['ours'],
  subagents: ['helper'],
} as unknown as Agent
const BARE = { adapter: { builtInAgents: [] } } as unknown as Agent
const POLICY = { mcpServers: ['of-policy'], subagents: ['of-policy-too'] } as unknown as Policy

function seen(event: object, { agent = AGENT, policy = POLICY as Policy | null } = {}) {
  const watch = watchExtensions({ trust: 'none' } as Run, agent, policy)
  expect(watch?.stopped).toBeNull()
  expect(watch?.see(event as never, newObservation())).toEqual({ notice: null })
  return watch?.stopped
}

test('E-12 extensions of the program, of the agent and of the policy take part; a run that trusts somebody is not watched', () => {
  const servers = ['ours', 'of-policy']
  const agents = ['general-purpose', 'helper', 'of-policy-too']
  expect(seen({ type: 'session', servers, agents, plugins: [] })).toBeNull()
  expect(seen({ type: 'text', text: 'x' })).toBeNull()
  expect(watchExtensions({ trust: 'user' } as Run, AGENT, null)).toBeNull()
})

test.each([
  ['a server', { type: 'session', servers: ['x'] }, 'the MCP server x takes part', 'mcpServers'],
  ['a sub-agent', { type: 'session', agents: ['x'] }, 'the sub-agent x takes part', 'subagents'],
  ['a plugin', { type: 'session', plugins: ['x'] }, 'the plugin x takes part', 'trust: user'],
  ['a hook', { type: 'hook', name: 'x' }, 'a hook has run (x)', 'trust: user'],
])(
  'E-12 %s that nobody named stops the run; the hint says how it may take part',
  (_, event, words, way) => {
    const stopped = seen(event)
    expect(stopped).toMatchObject({ class: 'policy-violation' })
    expect(stopped?.message).toBe(
      `${words}, although the run trusts no settings of the repository or of the user`,
    )
    expect(stopped?.hint).toContain(way)
  },
)

test('E-12 the first stranger is the reason; without a policy and settings every extension is a stranger', () => {
  const watch = watchExtensions({ trust: 'none' } as Run, AGENT, null)
  for (const name of ['first', 'second']) watch?.see({ type: 'hook', name }, newObservation())
  expect(watch?.stopped?.message).toContain('first')
  const agent = BARE
  expect(seen({ type: 'session', servers: ['ours'] }, { agent, policy: null })).not.toBeNull()
  expect(seen({ type: 'session', agents: ['helper'] }, { agent, policy: null })).not.toBeNull()
})
