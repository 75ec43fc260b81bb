import { expect, test } from 'vitest'
import type { AgentEvent } from '../run/events.ts'
import { fenceOf, outsideOf, rule, type ToolFacts, violationWords, watchFence } from './fence.ts'
import { literal } from './shell-line.ts'

/** Splits at blanks; the tests of `src/shell` cover the real grammar. */
const facts: ToolFacts = {
  harmless: ['TodoWrite'],
  aliases: [['Task', 'Agent']],
  shells: ['Bash'],
  readShell: line =>
    line.includes('?')
      ? { problem: 'it is a riddle' }
      : {
          commands: line.split(';').map(part => ({
            words: part.trim().split(' ').map(literal),
            ...{ sets: [], writesTo: [], hasMoreWords: false },
          })),
        },
}
const fence = fenceOf(
  { allowedTools: ['Bash', 'Read', 'Task'], disallowedTools: ['Bash(helm:*)', 'Write'] },
  facts,
)

const call = (name: string, input: object = {}): Extract<AgentEvent, { type: 'tool' }> => ({
  type: 'tool',
  id: 'call',
  name,
  input: JSON.stringify(input),
  parentId: null,
})
const bash = (command: string) => call('Bash', { command })
const result = (more: { isError?: boolean; denied?: boolean } = {}): AgentEvent => ({
  type: 'tool-result',
  id: 'call',
  isError: false,
  denied: false,
  text: 'done',
  ...more,
})

function seen(events: readonly AgentEvent[]) {
  const watch = watchFence(fence)
  return events.map(event => watch.see(event)).find(found => found !== null) ?? null
}

const forbidden = (tool: string, text: string) => ({ tool, why: 'forbidden', rule: text })

test.each([
  ['a tool of the tier', [bash('ls'), result()], null],
  ['a harmless tool', [call('TodoWrite'), result()], null],
  ['a forbidden tool that ran', [call('Write'), result()], forbidden('Write', 'Write')],
  [
    'E-14 a forbidden call that ran and ended with an error',
    [call('Write'), result({ isError: true })],
    forbidden('Write', 'Write'),
  ],
  [
    'a tool no rule allows',
    [call('WebFetch'), result()],
    { tool: 'WebFetch', why: 'not-allowed', command: null },
  ],
  ['one that was refused', [call('Write'), result({ isError: true, denied: true })], null],
  [
    'a forbidden command that ran',
    [bash('ls; helm list'), result()],
    forbidden('Bash', 'Bash(helm:*)'),
  ],
  [
    'E-5 a command that nobody can read',
    [bash('?'), result()],
    { tool: 'Bash', why: 'unreadable', problem: 'it is a riddle' },
  ],
  ['E-14 a tool that the tier allows by its other name', [call('Agent'), result()], null],
] as const)('E-5 %s', (_, events, expected) => {
  expect(seen(events)).toEqual(expected && { call: expected, ended: 'ran' })
})

test('E-14 a refused call with an error, whatever its text, did not run; a refused call without an error did run', () => {
  const watch = watchFence(fence)
  const refusedThen = (event: AgentEvent) => {
    watch.see(call('Write'))
    watch.noteRefused('call')
    return watch.see(event)
  }
  expect(refusedThen(result({ isError: true }))).toBeNull()
  expect(refusedThen({ type: 'result', terminalReason: 'completed' } as AgentEvent)).toBeNull()
  expect(refusedThen(result())).toMatchObject({ ended: 'ran' })
})

test('E-5 a call that the program rejected before it asked never ran; after it asked, the text proves nothing', () => {
  const rejecting = { ...facts, readsAsUnasked: (text: string) => text === 'wrong input' }
  const ended = (event: Partial<Extract<AgentEvent, { type: 'tool-result' }>>, asked = false) => {
    const watch = watchFence(fenceOf({ allowedTools: ['Read'], disallowedTools: [] }, rejecting))
    watch.see(call('Write'))
    if (asked) watch.notePassed('call')
    return watch.see({ ...result(), ...event } as AgentEvent)
  }
  const ran = { call: { tool: 'Write' }, ended: 'ran' }
  expect(ended({ isError: true, text: 'wrong input' })).toBeNull()
  expect(ended({ isError: true, text: 'no space left' })).toMatchObject(ran)
  expect(ended({ text: 'wrong input' })).toMatchObject(ran)
  expect(ended({ isError: true, text: 'wrong input' }, true)).toMatchObject(ran)
})

