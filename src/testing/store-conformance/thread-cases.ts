// What a store must do with threads, messages and branches.
import assert from 'node:assert/strict'
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadFilter } from '../../core/conversation/thread.ts'
import { refusesWith, storeCase } from './case.ts'
import {
  claimed,
  sampleEnd,
  sampleFailure,
  sampleMessage,
  sampleThread,
  sampleTurn,
  started,
  submitted,
} from './samples.ts'

export const THREAD_CASES = [
  storeCase('keeps a thread and its messages in order', async store => {
    const thread = sampleThread({
      ...{ title: 'first', forkedFrom: 'thr_other', trust: 'none', sandbox: 'bwrap' },
    })
    const messages = [sampleMessage({ text: 'a' }), sampleMessage({ text: 'b' })]
    await store.createThread(thread, messages)
    assert.deepEqual(await store.thread(thread.id), thread)
    assert.deepEqual(await store.branch(thread.id), messages)
  }),

  storeCase('gives a thread another title, which is no use of it', async store => {
    const thread = sampleThread({ title: 'first' })
    await store.createThread(thread, [])
    const before = await store.lastChange()
    assert.equal(await store.renameThread({ id: thread.id, title: 'second', now: 9_000 }), true)
    assert.deepEqual(await store.thread(thread.id), { ...thread, title: 'second' })
    const [change, ...none] = await store.changes(before, 10)
    assert.deepEqual([change?.kind, change?.id, change?.at, none], ['thread', thread.id, 9_000, []])
    assert.equal(await store.renameThread({ id: 'thr_none', title: 'x', now: 1 }), false)
  }),

  storeCase('answers null for what it does not have', async store => {
    assert.equal(await store.thread('thr_none'), null)
    assert.equal(await store.message('msg_none'), null)
    assert.equal(await store.threadOfMessage('msg_none'), null)
    assert.equal(await store.run('run_none'), null)
    assert.equal(await store.session('ses_none'), null)
    assert.equal(await store.requestCancel('run_none', 1), null)
    assert.equal(await store.cachedRuntime('none'), null)
    assert.equal(await store.removeThread('thr_none'), false)
    assert.deepEqual(await store.branch('thr_none'), [])
  }),

  storeCase('refuses a second thread with the same id', async store => {
    const thread = sampleThread()
    await store.createThread(thread, [])
    await refusesWith('conflict', () => store.createThread(thread, []))
  }),

  storeCase('keeps texts exactly: NUL, lone surrogates, emoji, 1 MB', async store => {
    const texts = ['a\0b', '\ud800 lone', '🙂', '%_\\', '', 'x'.repeat(1_000_000)]
    const tools = [{ id: 't', name: 'Bash', input: '"\0\ud800"', result: null, isError: false }]
    const messages = texts.map(text => sampleMessage({ text, tools }))
    const thread = sampleThread()
    await store.createThread(thread, messages)
    assert.deepEqual(await store.branch(thread.id), messages)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('can be closed more than once', async store => {
    await store.createThread(sampleThread(), [])
    await store.close()
    await store.close()
  }),

  storeCase('keeps NUL in every other text, and makes a lone surrogate U+FFFD', async store => {
    const texts = ['a\0b', '\0', '\u{10ffff}0\u{10ffff}', '🙂\0']
    for (const text of texts) {
      const thread = sampleThread({ title: text, workDir: text, instructions: text })
      await store.createThread(thread, [])
      assert.deepEqual(await store.thread(thread.id), thread)
      const found = await store.listThreads({ text, workDir: text, limit: 9 })
      assert.ok(found.some(({ id }) => id === thread.id))
    }
    const lone = sampleThread({ title: 'a\ud800b' })
    await store.createThread(lone, [])
    assert.equal((await store.thread(lone.id))?.title, 'a\ufffdb')
  }),

  storeCase('replaces a branch and keeps every message (T-4)', async store => {
    const [a, b, c] = [sampleMessage(), sampleMessage(), sampleMessage({ text: 'edited' })]
    const thread = sampleThread()
    await store.createThread(thread, [a, b])
    await store.replaceBranch({
      threadId: thread.id,
      branchId: 'brn_2',
      expected: [a.id, b.id],
      messages: [a, c],
      now: 2_000,
    })
    assert.deepEqual(await store.branch(thread.id), [a, c])
    assert.deepEqual(await store.message(b.id), b)
    assert.equal(await store.threadOfMessage(b.id), thread.id)
  }),

  storeCase('T-4 lists the versions of a message, and goes back to any of them', async store => {
    const [a, b, c] = ['a', 'b', 'c'].map((text, at) => sampleMessage({ text, createdAt: at }))
    assert.ok(a && b && c)
    const edited = sampleMessage({ text: 'edited', createdAt: 10 })
    const again = sampleMessage({ text: 'again', createdAt: 11 })
    const thread = sampleThread()
    await store.createThread(thread, [a, b, c])
    assert.deepEqual(await store.versions(thread.id), [])
    let current = [a, b, c]
    const replace = async (messages: readonly Message[]) => {
      const expected = current.map(message => message.id)
      const branchId = `brn_${messages.map(message => message.id).join('')}`
      await store.replaceBranch({ threadId: thread.id, branchId, expected, messages, now: 2_000 })
      current = [...messages]
    }
    const select = (messageId: string) =>
      store.selectMessage({ threadId: thread.id, messageId, now: 3_000 })
    await replace([a, edited, c])
    assert.deepEqual(await store.versions(thread.id), [[b.id, edited.id]])
    await replace([a])
    assert.deepEqual(await store.versions(thread.id), [])
    await replace([a, again])
    assert.deepEqual(await store.versions(thread.id), [[b.id, edited.id, again.id]])
    await select(a.id)
    assert.deepEqual(await store.branch(thread.id), [a, again])
    await select(b.id)
    assert.deepEqual(await store.branch(thread.id), [a, b, c])
    assert.equal((await store.thread(thread.id))?.updatedAt, 3_000)
    await select(edited.id)
    assert.deepEqual(await store.branch(thread.id), [a, edited, c])
    assert.deepEqual(await store.versions(thread.id), [[b.id, edited.id, again.id]])
    current = [a, edited, c]
    await replace([sampleMessage({ createdAt: 12 })])
    assert.equal((await store.versions(thread.id))[0]?.length, 2)
    await select(a.id)
    assert.deepEqual(await store.branch(thread.id), [a, again])
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('refuses to go to a message that no branch of the thread holds', async store => {
    const { threadId, turn, run, lease } = await started(store)
    const ask =
      (messageId: string, id = threadId) =>
      () =>
        store.selectMessage({ threadId: id, messageId, now: 2_000 })
    await refusesWith('busy', ask(turn.message.id))
    await store.endRun(lease, sampleEnd(run))
    await ask(turn.message.id)()
    await refusesWith('not-found', ask('msg_none'))
    const other = sampleMessage()
    await store.createThread(sampleThread(), [other])
    await refusesWith('not-found', ask(other.id))
    await refusesWith('not-found', ask(other.id, 'thr_none'))
  }),

  storeCase('refuses an edit of a branch that has changed meanwhile', async store => {
    const message = sampleMessage()
    const thread = sampleThread()
    await store.createThread(thread, [message])
    const change = { threadId: thread.id, branchId: 'brn_x', messages: [], now: 2_000 }
    await refusesWith('conflict', () => store.replaceBranch({ ...change, expected: [] }))
    assert.deepEqual(await store.branch(thread.id), [message])
  }),

  storeCase('refuses to put a message of another thread on a branch', async store => {
    const message = sampleMessage()
    await store.createThread(sampleThread(), [message])
    const thread = sampleThread()
    await refusesWith('conflict', () => store.createThread(thread, [message]))
    assert.equal(await store.thread(thread.id), null)
  }),

  storeCase('refuses edits and removal while a run is going or waits for its turn', async store => {
    for (const under of [started, claimed, submitted]) {
      const { threadId, turn } = await under(store)
      const branch = await store.branch(threadId)
      const change = { threadId, branchId: 'brn_y', expected: branch.map(m => m.id), now: 2_000 }
      await refusesWith('busy', () => store.replaceBranch({ ...change, messages: [] }))
      await refusesWith('busy', () => store.removeThread(threadId))
      assert.equal(await store.threadOfMessage(turn.message.id), threadId)
    }
  }),

  storeCase('removes a thread with all that belongs to it', async store => {
    const { threadId, run, lease, session, turn } = await started(store)
    await store.appendEvents(lease, run.id, [{ at: 1, type: 'text', json: '{}' }])
    await store.endRun(lease, sampleEnd(run))
    assert.equal(await store.removeThread(threadId), true)
    assert.equal(await store.thread(threadId), null)
    assert.equal(await store.run(run.id), null)
    assert.equal(await store.session(session.id), null)
    assert.equal(await store.message(turn.message.id), null)
    assert.equal(await store.promptOf(run.id), null)
    assert.deepEqual(await store.events(run.id, 0, 10), [])
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('lists threads by newest activity, page by page (T-10)', async store => {
    const ids: string[] = []
    for (const updatedAt of [10, 20, 20, 30]) {
      const thread = sampleThread({ updatedAt })
      ids.push(thread.id)
      await store.createThread(thread, [])
    }
    const first = await store.listThreads({ limit: 3 })
    const cursor = first.at(-1)?.id ?? ''
    const rest = await store.listThreads({ limit: 3, cursor })
    assert.deepEqual([first.length, rest.length], [3, 1])
    assert.deepEqual(new Set([...first, ...rest].map(thread => thread.id)), new Set(ids))
    assert.deepEqual([first[0]?.id, rest[0]?.id], [ids[3], ids[0]])
    assert.deepEqual(await store.listThreads({ limit: 3, cursor: 'thr_removed' }), [])
  }),

  storeCase('finds text in titles and messages, without wildcards (T-10)', async store => {
    const titled = sampleThread({ title: 'Rename 100%' })
    const spoken = sampleThread()
    await store.createThread(titled, [])
    await store.createThread(spoken, [sampleMessage({ text: 'fix the_parser please' })])
    const found = async (text: string) =>
      (await store.listThreads({ text, limit: 10 })).map(thread => thread.id)
    assert.deepEqual(await found('rename'), [titled.id])
    assert.deepEqual(await found('0%'), [titled.id])
    assert.deepEqual(await found('the_parser'), [spoken.id])
    assert.deepEqual(await found('theXparser'), [])
    assert.deepEqual(await found('%'), [titled.id])
    assert.deepEqual(await found('\\'), [])
  }),

  storeCase('finds directories, and ids by how they begin (T-10)', async store => {
    const thread = sampleThread({ workDir: '/somewhere/else' })
    const other = sampleThread()
    await store.createThread(thread, [])
    await store.createThread(other, [])
    const found = async (text: string) =>
      (await store.listThreads({ text, limit: 10 })).map(({ id }) => id)
    assert.deepEqual(await found('where/else'), [thread.id])
    assert.deepEqual(await found(other.id.slice(0, 15)), [other.id])
    assert.deepEqual(await found(other.id.slice(1)), [])
  }),

  storeCase('filters threads by agent, activity and last run, and counts them', async store => {
    const idle = sampleThread({ agent: 'other', workDir: '/elsewhere', updatedAt: 9_000 })
    await store.createThread(idle, [])
    const over = await started(store)
    await store.endRun(over.lease, sampleEnd(over.run))
    const going = await started(store, over.threadId)
    const failed = await started(store)
    await store.endRun(failed.lease, sampleFailure(failed.run))
    const queued = await submitted(store)
    const found = async (filter: ThreadFilter) => {
      const threads = await store.listThreads({ ...filter, limit: 10 })
      assert.equal(await store.countThreads(filter), threads.length)
      return new Set(threads.map(({ id }) => id))
    }
    const all = [idle.id, going.threadId, failed.threadId, queued.threadId]
    assert.deepEqual(await found({}), new Set(all))
    assert.deepEqual(await found({ kind: 'job' }), new Set())
    assert.deepEqual(await found({ agent: 'other' }), new Set([idle.id]))
    assert.deepEqual(await found({ workDir: idle.workDir }), new Set([idle.id]))
    assert.deepEqual(await found({ workDir: `${idle.workDir}/inside` }), new Set())
    assert.deepEqual(await found({ since: 9_000 }), new Set([idle.id]))
    assert.deepEqual(await found({ since: 9_001 }), new Set())
    assert.deepEqual(await found({ status: 'completed' }), new Set())
    assert.deepEqual(await found({ status: 'running' }), new Set([going.threadId]))
    assert.deepEqual(await found({ status: 'failed' }), new Set([failed.threadId]))
    assert.deepEqual(await found({ action: 'resume' }), new Set())
    const decided = new Set([going.threadId, failed.threadId])
    assert.deepEqual(await found({ action: 'start' }), decided)
    assert.deepEqual(
      await found({ action: 'start', status: 'failed', text: failed.threadId }),
      new Set([failed.threadId]),
    )
    const page = await store.listThreads({ status: 'failed', limit: 1 })
    assert.equal(page.length, 1)
  }),

  storeCase('sums up a thread: turns, cost, savings and last run', async store => {
    const { threadId, run, lease } = await started(store)
    const savings = {
      ...{ coldInputTokens: 100, coldCostUsd: 0.75, savedUsd: 0.5 },
      estimate: true as const,
    }
    await store.endRun(lease, sampleEnd(run, { savings }))
    const last = await store.submitTurn(sampleTurn(threadId), 4_000)
    const [summary] = await store.listThreads({ limit: 1 })
    assert.equal(summary?.turnCount, 2)
    assert.equal(summary?.costUsd, 0.25)
    assert.equal(summary?.savedUsd, 0.5)
    assert.equal(summary?.updatedAt, 4_000)
    assert.deepEqual(summary?.lastRun, last)
  }),

  storeCase('refuses a turn on a thread that is not there', async store => {
    await refusesWith('not-found', () => submitted(store, 'thr_none'))
  }),
]
