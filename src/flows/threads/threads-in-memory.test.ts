// Threads on the fake agent in this process: what a user does with a conversation, and what is refused.
import { describe, expect, test } from 'vitest'
import { eventually, processes, START } from '../../../test/simulated/processes.ts'
import { conversation, openThreads } from '../../../test/simulated/thread-world.ts'
import { NO_ARCHIVE } from '../../vault/archive.ts'
import { NO_VAULT } from '../../vault/vault.ts'

describe('a new thread', () => {
  test('has what its user gave it, and defaults for the rest', async () => {
    const { world, reprise } = await openThreads()
    world.clock.pass(1_000)
    const plain = await reprise.threads.create({ workDir: '/project' })
    expect(await plain.show()).toMatchObject({
      id: plain.id,
      kind: 'chat',
      agent: 'claude-code',
      workDir: '/project',
      title: null,
      view: 'all',
      trust: null,
      sandbox: null,
      forkedFrom: null,
      instructions: null,
      createdAt: START + 1_000,
      updatedAt: START + 1_000,
      messages: [],
      runs: [],
      sessions: [],
      costUsd: 0,
    })
    const given = {
      title: 'a title',
      view: 'own',
      trust: 'none',
      sandbox: 'none',
      agent: 'claude-code',
    } as const
    const whole = await reprise.threads.create({ workDir: '/project', ...given })
    expect(await whole.show()).toMatchObject(given)
  })

  test.each([
    ['a work dir that is not there', { workDir: '/nowhere' }, 'bad-input'],
    ['a work dir that is a file', { workDir: '/bin/agent' }, 'bad-input'],
    ['a view that there is not', { view: 'some' }, 'bad-input'],
    ['an agent that there is not', { agent: 'nobody' }, 'not-found'],
  ])('U-4 with %s is refused', async (_, change, code) => {
    const { reprise } = await openThreads()
    const wanted = { workDir: '/project', ...change } as { workDir: string }
    await expect(reprise.threads.create(wanted)).rejects.toMatchObject({ code })
    expect(await reprise.threads.count()).toBe(0)
  })

  test('U-4 is refused at once when the program of its agent is missing', async () => {
    const { world, create } = await openThreads()
    await world.files.remove('/bin/agent')
    await expect(create()).rejects.toMatchObject({ code: 'agent-missing' })
  })

  test('I8 that is created twice with one key is one', async () => {
    const { reprise } = await openThreads()
    const key = { key: 'once', request: 'same', note: '' }
    const wanted = { workDir: '/project', key }
    const [first, second] = [
      await reprise.threads.create(wanted),
      await reprise.threads.create(wanted),
    ]
    expect(second.id).toBe(first.id)
    expect(await reprise.threads.count()).toBe(1)
  })
})

describe('the list of threads', () => {
  test('T-10 is newest first, in pages, and can be searched and counted', async () => {
    const { world, reprise } = await openThreads()
    const ids: string[] = []
    for (const title of ['one', 'two', 'three']) {
      world.clock.pass(1_000)
      ids.unshift((await reprise.threads.create({ workDir: '/project', title })).id)
    }
    const listed = async (query?: Parameters<typeof reprise.threads.list>[0]) =>
      (await reprise.threads.list(query)).map(({ id }) => id)
    expect(await listed()).toEqual(ids)
    expect(await listed({ limit: 1 })).toEqual(ids.slice(0, 1))
    expect(await listed({ cursor: ids[0] ?? '' })).toEqual(ids.slice(1))
    await expect(listed({ cursor: 'thr_none' })).rejects.toMatchObject({
      code: 'bad-input',
      message: 'the list cannot go on after thr_none: there is no such thread',
      hint: 'Start again without `cursor`.',
    })
    expect(await reprise.threads.count()).toBe(3)
  })

  test('T-10 shows a new title, in one line, and refuses one that is none', async () => {
    const { world, reprise, create } = await openThreads()
    const { id } = await create()
    world.clock.pass(1_000)
    const renamed = await reprise.threads.rename(id, '  another\n title ')
    expect(renamed).toMatchObject({ id, title: 'another title' })
    for (const [title, message] of [
      [' \n', 'the title is empty'],
      ['x'.repeat(1_001), 'the title has 1001 characters'],
    ] as const)
      await expect(reprise.threads.rename(id, title)).rejects.toMatchObject({ message })
    expect((await reprise.threads.rename(id, 'x'.repeat(1_000))).title).toHaveLength(1_000)
    await expect(reprise.threads.rename('thr_none', 'x')).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('T-10 a thread that begins with a title, or is forked with one, has it in one line', async () => {
    const { reprise } = await openThreads()
    const begin = (title: string) => reprise.threads.create({ workDir: '/project', title })
    const first = await begin(' plan\n B ')
    expect((await first.show()).title).toBe('plan B')
    expect((await (await first.fork({ title: 'plan\tC' })).show()).title).toBe('plan C')
    for (const title of ['', ' ', '\0']) {
      await expect(begin(title)).rejects.toMatchObject({ code: 'bad-input' })
      await expect(first.fork({ title })).rejects.toMatchObject({ code: 'bad-input' })
    }
    expect(await reprise.threads.count()).toBe(2)
  })

  test('U-4 a thread that is not there: the error names the list', async () => {
    const { reprise } = await openThreads()
    await expect(reprise.threads.get('thr_none')).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no thread thr_none',
      hint: 'Run `reprise threads` to see their ids.',
    })
  })
})

