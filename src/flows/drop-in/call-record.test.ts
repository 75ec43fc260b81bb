// What is stored of a process that serves a caller: its first turn from the prompt to the end, and nothing when there is trouble.
import { describe, expect, test } from 'vitest'
import {
  BEFORE,
  type CallGiven,
  EXIT,
  eventsIn,
  FORK,
  named,
  RESUME,
  result,
  text,
  callRecordWorld as world,
} from '../../../test/simulated/call-record-world.ts'
import { RepriseError } from '../../errors.ts'
import type { RunStart } from '../../store/contract/runs.ts'

describe('W-2 the first turn of a process', () => {
  test('is the run that holds the thread, with the prompt, the session and the decision of its caller', async () => {
    const { record, notes, starts, ends, written } = world({ branch: [BEFORE] })
    record.heard('hello')
    record.said([text('hel'), text('lo'), result()])
    await record.end(EXIT as never)
    expect(record.trouble).toBeNull()
    expect(notes).toEqual(['prompt of run_0: hello'])
    expect(starts).toMatchObject([
      {
        ...{ runId: 'run_0', processRunId: 'run_0', startedAt: 5, workDir: '/project', model: 'm' },
        decision: { action: 'start', reason: { code: 'first-turn' }, checks: [] },
        facts: { a: 1, viewLength: 1 },
        mark: { path: '/s-1.jsonl', sizeBytes: 7, costUsd: 0.25 },
        newSession: {
          ...{ sessionId: 's-1', threadId: 'thr_1', agent: 'one', workDir: '/project' },
          ...{ forkedFrom: null, instructionsHash: null, seen: [] },
        },
        ...{ sandbox: 'none', sandboxNote: null, runtime: 'r' },
      },
    ])
    const [start] = starts
    expect(start?.session).toBe(start?.newSession?.id)
    expect(start?.newSession?.id).toMatch(/^ses_/)
    expect(start && eventsIn(start)).toMatchObject([
      { type: 'started', decision: { action: 'start' } },
    ])
    // What the agent was called with is kept, without secrets.
    expect(JSON.stringify(start?.prompt)).toContain('hello')
    expect(JSON.stringify(start?.prompt)).not.toContain('hunter2horse')
    expect(JSON.stringify(start?.prompt)).toContain('-p')
    expect(ends).toMatchObject([{ runId: 'run_0', status: 'completed', exit: EXIT, next: null }])
    const events = eventsIn({ events: [...written, ...(ends[0]?.events ?? [])] })
    expect(events.map(event => event.text).join('')).toBe('hellodone')
    expect(events.at(-1)).toMatchObject({ type: 'result', ok: true })
    expect(ends[0]).not.toHaveProperty('nextTurn')
  })

  test('is not stored with secrets that a tool or an error shows', async () => {
    const { record, ends, written } = world()
    record.heard('hello')
    record.said([result({ ok: false, errors: ['hunter2horse is wrong'] })])
    await record.end(EXIT as never)
    expect(JSON.stringify([written, ends])).not.toContain('hunter2horse')
  })

  test('resumes the session that the caller names, and opens none', async () => {
    const { record, starts, specs } = world({ call: RESUME })
    record.heard('hello')
    await record.end(EXIT as never)
    expect(starts).toMatchObject([
      {
        decision: { action: 'resume', session: { id: 'ses_1', sessionId: 's-1' }, catchUpFrom: 0 },
        ...{ session: 'ses_1', newSession: null },
      },
    ])
    expect(specs).toMatchObject([
      {
        spec: {
          ...{ runId: 'run_0', prompt: 'hello', workDir: '/project', model: 'm', env: { A: '1' } },
          ...{ continuation: { kind: 'resume', sessionId: 's-1' }, asks: false, trust: 'project' },
          ...{ permissionMode: '', allowedTools: [], disallowedTools: [] },
        },
        exit: EXIT,
      },
    ])
  })

  test('forks the session that the caller names', async () => {
    const { record, starts } = world({ call: { ...FORK, sessionId: 's-2' } })
    record.heard('hello')
    await record.end(EXIT as never)
    expect(starts).toMatchObject([
      {
        decision: {
          ...{ action: 'fork', session: { id: 'ses_1', sessionId: 's-1' }, at: null },
          ...{ reason: { code: 'caller-asked' }, catchUpFrom: 0 },
        },
        newSession: { sessionId: 's-2', forkedFrom: 'ses_1' },
      },
    ])
    expect(starts[0]?.session).toBe(starts[0]?.newSession?.id)
  })

  test('says first what was done to the session before it', async () => {
    const notice = { type: 'notice', code: 'session-rescued', text: 'The session is back.' }
    const { record, starts } = world({ call: { ...RESUME, notice } })
    record.heard('hello')
    await record.end(EXIT as never)
    expect(starts[0] && eventsIn(starts[0]).slice(1)).toEqual([notice])
  })

  test('has a session of the agent’s own choice where nobody knew it before', async () => {
    const unknown = { session: { kind: 'new', sessionId: null }, sessionId: null }
    const { record, starts, announced } = world({ call: unknown, sessions: [] })
    record.heard('hello')
    record.said([named('s-9')])
    await record.end(EXIT as never)
    expect(starts).toMatchObject([{ session: null, newSession: null }])
    expect(announced).toMatchObject([
      {
        ...{ runId: 'run_0', sessionId: 's-9', threadId: 'thr_1', agent: 'one', forkedFrom: null },
        ...{
          workDir: '/project',
          model: 'm',
          instructionsHash: null,
          id: expect.stringMatching(/^ses_/),
        },
      },
    ])
  })

  test('names no session twice, and none in place of one that the agent refused to resume', async () => {
    const known = world()
    known.record.heard('hello')
    known.record.said([named('s-1')])
    await known.record.end(EXIT as never)
    expect(known.announced).toEqual([])
    const refused = world({ call: RESUME, sessions: [] })
    refused.record.heard('hello')
    refused.record.said([named('s-9')])
    await refused.record.end(EXIT as never)
    expect(refused.announced).toEqual([])
  })
})

