// What the log of a run stores: batches in order, joined text, no secrets, and no silence about a write that failed.
import { expect, test } from 'vitest'
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { EventBody } from '../../core/run/run-events.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Store } from '../../store/contract/store.ts'
import type { Overflow } from '../lease/backlog.ts'
import { EventLog, redactedQuestion, storedEvent, withoutSecrets } from './event-log.ts'

const text = (words: string): EventBody => ({ type: 'text', text: words })
const block: EventBody = { type: 'block', anchor: 'a-1' }

/** A log whose batches end when the test says so. */
function logged(
  write: (batch: readonly NewEvent[]) => Promise<void> = async () => {},
  overflow: Overflow | null = null,
) {
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
    overflow,
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

/** A disk with room for some batches, which notes what becomes of its file. */
function disk(room = 10) {
  const notes: string[] = []
  const kept: (readonly NewEvent[])[] = []
  const file = {
    get isEmpty() {
      return kept.length === 0
    },
    add: (batch: readonly NewEvent[]) => {
      if (kept.length >= room) return false
      kept.push(batch)
      notes.push(batch.map(({ json }) => JSON.parse(json).text ?? 'block').join())
      return true
    },
    read: () => kept[0] ?? null,
    taken: () => void kept.shift(),
    remove: () => void notes.push('remove'),
    leave: () => void notes.push('leave'),
    keepOut: () => void notes.push('keep out'),
  }
  const overflow = { afterMs: 1_000_000, open: () => file, onFull: () => void notes.push('full') }
  return { notes, overflow: overflow as unknown as Overflow }
}

/** Lets everything that waits for nothing happen. */
const soon = () => new Promise(resolve => setImmediate(resolve))

test.each(['store-full', 'store-unusable'] as const)(
  'U-4 a store that is %s for a while is asked again; the events wait on disk and are stored in their order',
  async code => {
    let isAway = true
    const { notes, overflow } = disk()
    const { log, batches, timers, endBatch } = logged(async () => {
      if (isAway) throw new RepriseError(code, 'away', '')
    }, overflow)
    log.push(text('a'))
    await endBatch()
    expect(notes).toEqual(['a'])
    log.push(block)
    // The pause before the store is asked again, and the batch of what came meanwhile.
    expect(timers).toHaveLength(2)
    isAway = false
    await endBatch()
    await endBatch()
    expect(batches.map(([first]) => first?.replace(/.*"type":"(\w+)".*/, '$1'))).toEqual([
      'text',
      'text',
      'block',
    ])
    expect(await log.takeRest()).toEqual([])
    expect(notes.at(-1)).toBe('remove')
  },
)

test('I10 two batches are never written at the same time', async () => {
  let release = () => {}
  const { log, batches, endBatch } = logged(
    () =>
      new Promise(resolve => {
        release = resolve
      }),
  )
  log.push(text('a'))
  await endBatch()
  log.push(text('b'))
  await endBatch()
  expect(batches).toHaveLength(1)
  release()
  await soon()
  expect(batches).toHaveLength(2)
  release()
  expect(await log.takeRest()).toEqual([])
})

test('I9 a run that ends while the store is away asks once more, and leaves all its events on disk', async () => {
  const { notes, overflow } = disk()
  const { log, batches, endBatch } = logged(async () => {
    throw new RepriseError('store-unusable', 'away', '')
  }, overflow)
  log.push(text('a'))
  await endBatch()
  log.push(text('b'))
  await expect(log.takeRest()).rejects.toThrow('away')
  expect([batches.length, notes]).toEqual([2, ['a', 'b', 'leave']])
})

test.each([
  ['a fault of our own', new Error('a fault')],
  ['a lease that is lost', new RepriseError('lease-lost', 'lost', '')],
])('I2 %s is not waited out', async (_, fault) => {
  const { overflow } = disk()
  const { log, batches, endBatch } = logged(() => Promise.reject(fault), overflow)
  log.push(text('a'))
  await endBatch()
  await expect(log.takeRest()).rejects.toBe(fault)
  expect(batches).toHaveLength(1)
})

test('S28 events that found no place are missing with a word about it, at the end of the log', async () => {
  let isAway = true
  const { notes, overflow } = disk(1)
  const { log, endBatch } = logged(async () => {
    if (isAway) throw new RepriseError('store-full', 'full', '')
  }, overflow)
  for (const words of ['a', 'b', 'c']) {
    log.push(text(words))
    // The batch, and the pause before the store is asked again.
    for (const _ of [1, 2]) await endBatch()
  }
  expect(notes).toEqual(['a', 'b', 'full'])
  isAway = false
  const [missing, ...more] = await log.takeRest()
  expect(more).toEqual([])
  expect(JSON.parse(missing?.json ?? '{}')).toMatchObject({
    type: 'notice',
    code: 'events-missing',
    text: expect.stringMatching(/^1 events are missing here: the database was away/),
  })
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
