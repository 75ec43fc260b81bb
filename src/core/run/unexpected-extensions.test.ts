import { expect, test } from 'vitest'
import type { AgentEvent } from './events.ts'
import { strangerIn } from './unexpected-extensions.ts'

const known = { servers: ['ours'], agents: ['Explore', 'Plan'] }
const session = (more: object): AgentEvent => ({
  ...{ type: 'session', sessionId: 's', model: null, version: null, tools: [] },
  permissionMode: null,
  ...more,
})

test.each([
  ['an MCP server', session({ servers: ['ours', 'evil'] }), 'the MCP server evil takes part', true],
  ['a sub-agent', session({ agents: ['Plan', 'evil'] }), 'the sub-agent evil takes part', true],
  ['a plugin', session({ plugins: ['evil'] }), 'the plugin evil takes part', false],
  [
    'a hook',
    { type: 'hook', name: 'SessionStart' } as const,
    'a hook has run (SessionStart)',
    false,
  ],
])('E-12 S16 %s that nobody has named is a stranger', (_, event, words, canBeNamed) => {
  expect(strangerIn(event, known)).toEqual({ words, canBeNamed })
})

test.each([
  ['what is built in or named', session({ servers: ['ours'], agents: ['Plan'], plugins: [] })],
  ['a session of an older version, which tells nothing of them', session({})],
  ['text', { type: 'text', text: 'the MCP server evil takes part' } as const],
])('E-12 S16 %s is none', (_, event) => {
  expect(strangerIn(event, known)).toBeNull()
})