test.each([
  ['busy', 'a fork', 2, { ...FORK, sessionId: 's-2' }],
  ['conflict', 'a fork', 1, { ...FORK, sessionId: 's-2' }],
  ['busy', 'a new session', 1, {}],
  ['busy', 'a session that is resumed', 1, RESUME],
])(
  'W-2 V-4 when the store says %s to the start of a turn in %s, it is asked %s times',
  async (code, _, tries, call) => {
    const forks: unknown[] = []
    const startRun = async (_: object, { runId: id, newSession }: RunStart) => {
      forks.push(newSession?.forkedFrom)
      if (forks.length === 1) throw new RepriseError(code as never, 'another run works on it', '')
      return { id, chainId: null, tier: null }
    }
    const { record } = world({ call, store: { startRun } })
    record.heard('hello')
    await record.end(EXIT as never)
    expect(forks).toHaveLength(tries)
    // The copy then does not name the session that is in use.
    expect(forks[1]).toBe(tries === 2 ? null : undefined)
    expect(record.trouble === null).toBe(tries === 2)
  },
)

test('W-2 a turn of a call falls back to no other run: the caller gets the refusal itself', async () => {
  const failure = {
    class: 'resume-refused',
    message: 'gone',
    hint: '',
    toolsRan: 0,
    resetsAt: null,
  }
  const { record, ends } = world({ call: RESUME, outcome: { kind: 'failed', failure } })
  record.heard('hello')
  await record.end({ ...EXIT, code: 1 } as never)
  expect(ends).toMatchObject([{ status: 'failed', next: null }])
})

describe('W-2 trouble with the store', () => {
  const gone = () => Promise.reject(new Error('the store is gone'))

  test('ends the record, and nothing more reaches the store', async () => {
    const { record, ends, starts } = world({ store: { givePrompt: gone } })
    record.heard('hello')
    record.said([text('x'), result()])
    await record.end(EXIT as never)
    expect(record.trouble).toMatchObject({ message: 'the store is gone' })
    expect([starts, ends]).toEqual([[], []])
  })

  test('keeps its first reason, and so does a record that is given up', async () => {
    const { record, starts } = world()
    record.giveUp('the lease was lost')
    record.giveUp('later')
    record.heard('hello')
    await record.end(EXIT as never)
    expect([record.trouble, starts]).toEqual(['the lease was lost', []])
  })
})

describe('W-2 a process that was given no prompt', () => {
  const unused = async (given: CallGiven) => {
    const { record, ends, starts, notes } = world(given)
    await record.end({ ...EXIT, code: 1 } as never)
    return { ends, starts, notes, trouble: record.trouble }
  }

  test('is a cancelled run, in words that say so', async () => {
    const { ends, starts, notes } = await unused({ call: { isNew: false } })
    expect(ends).toMatchObject([
      {
        ...{ runId: 'run_0', status: 'cancelled' },
        failure: {
          ...{ class: 'cancelled', message: 'the caller of the agent sent no prompt' },
          ...{ hint: 'Nothing is lost.', toolsRan: 0, resetsAt: null },
        },
      },
    ])
    expect([starts, notes]).toEqual([[], []])
  })

  test('leaves nothing when somebody has removed its thread', async () => {
    const { ends, trouble } = await unused({ store: { run: async () => null } })
    expect([ends, trouble]).toEqual([[], null])
  })
})
