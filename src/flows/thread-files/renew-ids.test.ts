// Everything of a thread file gets ids of this store; what the file names and does not hold is left out.
import { expect, test } from 'vitest'
import { renewIds } from './renew-ids.ts'

const RUN = {
  ...{ id: 'r1', agent: 'one', chainId: 'c', jobId: 'j', tier: 2, parentRunId: null },
  ...{ continuedBy: 'r2', promptMessageId: 'm1', answerMessageId: 'gone', processRunId: 'r1' },
  ...{ sessionId: 'a1', threadId: 'old' },
}
const SESSION = {
  ...{ id: 's1', agent: 'one', sessionId: 'a1', threadId: 'old', forkedFrom: 's2' },
  ...{ workDir: '/old', runtime: 'old', evidence: 'word', fruitlessResumes: 3, failedResumes: 1 },
}
const CONTENT = {
  thread: { id: 'old' },
  branchId: 'b1',
  branches: [{ id: 'b1', messageIds: ['m1', 'm2'] }],
  messages: [
    { id: 'm1', runId: 'r1', text: 'one' },
    { id: 'm2', runId: 'gone', text: 'two' },
    { id: 'm3', runId: null, text: 'three' },
  ],
  runs: [RUN, { ...RUN, id: 'r2', parentRunId: 'r1', continuedBy: null, sessionId: 'a2' }],
  prompts: [{ runId: 'r2', text: 'two' }],
  sessions: [SESSION, { ...SESSION, id: 's2', sessionId: 'a2', forkedFrom: null }],
}

function renewed(taken: readonly object[]) {
  const counts = new Map<string, number>()
  const id = (kind: string) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `${kind}_${counts.get(kind)}`
  }
  const thread = { id: 'thr_1', workDir: '/new' }
  return renewIds(CONTENT as never, { thread, taken, random: { id } } as never)
}
const TAKEN = { id: 's1', sessionId: 'new-1', runtime: 'new' }

test('V-3 messages, runs and branches have new ids everywhere; the thread of a file is nobody’s job or tier', () => {
  const { content } = renewed([])
  expect(content.thread).toEqual({ id: 'thr_1', workDir: '/new' })
  expect(content.branchId).toBe('brn_1')
  expect(content.branches).toEqual([{ id: 'brn_1', messageIds: ['msg_1', 'msg_2'] }])
  expect(content.messages).toEqual([
    { id: 'msg_1', runId: 'run_1', text: 'one' },
    { id: 'msg_2', runId: null, text: 'two' },
    { id: 'msg_3', runId: null, text: 'three' },
  ])
  expect(content.runs).toEqual([
    {
      ...RUN,
      ...{ id: 'run_1', threadId: 'thr_1', chainId: null, jobId: null, tier: null },
      ...{ parentRunId: null, continuedBy: 'run_2', promptMessageId: 'msg_1' },
      ...{ answerMessageId: null, processRunId: 'run_1', sessionId: null },
    },
    expect.objectContaining({ id: 'run_2', parentRunId: 'run_1', continuedBy: null }),
  ])
  expect(content.prompts).toEqual([{ runId: 'run_2', text: 'two' }])
  expect(content.sessions).toEqual([])
})

test('V-3 a session that goes on here has a new id of the agent, and its runs name that one', () => {
  const { content } = renewed([TAKEN])
  expect(content.sessions).toEqual([
    {
      ...SESSION,
      ...{ id: 'ses_1', sessionId: 'new-1', threadId: 'thr_1', forkedFrom: null },
      ...{ workDir: '/new', runtime: 'new', evidence: 'file' },
      ...{ fruitlessResumes: 0, failedResumes: 0 },
    },
  ])
  expect(content.runs.map(({ sessionId }) => sessionId)).toEqual(['new-1', null])
  const both = renewed([TAKEN, { id: 's2', sessionId: 'new-2', runtime: 'new' }]).content
  expect(both.sessions.map(({ id, forkedFrom }) => [id, forkedFrom])).toEqual([
    ['ses_1', 'ses_2'],
    ['ses_2', null],
  ])
})

test('V-3 events name the new runs; one that the file does not hold is nobody, and other words stay as they are', () => {
  const { event } = renewed([])
  const of = (body: object) => {
    const made = event({
      runId: 'r1',
      seq: 1,
      at: 5,
      type: 'x',
      json: JSON.stringify(body),
    } as never)
    return [made.runId, JSON.parse(made.json)]
  }
  const said = { type: 'text', text: 'r1' }
  expect(of(said)).toEqual(['run_1', said])
  expect(of({ continuedBy: 'r2', nextRunId: 'gone' })).toEqual([
    'run_1',
    { continuedBy: 'run_2', nextRunId: null },
  ])
  expect(of({ continuedBy: null })).toEqual(['run_1', { continuedBy: null }])
})
