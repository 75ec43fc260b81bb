import { describe, expect, test } from 'vitest'
import { RUN_SPEC, RUNTIME } from '../../../test/run-spec.ts'
import type { RunSpec } from '../adapter.ts'
import { openDialogue } from './dialogue.ts'

const SPEC: RunSpec = { ...RUN_SPEC, continuation: { kind: 'resume', sessionId: 's' } }
const open = (change: Partial<RunSpec> = {}) => openDialogue({ ...SPEC, ...change }, RUNTIME)
const result = (change: object = {}) =>
  JSON.stringify({ type: 'result', subtype: 'success', is_error: false, ...change })

describe('the input of a process', () => {
  test('holds the prompt and ends, when nobody has to answer it', () => {
    const { write, close } = open().begin()
    expect(write.map(line => JSON.parse(line))).toEqual([
      { type: 'user', message: { role: 'user', content: 'go on' }, client_composed: true },
    ])
    expect(close).toBe(true)
  })

  test.each([
    ['T-7 asks', { asks: true }] as const,
    ['E-5 is guarded', { isGuarded: true }] as const,
  ])('stays open until its result, when the process %s', (_, change) => {
    const dialogue = open(change)
    expect(dialogue.begin().close).toBeUndefined()
    expect(dialogue.read('{"type":"assistant","message":{}}').close).toBeUndefined()
    expect(dialogue.read(result({ origin: { kind: 'task-notification' } })).close).toBeUndefined()
    expect(dialogue.read(result()).close).toBe(true)
  })

  test('T-7 is empty for a session that goes on with its parked call', () => {
    expect(open({ prompt: null }).begin().write).toEqual([])
  })

  test('refuses a blank prompt', () => {
    expect(() => open({ prompt: ' \n' })).toThrow(expect.objectContaining({ code: 'bad-input' }))
  })
})

describe('E-10 an agent that begins with a parked call', () => {
  const resultsOf = (...lines: readonly string[]) => {
    const dialogue = open({ callFirst: true })
    return lines
      .flatMap(line => dialogue.read(line).events)
      .map(event => 'unasked' in event && event.unasked)
  }

  test('does not answer the prompt with its first result, but with the next one', () => {
    expect(resultsOf(result(), result())).toEqual([true, false])
  })

  test.each([
    ['parks the call again', { terminal_reason: 'tool_deferred' }],
    ['fails', { is_error: true }],
  ])('has ended when it %s', (_, change) => {
    expect(resultsOf(result(change))).toEqual([false])
  })
})
