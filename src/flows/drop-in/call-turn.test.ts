// The turns of a process that its caller keeps: how one follows another, and what the file of the session says of each.
import { describe, expect, test } from 'vitest'
import {
  EXIT,
  eventsIn,
  named,
  RESUME,
  result,
  text,
  WHOLE,
  callRecordWorld as world,
} from '../../../test/simulated/call-record-world.ts'
import { FOREIGN } from '../../core/decide/history.ts'
import type { CallRecord } from './call-record.ts'

describe('W-2 the next turn of the same process', () => {
  const twoTurns = (record: CallRecord) => {
    record.heard('one')
    record.said([result()])
    record.heard('two')
    record.said([text('again'), result({ totalCostUsd: 0.75 })])
  }

  test('begins in the transaction that ends the one before, which ended in order', async () => {
    const { record, starts, ends, specs, notes } = world({ call: RESUME })
    twoTurns(record)
    await record.end({ ...EXIT, code: 3 } as never)
    expect(record.trouble).toBeNull()
    const second = starts[1]?.runId
    expect(second).toMatch(/^run_/)
    expect(ends).toMatchObject([
      {
        runId: 'run_0',
        exit: null,
        nextTurn: { runId: second, message: { text: 'two', runId: second } },
      },
      { runId: second, exit: { code: 3 } },
    ])
    expect(ends[0]?.nextTurn?.message.id).toMatch(/^msg_/)
    expect(specs.map(({ exit }) => exit)).toMatchObject([{ code: 0 }, { code: 3 }])
    expect(notes).toEqual(['prompt of run_0: one'])
  })

  test('goes on in the session of the process, and counts its cost from there', async () => {
    const notice = { type: 'notice', code: 'session-rescued', text: 'The session is back.' }
    const { record, starts } = world({ call: { notice } })
    twoTurns(record)
    await record.end(EXIT as never)
    expect(starts[1]).toMatchObject({
      decision: { action: 'resume', session: { id: 'ses_1', sessionId: 's-1' } },
      ...{ session: 'ses_1', newSession: null, processRunId: 'run_0' },
      mark: { path: '/s-1.jsonl', sizeBytes: 7, costUsd: 0.5 },
    })
    expect(starts[1] && eventsIn(starts[1]).map(({ type }) => type)).toEqual(['started'])
  })

  test('counts from what was reported last when a turn reports nothing', async () => {
    const { record, starts } = world()
    record.heard('one')
    record.said([result()])
    record.heard('two')
    record.said([text('x'), result({ totalCostUsd: null })])
    record.heard('three')
    record.said([text('y'), result()])
    await record.end(EXIT as never)
    expect(starts.map(({ mark }) => mark.costUsd)).toEqual([0.25, 0.5, 0.5])
  })

  test('begins anew where nobody knows the session of the process', async () => {
    for (const given of [{ sessionId: null }, { sessions: [] }]) {
      const { record, starts } = world(given)
      twoTurns(record)
      await record.end(EXIT as never)
      expect(starts[1]).toMatchObject({ decision: { action: 'start' }, mark: { costUsd: 0.25 } })
    }
  })

  test('may name another session, as after a caller cleared the conversation', async () => {
    const { record, announced, starts } = world({ call: RESUME, sessions: [] })
    twoTurns(record)
    record.said([named('s-9')])
    await record.end(EXIT as never)
    expect(announced).toMatchObject([{ runId: starts[1]?.runId, sessionId: 's-9' }])
  })
})

describe('W-2 the file of the session', () => {
  const half = { ...WHOLE, complete: false }
  const twoTurns = (record: CallRecord, first = result()) => {
    record.heard('one')
    record.said([first])
    record.heard('two')
    record.said([result()])
  }

  test('is read again until the answer of a process that goes on is in it', async () => {
    const { record, notes } = world({ growth: [half, half, WHOLE] })
    twoTurns(record)
    await record.end(EXIT as never)
    expect(notes.filter(note => note.startsWith('slept'))).toEqual(['slept 50', 'slept 50'])
  })

  test('S27 is not waited for without an end', async () => {
    const { record, notes, ends } = world({ growth: [half] })
    twoTurns(record)
    await record.end(EXIT as never)
    expect(notes.filter(note => note.startsWith('slept'))).toHaveLength(40)
    expect(ends).toHaveLength(2)
  })

  test('is not waited for when the turn failed or the process has ended', async () => {
    const { record, notes } = world({ growth: [half] })
    twoTurns(record, result({ ok: false }))
    await record.end(EXIT as never)
    expect(notes.filter(note => note.startsWith('slept'))).toEqual([])
  })

  test.each([
    ['new in it or not known to the thread are foreign to the first turn', 2, 3, [5, 0]],
    ['of the turns before are no foreign ones', 0, 4, [4, 0]],
  ])('V-4 messages %s', async (_, foreignMessages, foreignBefore, counts) => {
    const growth = [{ ...WHOLE, foreignBefore }]
    const { record, ends } = world({ call: { ...RESUME, foreignMessages }, growth })
    twoTurns(record)
    await record.end(EXIT as never)
    const foreign = ends.map(({ session }) => session?.seen.filter(one => one === FOREIGN).length)
    expect(foreign).toEqual(counts)
  })
})
