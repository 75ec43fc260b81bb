import { expect, test } from 'vitest'
import type { AgentEvent } from './events.ts'
import { fenceOf, watchFence } from './fence.ts'

const tier = {
  allowedTools: ['Bash', 'Read'],
  disallowedTools: ['Bash(helm:*)', 'Write'],
}

const call = (name: string, input: object = {}): AgentEvent => ({
  type: 'tool',
  id: 'call',
  name,
  input: JSON.stringify(input),
  parentId: null,
})
const result = (more: { isError?: boolean; denied?: boolean } = {}): AgentEvent => ({
  type: 'tool-result',
  id: 'call',
  isError: false,
  denied: false,
  text: 'done',
  ...more,
})

function seen(events: readonly AgentEvent[]) {
  const watch = watchFence(fenceOf(tier, ['TodoWrite']))
  return events.map(event => watch.see(event)).find(found => found !== null) ?? null
}

test.each([
  ['a tool of the tier', [call('Bash', { command: 'ls' }), result()], null],
  ['a harmless tool', [call('TodoWrite'), result()], null],
  ['a forbidden tool that ran', [call('Write'), result()], { tool: 'Write', rule: 'Write' }],
  ['a tool no rule allows', [call('WebFetch'), result()], { tool: 'WebFetch', rule: null }],
  ['one that was refused', [call('Write'), result({ isError: true, denied: true })], null],
  ['one that is not there', [call('Write'), result({ isError: true })], null],
  [
    'a forbidden command that ran',
    [call('Bash', { command: 'helm list' }), result()],
    { tool: 'Bash', rule: 'Bash(helm:*)' },
  ],
] as const)('E-5 %s', (_, events, expected) => {
  expect(seen(events)).toEqual(expected && { ...expected, ended: 'ran' })
})

test('E-5 a call outside the tier is a violation when the agent ends without telling how it went', () => {
  const end = { type: 'result', terminalReason: 'completed' } as AgentEvent
  expect(seen([call('Write'), end])).toEqual({ tool: 'Write', rule: 'Write', ended: 'not-told' })
  const parked = { type: 'result', terminalReason: 'tool_deferred' } as AgentEvent
  expect(seen([call('Write'), parked])).toBeNull()
})

test('S17 a call of a subagent counts like one of the main conversation', () => {
  const event = { ...call('Write'), parentId: 'task' } as AgentEvent
  expect(seen([event, result()])).toMatchObject({ tool: 'Write' })
})
