import { expect, test } from 'vitest'
import { RUNTIME as CLAUDE_RUNTIME, RUN_SPEC } from '../../../test/run-spec.ts'
import type { RunSpec, Runtime } from '../adapter.ts'
import { ASKS_FIRST } from './habits.ts'
import { acpAdapter } from './index.ts'
import { OPENCODE_TIER } from './tier.ts'

const PROGRAM = { name: 'acp', executable: 'a', args: ['--acp'], install: 'as it says' }
const ADAPTER = acpAdapter({ ...PROGRAM, tier: { problem: 'it asks nobody' } })
const TIERED = acpAdapter({ ...PROGRAM, tier: OPENCODE_TIER })
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

const MODE = OPENCODE_TIER.modeOf(SPEC.runId)
const GUARDED: Partial<RunSpec> = { isGuarded: true, allowedTools: ['read'] }

/** A session that offers the mode of tiers, and the call about which the agent then asks. */
function guarded(kind: string, name = 'agent') {
  const { dialogue, command } = TIERED.open({ ...SPEC, ...GUARDED }, RUNTIME)
  dialogue.begin()
  dialogue.read(line({ id: 1, result: { protocolVersion: 1, agentInfo: { name } } }))
  const modes = { currentModeId: 'build', availableModes: [{ id: MODE }] }
  const opened = dialogue.read(line({ id: 2, result: { sessionId: 's', modes } }))
  dialogue.read(line({ id: 3, result: {} }))
  const { events } = dialogue.read(asked(kind))
  return { dialogue, command, opened, events }
}

test('E-5 in a tier, an agent over ACP gets the mode in which it asks, and Reprise rules on each call', () => {
  const { dialogue, opened, events } = guarded('read')
  expect(opened.write.join('')).toContain(`"modeId":"${MODE}"`)
  expect(events.at(-1)).toMatchObject({ type: 'call-asked', requestId: 'p', name: 'read' })
  expect(dialogue.rule?.('p', { kind: 'pass' }).write.join('')).toContain('"yes"')
  const refused = guarded('execute').dialogue.rule?.('p', { kind: 'refuse', why: 'no rule' })
  expect(refused?.write.join('')).toContain('"no"')
})

test('E-5 a session without the mode of tiers gets no prompt', () => {
  const { dialogue } = TIERED.open({ ...SPEC, ...GUARDED }, RUNTIME)
  dialogue.begin()
  dialogue.read(line({ id: 1, result: { protocolVersion: 1 } }))
  const { events, write, close } = dialogue.read(line({ id: 2, result: { sessionId: 's' } }))
  expect([events.at(-1), write, close]).toEqual([
    expect.objectContaining({ type: 'result', ok: false, subtype: 'setting-refused' }),
    [],
    true,
  ])
})

test('E-5 opencode gets its tier in its own config, beside what the user has there', () => {
  const own = { share: 'disabled', agent: { mine: { mode: 'primary' } } }
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(own), HOME: '/home' }
  const { command } = TIERED.open({ ...SPEC, ...GUARDED, env }, RUNTIME)
  const config = JSON.parse(command.env.OPENCODE_CONFIG_CONTENT ?? '')
  expect([command.env.HOME, config.share, config.agent.mine]).toEqual([
    ...['/home', 'disabled'],
    own.agent.mine,
  ])
  expect(config.agent[MODE].permission).toEqual({ '*': 'deny', read: 'ask' })
})

test('E-5 opencode is offered the tools of the kinds that a tier allows, and no others', () => {
  const rules = { allowedTools: ['search', 'execute', 'edit'], disallowedTools: ['edit'] }
  const { command } = TIERED.open({ ...SPEC, ...GUARDED, ...rules }, RUNTIME)
  const config = JSON.parse(command.env.OPENCODE_CONFIG_CONTENT ?? '')
  const asked = { glob: 'ask', grep: 'ask', bash: 'ask' }
  expect(config.agent[MODE].permission).toEqual({ '*': 'deny', ...asked })
})

test('E-5 the mode of a tier has a name that no project can know before the run', () => {
  expect(MODE).toMatch(/^reprise-tier-[0-9a-f]{16}$/)
  expect(OPENCODE_TIER.modeOf('run_other')).not.toBe(MODE)
})

test('E-5 a failed call never ran only if its tool was not offered: one that was offered can say the same words', () => {
  const text = 'Model tried to call unavailable tool "bash". Available tools: read.'
  const ended = (kind: string) => {
    const { dialogue } = guarded('read', 'OpenCode')
    const content = [{ type: 'content', content: { type: 'text', text } }]
    const update = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      kind,
      content,
      status: 'failed',
    }
    const { events } = dialogue.read(
      line({ method: 'session/update', params: { sessionId: 's', update } }),
    )
    return events.find(({ type }) => type === 'tool-result')
  }
  expect([ended('execute'), ended('read')]).toMatchObject([{ denied: true }, { denied: false }])
})

test('E-5 rules hold in tiers alone, and only a version that was seen to ask is held', () => {
  expect(() => TIERED.open({ ...SPEC, allowedTools: ['read'] }, RUNTIME)).toThrow('tool rule')
  expect(() => ADAPTER.open({ ...SPEC, ...GUARDED }, RUNTIME)).toThrow('tool rule')
  const fence = TIERED.fence?.kind === 'rules' ? TIERED.fence : null
  const canGuard = (version: string, quirks: readonly string[]) =>
    fence?.canGuard({ ...RUNTIME, version, quirks })
  expect([
    canGuard('1.18.33', [ASKS_FIRST]),
    canGuard('1.18.40', [ASKS_FIRST]),
    canGuard('1.19.0', [ASKS_FIRST]),
    canGuard('1.18.32', [ASKS_FIRST]),
    canGuard('1.18.33', []),
  ]).toEqual([true, true, false, false, false])
  expect([ADAPTER.fence, ADAPTER.unfenced]).toEqual([undefined, 'it asks nobody'])
})

test.each([
  ['OpenCode', '1.18.33', 'session'],
  ['@agentclientprotocol/claude-agent-acp', '0.99.1', 'session'],
  ['an agent that nobody knows', '1', 'process'],
])('M-1 the dollars of %s %s are those of the %s', (name, version, expected) => {
  const greeting = { protocolVersion: 1, agentInfo: { name, version } }
  const found = ADAPTER.recognise([line({ id: 1, result: greeting })])
  expect('problem' in found).toBe(false)
  const quirks = 'problem' in found ? [] : found.quirks
  expect(ADAPTER.money.costMeans({ ...RUNTIME, quirks })).toBe(expected)
})