describe('T-4 a user changes a conversation:', () => {
  test('an edit puts another message in the place of one, and keeps who said it', async () => {
    const { world, thread, texts, idOf } = await conversation('one', 'two')
    const before = await thread.show()
    world.clock.pass(1_000)
    const edited = await thread.edit(await idOf('echo: one'), 'something else')
    expect(edited).toMatchObject({
      role: 'assistant',
      agent: 'claude-code',
      text: 'something else',
      createdAt: START + 1_000,
    })
    expect(await texts()).toEqual(['one', 'something else', 'two', 'echo: two'])
    expect(edited.hash).not.toBe(before.messages[1]?.hash)
    const { run } = await thread.send('three').result
    expect(run.decision?.action).not.toBe('resume')
  })

  test('a truncation takes a message and all after it off', async () => {
    const { thread, texts, idOf } = await conversation('one', 'two')
    await thread.truncate(await idOf('two'))
    expect(await texts()).toEqual(['one', 'echo: one'])
  })

  test('a retry asks a prompt again, its own or another, or that of an answer', async () => {
    const { thread, texts, idOf } = await conversation('one', 'two')
    await thread.retry(await idOf('echo: two')).result
    expect(await texts()).toEqual(['one', 'echo: one', 'two', 'echo: two'])
    await thread.retry(await idOf('two'), { text: 'three' }).result
    expect(await texts()).toEqual(['one', 'echo: one', 'three', 'echo: three'])
    await thread.retry(await idOf('one')).result
    expect(await texts()).toEqual(['one', 'echo: one'])
  })

  test('a turn may go on after any message', async () => {
    const { thread, texts, idOf } = await conversation('one', 'two')
    await thread.send('instead', { after: await idOf('echo: one') }).result
    expect(await texts()).toEqual(['one', 'echo: one', 'instead', 'echo: instead'])
  })

  test('an earlier version can be chosen again', async () => {
    const { world, thread, texts, idOf } = await conversation('one', 'two')
    const first = await idOf('two')
    await thread.retry(first, { text: 'three' }).result
    world.clock.pass(1_000)
    const shown = await thread.select(first)
    expect(shown.messages.map(({ text }) => text)).toEqual(['one', 'echo: one', 'two', 'echo: two'])
    expect(shown.updatedAt).toBe(START + 1_000)
    expect(await texts()).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  })

  test('I8 a retry and a turn after a message that are sent twice with one key cut the branch once', async () => {
    const { world, thread, texts, idOf } = await conversation('one', 'two')
    const key = { key: 'once', request: 'same', note: '' }
    const retried = await idOf('two')
    const first = await thread.retry(retried, { key, text: 'three' }).result
    expect(await thread.retry(retried, { key, text: 'three' }).result).toEqual(first)
    const other = { ...key, key: 'other' }
    const after = await idOf('echo: one')
    const sent = await thread.send('four', { key: other, after }).result
    expect(await thread.send('four', { key: other, after }).result).toEqual(sent)
    expect(await texts()).toEqual(['one', 'echo: one', 'four', 'echo: four'])
    expect(world.runner.journal).toHaveLength(4)
  })

  test('a prompt whose turn was cancelled before it ran is simply sent', async () => {
    const { world, create } = await openThreads([{ when: 'hang', do: [{ type: 'hang' }] }])
    const thread = await create()
    const first = thread.send('hang')
    await eventually(() => world.runner.running.length).toBe(1)
    const unsent = thread.send('two')
    const { messageId } = await unsent.submitted
    await unsent.cancel()
    await first.cancel()
    const texts = async () => (await thread.show()).messages.map(({ text }) => text)
    const before = await texts()
    expect(before).not.toContain('two')
    const preview = await thread.preview({ retry: messageId })
    expect(preview.notes).toEqual([])
    await thread.retry(messageId, { text: 'three' }).result
    expect(await texts()).toEqual([...before, 'three', 'echo: three'])
    await thread.retry(messageId).result
    expect(await texts()).toEqual([...before, 'three', 'echo: three', 'two', 'echo: two'])
    const elsewhere = await create()
    await expect(elsewhere.retry(messageId).result).rejects.toMatchObject({ code: 'not-found' })
  })

  test('U-4 a message that is not on the branch: the error names the thread, and nothing changes', async () => {
    const { thread, texts } = await conversation('one')
    const missing = {
      code: 'not-found',
      message: `there is no message msg_none on the branch of thread ${thread.id}`,
      hint: `Run \`reprise threads show ${thread.id}\` to see its messages.`,
    }
    await expect(thread.edit('msg_none', 'x')).rejects.toMatchObject(missing)
    await expect(thread.truncate('msg_none')).rejects.toMatchObject(missing)
    await expect(thread.retry('msg_none').result).rejects.toMatchObject(missing)
    await expect(thread.send('x', { after: 'msg_none' }).result).rejects.toMatchObject(missing)
    await expect(thread.fork({ at: 'msg_none' })).rejects.toMatchObject(missing)
    const first = (await thread.show()).messages[0]?.id ?? ''
    const hint = expect.stringContaining('`reprise threads truncate`')
    const emptied = { code: 'bad-input', message: 'the new text is empty', hint }
    await expect(thread.edit(first, '')).rejects.toMatchObject(emptied)
    const blank = { message: 'the new text is blank' }
    await expect(thread.edit(first, ' ')).rejects.toMatchObject(blank)
    expect(await texts()).toEqual(['one', 'echo: one'])
  })

  test('an answer without a prompt before it cannot be asked again', async () => {
    const { reprise } = await openThreads()
    const messages = [{ role: 'assistant', text: 'hello' }] as const
    const thread = await reprise.adopt({ workDir: '/project', messages })
    const [{ id = '' } = {}] = (await thread.show()).messages
    await expect(thread.retry(id).result).rejects.toMatchObject({
      code: 'bad-input',
      message: `message ${id} has no prompt before it that could be asked again`,
      hint: 'Retry a message of the user, or send a new one: `reprise send -t`.',
    })
  })

  test('T-10 a fork is a thread of its own, whole or up to a message', async () => {
    const { world, reprise, thread, texts, idOf } = await conversation('one', 'two')
    world.clock.pass(1_000)
    const whole = await thread.fork()
    const part = await thread.fork({ at: await idOf('echo: one'), title: 'the first half' })
    const shown = await part.show()
    expect(shown).toMatchObject({
      kind: 'chat',
      title: 'the first half',
      forkedFrom: thread.id,
      createdAt: START + 1_000,
      updatedAt: START + 1_000,
    })
    expect(shown.messages.map(({ text }) => text)).toEqual(['one', 'echo: one'])
    expect((await whole.show()).messages.map(({ text }) => text)).toEqual(await texts())
    expect((await whole.show()).title).toBe((await thread.show()).title)
    const ids = async (id: string) =>
      (await (await reprise.threads.get(id)).show()).messages.map(message => message.id)
    expect(new Set([...(await ids(thread.id)), ...(await ids(whole.id))]).size).toBe(8)
    await part.send('three').result
    expect(await texts()).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  })

  test('C-7 a thread shows its runs in order, its sessions with counts, and what all of it cost', async () => {
    const { thread } = await conversation('one', 'two')
    const { runs, sessions, costUsd } = await thread.show()
    expect(runs.map(({ decision }) => decision?.action)).toEqual(['start', 'resume'])
    expect(costUsd).toBeCloseTo(runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0))
    expect(costUsd).toBeGreaterThan(0)
    expect(sessions).toHaveLength(1)
  })

  test('V-6 a thread that is removed is gone', async () => {
    const { reprise, thread } = await conversation('one')
    expect(await thread.remove()).toEqual({ id: thread.id, checkpoints: [] })
    await expect(thread.show()).rejects.toMatchObject({ code: 'not-found' })
    expect(await reprise.sessions.list()).toEqual([])
  })

  test('V-6 a thread that is removed takes its copies, objects, archives and outputs along', async () => {
    const world = await processes()
    const removed: string[] = []
    const { reprise } = world.open({
      dataDir: '/data',
      dependencies: {
        fileWriter: world.files,
        archive: {
          ...NO_ARCHIVE,
          remove: async ({ sessionId }) => void removed.push(`archive ${sessionId}`),
        },
        vault: {
          ...NO_VAULT,
          remove: async ({ sessionId }) => void removed.push(`copy ${sessionId}`),
          objects: { ...NO_VAULT.objects, remove: async id => void removed.push(`objects ${id}`) },
        },
      },
    })
    const thread = await reprise.threads.create({ workDir: '/project' })
    const { sessionId } = (await thread.send('one').result).run
    const outputs = `/data/outputs/${thread.id}`
    await world.files.write(`${outputs}/output.txt`, 'private')
    await thread.remove()
    expect(removed.toSorted()).toEqual([
      `archive ${sessionId}`,
      `copy ${sessionId}`,
      `objects ${thread.id}`,
    ])
    expect(await world.files.stat(outputs)).toBe(null)
  })
})
