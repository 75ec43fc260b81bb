// What the log of a run stores: batches in order, joined text, no secrets, and no silence about a write that failed.
import { expect, test } from 'vitest'
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { EventBody } from '../../core/run/run-events.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Store } from '../../store/contract/store.ts'
import { EventLog, redactedQuestion, storedEvent, withoutSecrets } from './event-log.ts'

const text = (words: string): EventBody => ({ type: 'text', text: words })
const block: EventBody = { type: 'block', anchor: 'a-1' }

/** A log whose batches end when the test says so. */
function logged(write: (batch: readonly NewEvent[]) => Promise<void> = async () => {}) {
  const batches: string[][] = []
  const timers: (() => void)[] = []
  let now = 0
  const appendEvents = async (_: Lease, runId: string, events: readonly NewEvent[]) => {
    batches.push(events.map(({ at, json }) => `${runId} ${at} ${json}`))
    await write(events)
  }
  const log = new EventLog({
    store: { appendEvents } as unknown as Store,
    lease: {} as Lease,
    runId: 'run_1',
    clock: { now: () => ++now, sleep: () => new Promise(resolve => timers.push(resolve)) },
    batchMs: 20,
  })
  const endBatch = async () => {
    timers.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { log, batches, timers, endBatch }
}

test('I10 pieces of text that follow each other are stored as one event, at the time of the first piece', async () => {
  const { log, batches, timers, endBatch } = logged()
  for (const event of [text('a'), text('b'), block, text('c')]) log.push(event)
  expect(timers).toHaveLength(1)
  await endBatch()
  const joined = [
    'run_1 1 {"type":"text","text":"ab"}',
    'run_1 3 {"type":"block","anchor":"a-1"}',
    'run_1 4 {"type":"text","text":"c"}',
  ]
  expect(batches).toEqual([joined])
  log.push(text('d'))
  await endBatch()
  expect(batches).toEqual([joined, ['run_1 5 {"type":"text","text":"d"}']])
})

test('I10 events that are not written yet go into the transaction of the end, and are not written twice', async () => {
  const { log, batches, endBatch } = logged()
  log.push(block)
  expect(await log.takeRest()).toEqual([storedEvent(1, block)])
  await endBatch()
  expect(batches).toEqual([])
  expect(await log.takeRest()).toEqual([])
})

test('I10 a run does not end as if its events were stored when the store did not take them', async () => {
  const { log, batches, endBatch } = logged(() => Promise.reject(new Error('the disk is full')))
  log.push(block)
  await endBatch()
  log.push(text('more'))
  await endBatch()
  expect(batches).toHaveLength(1)
  await expect(log.takeRest()).rejects.toThrow('the disk is full')
})

const SECRET = 'password=hunter2'
const KNOWN = 'a value without a shape'
const FAILURE = { class: 'unknown', hint: '', toolsRan: 0, resetsAt: null } as const
const RESULT = { type: 'result', subtype: 's', sessionId: null, turns: 1 } as const

test.each([
  ['the input of a call', { type: 'tool', id: 't', name: 'Bash', parentId: null }, 'input'],
  ['the result of a call', { type: 'tool-result', id: 't', isError: false, denied: false }, 'text'],
  ['a notice', { type: 'notice', code: 'c' }, 'text'],
  ['the error of a request', { type: 'retry', attempt: 1, maxAttempts: 2, delayMs: 1 }, 'error'],
  ['a line that is no event', { type: 'unknown', kind: 'k' }, 'raw'],
  ['a question', { type: 'question', toolUseId: 't', requestId: null }, 'input'],
  ['a failed result', { ...RESULT, ok: false, errors: [] }, 'text'],
])('S21 %s is stored without secrets', (_, event, field) => {
  const given = { ...event, [field]: `${SECRET} ${KNOWN}` } as unknown as EventBody
  expect(withoutSecrets(given, [KNOWN])).toEqual({
    ...given,
    [field]: 'password=[redacted] [redacted]',
  })
})

test('S21 neither the errors of a result nor the failure of a run keep a secret', () => {
  const errors = [SECRET, KNOWN]
  const result = { ...RESULT, ok: false, text: null, errors } as unknown as EventBody
  expect(withoutSecrets(result, [KNOWN])).toEqual({
    ...result,
    errors: ['password=[redacted]', '[redacted]'],
  })
  const ended = {
    type: 'ended',
    status: 'failed',
    failure: { ...FAILURE, message: `${SECRET} ${KNOWN}` },
    continuedBy: null,
  } as const
  expect(withoutSecrets<EventBody>(ended, [KNOWN])).toEqual({
    ...ended,
    failure: { ...FAILURE, message: 'password=[redacted] [redacted]' },
  })
  const completed = { ...ended, status: 'completed', failure: null } as const
  expect(withoutSecrets(completed)).toEqual(completed)
})

test('what the agent answers is kept as it said it', () => {
  const answer = { ...RESULT, ok: true, text: SECRET, errors: [] } as unknown as EventBody
  expect(withoutSecrets(answer, [SECRET])).toEqual(answer)
  expect(withoutSecrets(text(SECRET), [SECRET])).toEqual(text(SECRET))
})

test('a question is cut to a length that can be shown, and has no half characters', () => {
  const question = { type: 'question', toolUseId: 't', requestId: null } as const
  const asked = (input: string) => redactedQuestion({ ...question, input } as never).input
  const fits = 'x'.repeat(64 * 1024)
  expect(asked(fits)).toBe(fits)
  expect(asked(`${fits}x`)).toBe(`${fits}…`)
  expect(asked('a\ud800b')).toBe('a\ufffdb')
})

test('S21 the rule of a question has no secret either, in its value and in its words', () => {
  const rule = permissionRule({ kind: 'command', tool: 'Bash', value: `login ${SECRET}` })
  const question = { type: 'question', toolUseId: 't', requestId: 'r', input: '{}', rule } as const
  const shown = redactedQuestion(question as never, [SECRET]).rule
  expect(shown).toEqual({
    kind: 'command',
    tool: 'Bash',
    value: 'login [redacted]',
    words: 'Bash commands that are exactly `login [redacted]`',
  })
})