test('E-5 a call that the guard allowed is not judged again by its shortened copy', () => {
  const watch = watchFence(fence)
  watch.notePassed('call')
  expect(watch.see({ ...call('Bash'), input: '{"command":"echo xxx…' })).toBeNull()
  expect(watch.see(result())).toBeNull()
  expect(watch.see({ ...call('Bash'), id: 'other', input: '{"command":"echo xxx…' })).toBeNull()
  expect(watch.see({ ...result(), id: 'other' } as AgentEvent)).toMatchObject({ ended: 'ran' })
  watch.see(bash('helm list'))
  expect(watch.see(result())).toMatchObject({ call: { why: 'forbidden' } })
})

test('E-5 a call that the guard allowed after its copy was seen is not judged by that copy', () => {
  const watch = watchFence(fence)
  watch.see({ ...call('Bash'), input: '{"command":"echo xxx…' })
  watch.notePassed('call')
  expect(watch.see(result())).toBeNull()
})

test('E-5 the words of a violation are a whole sentence', () => {
  const outside = { tool: 'Bash', why: 'forbidden', rule: 'Bash(helm:*)' } as const
  expect(violationWords({ call: outside, ended: 'ran' })).toBe(
    'Bash ran although the tier forbids Bash(helm:*)',
  )
  expect(violationWords({ call: outside, ended: 'unknown' })).toBe(
    'the agent did not say how its call of Bash ended; the tier forbids Bash(helm:*)',
  )
})

test('E-5 a call outside the tier is a violation when the agent ends without a result for it', () => {
  const end = { type: 'result', terminalReason: 'completed' } as AgentEvent
  expect(seen([call('Write'), end])).toEqual({
    call: forbidden('Write', 'Write'),
    ended: 'unknown',
  })
  const parked = { type: 'result', terminalReason: null, atParkedCall: true } as AgentEvent
  expect(seen([call('Write'), parked])).toBeNull()
})

test('S17 E-14 a call of a subagent counts like one of the main conversation', () => {
  const event = { ...call('Write'), parentId: 'task' }
  expect(seen([event, result()])).toMatchObject({ call: { tool: 'Write' } })
})

test('E-14 a rule that forbids a tool by one of its names forbids it by all of them', () => {
  const tight = fenceOf({ allowedTools: ['Read'], disallowedTools: ['Agent'] }, facts)
  expect(outsideOf(tight, call('Task'))).toEqual(forbidden('Task', 'Agent'))
})

test('E-5 a rule that forbids a harmless tool is obeyed', () => {
  const strict = fenceOf({ allowedTools: ['Read'], disallowedTools: ['TodoWrite'] }, facts)
  expect(outsideOf(strict, call('TodoWrite'))).toEqual(forbidden('TodoWrite', 'TodoWrite'))
})

test('E-5 a command is judged behind any number of programs that start it', () => {
  const tight = fenceOf({ allowedTools: ['Bash'], disallowedTools: ['Bash(docker:*)'] }, facts)
  const line = 'sudo -u root env A=1 nice timeout 9 docker restart db'
  expect(outsideOf(tight, bash(line))).toEqual(forbidden('Bash', 'Bash(docker:*)'))
})

test('E-5 an allowed command stays allowed behind any number of programs that change nothing about it', () => {
  const tight = fenceOf({ allowedTools: ['Bash(make:*)'], disallowedTools: [] }, facts)
  expect(outsideOf(tight, bash('nohup nice timeout 9 make all'))).toBeNull()
  expect(outsideOf(tight, bash('nohup nice sudo make all'))).toMatchObject({ why: 'not-allowed' })
})

test('E-5 a call that waits for a ruling passes, is refused with the reason, or is parked for the tier above', () => {
  const above = fenceOf({ allowedTools: ['Bash'], disallowedTools: ['Bash(rm:*)'] }, facts)
  expect(rule(fence, bash('ls'), null)).toEqual({ kind: 'pass' })
  const why = 'the tier forbids Bash(helm:*)'
  expect(rule(fence, bash('helm list'), null)).toEqual({ kind: 'refuse', why })
  expect(rule(fence, bash('helm list'), above)).toEqual({ kind: 'park' })
  expect(rule(fence, bash('helm list; rm x'), above)).toEqual({ kind: 'refuse', why })
})

test('E-5 a command that was cut off is refused as unreadable', () => {
  const input = `${JSON.stringify({ command: `echo ${'x'.repeat(99)}` }).slice(0, 60)}…`
  expect(outsideOf(fence, { name: 'Bash', input })).toMatchObject({ why: 'unreadable' })
  const free = fenceOf({ allowedTools: ['Bash'], disallowedTools: [] }, facts)
  expect(outsideOf(free, { name: 'Bash', input })).toBeNull()
})
