import { expect, test } from 'vitest'
import { RUNTIME as CLAUDE_RUNTIME, RUN_SPEC } from '../../../test/run-spec.ts'
import type { RunSpec, Runtime } from '../adapter.ts'
import { acpAdapter } from './index.ts'

const ADAPTER = acpAdapter({ name: 'acp', executable: 'a', args: ['--acp'], install: 'as it says' })
const RUNTIME: Runtime = { ...CLAUDE_RUNTIME, agent: 'mine', executable: '/bin/a', version: '1' }
const SPEC: RunSpec = { ...RUN_SPEC, permissionMode: 'ask' }
const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const asked = (kind: string) =>
  line({
    id: 'p',
    method: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'c', kind, rawInput: { path: 'a' } },
      options: [
        { optionId: 'yes', kind: 'allow_once' },
        { optionId: 'no', kind: 'reject_once' },
      ],
    },
  })

function answerTo(kind: string, spec: Partial<RunSpec>) {
  const { dialogue } = ADAPTER.open({ ...SPEC, ...spec }, RUNTIME)
  dialogue.begin()
  dialogue.read(line({ id: 1, result: { protocolVersion: 1 } }))
  dialogue.read(line({ id: 2, result: { sessionId: 's' } }))
  const { events, write } = dialogue.read(asked(kind))
  if (events.some(({ type }) => type === 'question')) return 'a person decides'
  return write.join('').includes('"yes"') ? 'allowed' : 'refused'
}

test.each([
  ['ask', 'execute', true, 'a person decides'],
  ['ask', 'read', false, 'refused'],
  ['allow-edits', 'edit', false, 'allowed'],
  ['allow-edits', 'execute', false, 'refused'],
  ['allow-edits', 'execute', true, 'a person decides'],
  ['allow-all', 'execute', false, 'allowed'],
])(
  'T-7 in the mode %s, a call of the kind %s (asks: %s) is decided: %s',
  (mode, kind, asks, by) => {
    expect(answerTo(kind, { permissionMode: mode, asks })).toBe(by)
  },
)

test.each<[string, Partial<RunSpec>]>([
  ['a mode of another agent', { permissionMode: 'acceptEdits' }],
  ['a mode that every object has', { permissionMode: 'toString' }],
  ['a tool rule', { allowedTools: ['Read'] }],
  ['a forbidden tool', { disallowedTools: ['Bash'] }],
  ['trust nobody', { trust: 'none' }],
  ['a number of turns', { maxTurns: 3 }],
  ['a session id of ours', { continuation: { kind: 'new', sessionId: 'x' } }],
  ['a fork', { continuation: { kind: 'fork', from: 'x', at: null, sessionId: null } }],
  ['a blank prompt', { prompt: ' ' }],
])('A-1 what an agent over ACP cannot be held to is refused: %s', (_, spec) => {
  expect(() => ADAPTER.open({ ...SPEC, ...spec }, RUNTIME)).toThrow(
    expect.objectContaining({ code: 'bad-input' }),
  )
})

test('S12 the command holds the arguments of the config, and nothing of the run', () => {
  const { command } = ADAPTER.open({ ...SPEC, model: 'm', prompt: '--help' }, RUNTIME)
  expect(command).toEqual({ file: '/bin/a', args: ['--acp'], env: {}, workDir: '/project' })
})
