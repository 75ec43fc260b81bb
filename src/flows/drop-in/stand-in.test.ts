// Calls of the agent's executable by another program: what is on record of them, and which of them run without Reprise.
import { describe, expect, onTestFinished, test } from 'vitest'
import { OVER, STREAM, dropInWorld as world } from '../../../test/simulated/drop-in-world.ts'
import { RepriseError } from '../../errors.ts'

test('W-2 a call of a new session is a turn of a new thread, with its prompt, its answer and its cost', async () => {
  const { call, lastRun, textsOf, reprise, runner, started } = await world()
  expect(await call([...STREAM, 'hello'])).toEqual(OVER)
  const run = await lastRun()
  expect(run).toMatchObject({
    ...{ status: 'completed', agent: 'claude-code', workDir: '/project', trust: 'project' },
    ...{ sandboxWanted: 'none', process: 'new', decision: { action: 'start' }, questions: 'none' },
    exit: { code: 0, signal: null, endedBy: null },
  })
  expect(await textsOf(run.threadId)).toEqual(['hello', 'echo: hello'])
  const thread = await (await reprise.threads.get(run.threadId ?? '')).show()
  expect(thread).toMatchObject({ title: 'hello', kind: 'chat', workDir: '/project' })
  expect(thread.sessions).toMatchObject([{ sessionId: run.sessionId, pointer: 'confirmed' }])
  expect(run.costUsd).toBeCloseTo(runner.journal[0]?.billedUsd ?? 0, 9)
  // Where nobody chose the id of the session, we do.
  expect(started[0]).toEqual(['--session-id', run.sessionId, ...STREAM, 'hello'])
  expect((await reprise.runs.prompt(run.id)).text).toBe('hello')
  const types = (await reprise.runs.events(run.id)).map(({ type }) => type)
  expect([types[0], types.at(-1)]).toEqual(['started', 'ended'])
})

test('W-2 turns of a session are turns of one thread; a fork is a thread of its own', async () => {
  const { call, lastRun, textsOf, reprise } = await world()
  await call([...STREAM, 'one'])
  const first = await lastRun()
  const id = first.sessionId ?? ''
  expect(await call([...STREAM, '--resume', id, 'two'])).toEqual(OVER)
  const second = await lastRun()
  expect(second).toMatchObject({
    ...{ threadId: first.threadId, sessionId: id, status: 'completed' },
    decision: { action: 'resume', catchUpFrom: 2, session: { sessionId: id } },
  })
  expect(await textsOf(first.threadId)).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  expect(await call([...STREAM, '--resume', id, '--fork-session', 'three'])).toEqual(OVER)
  const fork = await lastRun()
  expect(fork).toMatchObject({
    decision: { action: 'fork', reason: { code: 'caller-asked' }, session: { sessionId: id } },
  })
  expect(fork.sessionId).not.toBe(id)
  expect(fork.threadId).not.toBe(first.threadId)
  expect((await textsOf(fork.threadId)).slice(-2)).toEqual(['three', 'echo: three'])
  expect(await textsOf(first.threadId)).toHaveLength(4)
  const total = (await reprise.runs.list()).reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  expect(total).toBeGreaterThan(0)
})

test('W-2 what the caller asks for is on the record of the run', async () => {
  const { call, lastRun } = await world()
  const asked = ['--model', 'haiku', '--permission-mode', 'plan', '--allowedTools', 'Read']
  await call([...STREAM, ...asked, '--disallowedTools', 'Bash', '--', 'hello'])
  expect(await lastRun()).toMatchObject({
    ...{ permissionMode: 'plan', allowedTools: ['Read'], disallowedTools: ['Bash'] },
    model: expect.stringContaining('haiku'),
  })
})

test('W-2 a call without output that could be heard is recorded from the file of its session', async () => {
  const { call, lastRun, textsOf } = await world()
  expect(await call(['-p', 'hello'])).toEqual(OVER)
  const run = await lastRun()
  expect(run.status).toBe('completed')
  expect(await textsOf(run.threadId)).toEqual(['hello', 'echo: hello'])
})

