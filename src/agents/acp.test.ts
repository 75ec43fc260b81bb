import { expect, test } from 'vitest'
import { acp } from './acp.ts'
import { FOUND_AGENTS, KNOWN_AGENTS } from './known-agents.ts'

test('A-2 an agent over ACP is started by its command, or by the one that Reprise knows', () => {
  const mine = acp({ name: 'mine', command: ['my-agent', '--acp'] })
  expect(mine).toMatchObject({ name: 'mine', executable: 'my-agent', permissionMode: 'ask' })
  expect([mine.adapter.name, mine.adapter.greeting?.args]).toEqual(['acp', ['--acp']])
  const known = acp({ name: 'opencode' })
  expect([known.executable, known.adapter.greeting?.args]).toEqual(['opencode', ['acp']])
  const moved = acp({ name: 'opencode', command: ['npx', 'opencode', 'acp'] })
  expect([moved.executable, moved.adapter.name]).toEqual(['npx', 'opencode'])
  expect(moved.adapter.greeting?.args).toEqual(['opencode', 'acp'])
  expect(() => acp({ name: 'mine' })).toThrow('nobody said which program speaks ACP')
})

test('A-2 every known agent can be made without a word of the user, and says how to get it', () => {
  expect(Object.keys(FOUND_AGENTS)).toEqual([
    ...['claude-code', 'codex', 'pi'],
    ...['opencode', 'gemini', 'qwen', 'copilot', 'kimi', 'codex-acp', 'claude-agent-acp', 'pi-acp'],
  ])
  for (const [name, make] of Object.entries(FOUND_AGENTS)) {
    const { name: own, adapter, executable } = make({})
    expect([own, adapter.name]).toEqual([name, name])
    expect([executable, adapter.install]).toEqual([
      expect.any(String),
      expect.stringMatching(/npm/),
    ])
  }
  expect(() => KNOWN_AGENTS.acp?.({ name: 'mine' })).toThrow('"mine"')
  expect(() => KNOWN_AGENTS.codex?.({ name: 'mine', command: ['x'] })).toThrow('only for agents')
})