test('W-2 a program that fails is a failed run with the end of its error stream, and without secrets', async () => {
  const { call, lastRun } = await world()
  const ends = { code: 3, stderr: 'password=hunter2 is wrong' }
  expect(await call([...STREAM, 'hello'], { ends })).toEqual({ ...OVER, code: 3 })
  const run = await lastRun()
  expect(run).toMatchObject({ exit: { code: 3, stderr: 'password=[redacted] is wrong' } })
  expect(run.status).not.toBe('completed')
})

test('W-2 a call without a prompt leaves nothing behind; in a known session it is a cancelled run', async () => {
  const { call, reprise, lastRun } = await world()
  expect(await call(STREAM, { ends: { code: 1 } })).toEqual({ ...OVER, code: 1 })
  expect(await reprise.runs.list()).toEqual([])
  expect(await reprise.threads.list()).toEqual([])
  await call([...STREAM, 'one'])
  const { sessionId, threadId } = await lastRun()
  await call([...STREAM, '--resume', sessionId ?? ''], { ends: { code: 1 } })
  expect(await lastRun()).toMatchObject({
    ...{ threadId, status: 'cancelled', costUsd: null },
    failure: { class: 'cancelled', message: 'the caller of the agent sent no prompt' },
  })
})

const TERMINAL = { stdin: true, stdout: true, stderr: true }

test.each<[string, string[], string | null, typeof TERMINAL?]>([
  ['help', ['--help'], null],
  ['a terminal', ['hello'], null, TERMINAL],
  [
    'the latest session where there is none',
    [...STREAM, '--continue', 'hello'],
    'this work dir has no session yet, so the agent begins one',
  ],
  [
    'a session by its title',
    [...STREAM, '--resume', 'my title'],
    'it does not name its session by an id',
  ],
  [
    'a session that nobody knows',
    [...STREAM, '--resume', '11111111-1111-4111-8111-111111111111'],
    null,
  ],
])(
  'W-2 a call for %s runs without Reprise, and nothing is started here',
  async (_, args, because, isTerminal?) => {
    const { call, started, reprise } = await world()
    expect(await call(args, isTerminal && { isTerminal })).toEqual({ kind: 'bare', because })
    expect([started, await reprise.threads.list()]).toEqual([[], []])
  },
)

test('W-2 trouble with the store does not reach the caller: the agent runs, and the answer says what is not on record', async () => {
  const { call, started } = await world()
  const full = () => Promise.reject(new RepriseError('store-full', 'no space', ''))
  const late = await call([...STREAM, 'hello'], { store: one => ({ ...one, startRun: full }) })
  expect(late).toEqual({ ...OVER, trouble: 'no space' })
  expect(started).toHaveLength(1)
  const early = await call([...STREAM, 'hello'], {
    store: one => ({ ...one, submitAndClaim: full }),
  })
  expect(early).toEqual({ kind: 'bare', because: 'no space' })
  expect(started).toHaveLength(1)
})

test('W-2 V-1 a session whose file is gone is written again before the agent resumes it', async () => {
  const { call, files, lastRun, reprise } = await world()
  await call([...STREAM, '--model', 'claude-sonnet-4-5', 'one'])
  const { sessionId } = await lastRun()
  for (const path of files.paths()) if (path.includes(sessionId ?? '?')) await files.remove(path)
  expect(await call([...STREAM, '--resume', sessionId ?? '', 'two'])).toEqual(OVER)
  const run = await lastRun()
  expect(run).toMatchObject({ status: 'completed', sessionId })
  const notices = (await reprise.runs.events(run.id)).filter(({ type }) => type === 'notice')
  expect(notices).toMatchObject([{ code: 'session-rescued' }])
})

describe('W-2 V-4 a call whose session another process works on', () => {
  async function busy() {
    const made = await world([
      { when: 'hold', do: [{ type: 'waitForFile', path: '/go', reached: '/waits' }] },
    ])
    await made.call([...STREAM, 'one'])
    const { sessionId, threadId } = await made.lastRun()
    const thread = await made.reprise.threads.get(threadId ?? '')
    const turn = thread.send('hold')
    await expect.poll(() => made.files.read('/waits')).not.toBeNull()
    const resume = [...STREAM, '--resume', sessionId ?? '', 'two']
    const release = async () => {
      await made.files.write('/go', '')
      await turn.result
    }
    onTestFinished(release)
    return { ...made, resume, release, sessionId, threadId }
  }

  test('is refused, with the settings that would let it through', async () => {
    const { call, resume, sessionId, started } = await busy()
    await expect(call(resume, { settings: { whenBusy: 'refuse' } })).rejects.toMatchObject({
      ...{ code: 'busy', message: `another process works on session ${sessionId}` },
      hint: expect.stringContaining('dropIn.whenBusy'),
    })
    expect(started).toHaveLength(1)
  })

  test('runs without Reprise when it has waited for long enough', async () => {
    const { call, resume, sessionId } = await busy()
    expect(await call(resume, { settings: { whenBusy: 'wait', waitMs: 5 } })).toEqual({
      ...{ kind: 'bare', because: `another process works on session ${sessionId}` },
    })
  })

  test('waits, and goes on in the same thread', async () => {
    const { call, resume, release, threadId, lastRun } = await busy()
    const called = call(resume, { settings: { whenBusy: 'wait', waitMs: 600_000 } })
    await release()
    expect(await called).toEqual(OVER)
    expect(await lastRun()).toMatchObject({ threadId, status: 'completed' })
  })

  test('goes on in a fork', async () => {
    const { call, resume, sessionId, started, lastRun, threadId } = await busy()
    expect(await call(resume, { settings: { whenBusy: 'fork' } })).toEqual(OVER)
    const forked = started.at(-1) ?? []
    expect(forked).toContain('--fork-session')
    const run = await lastRun()
    expect(run.decision).toMatchObject({ action: 'fork', session: { sessionId } })
    expect(run.threadId).not.toBe(threadId)
    expect(forked).toContain(run.sessionId)
  })
})

test('W-2 a user can cancel the run of a call: the program gets the signal', async () => {
  const { call, reprise, runner, signals, lastRun } = await world([
    { when: 'hang', do: [{ type: 'hang' }] },
  ])
  const called = call([...STREAM, 'hang'])
  await expect.poll(() => runner.running.length).toBe(1)
  await expect.poll(async () => (await lastRun()).status).toBe('running')
  void reprise.runs.cancel((await lastRun()).id)
  await called
  expect(signals).toEqual(['SIGTERM'])
  expect(await lastRun()).toMatchObject({ status: 'cancelled', exit: { endedBy: 'cancelled' } })
})

test('W-2 what the caller writes to the input is the prompt, and what its terminal shows is not on record', async () => {
  const { call, lastRun, textsOf } = await world()
  expect(await call(['-p', '--output-format', 'json'], { stdin: 'from a pipe' })).toEqual(OVER)
  expect((await textsOf((await lastRun()).threadId))[0]).toBe('from a pipe')
  const isTerminal = { stdin: false, stdout: false, stderr: true }
  const ends = { code: 3, stderr: 'shown' }
  await call([...STREAM, 'hello'], { ends, isTerminal })
  expect((await lastRun()).exit).toMatchObject({ code: 3, stderr: '' })
})

test('W-2 a call without an answer is on record with the prompt that it got', async () => {
  const { call, lastRun, textsOf } = await world()
  await call(STREAM, { stdin: 'hello', ends: { code: 3 } })
  expect(await textsOf((await lastRun()).threadId)).toEqual(['hello'])
})
