// What a turn would do before it is sent, and threads of conversations that began without Reprise.
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test/simulated/processes.ts'
import { conversation, openThreads } from '../../../test/simulated/thread-world.ts'
import type { AdoptRequest } from '../../api.ts'

describe('D-7 a preview', () => {
  test('says how a turn would go on and what it would cost, and changes nothing', async () => {
    const { world, thread, texts, idOf } = await conversation('one', 'two')
    const started = world.runner.journal.length
    const next = await thread.preview({ prompt: 'three' })
    expect(next).toMatchObject({ decision: { action: 'resume' }, notes: [] })
    expect(next.estimate?.tokens).toBeGreaterThan(0)
    const fresh = await thread.preview({ prompt: 'three', freshSession: true })
    expect(fresh.decision).toMatchObject({ action: 'replay', reason: { code: 'fresh-asked' } })
    const retried = await thread.preview({ retry: await idOf('two') })
    expect(retried.decision.action).toBe('fork')
    const after = await thread.preview({ prompt: 'x', after: await idOf('echo: one') })
    expect(after.decision.action).toBe('fork')
    const long = await thread.preview({ prompt: 'x'.repeat(40_000) })
    expect((long.estimate?.tokens ?? 0) - (next.estimate?.tokens ?? 0)).toBeGreaterThan(9_000)
    expect(world.runner.journal).toHaveLength(started)
    expect(await texts()).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  })

  test('gives the same decision as the quicker look before a turn is stored', async () => {
    const { reprise, thread } = await conversation('one', 'two')
    for (const options of [{}, { freshSession: true }, { carry: 'note' as const }]) {
      const { decision } = await thread.preview(options)
      expect(await reprise.nextDecision(thread.id, options)).toEqual(decision)
    }
    await expect(reprise.nextDecision('thr_none', {})).rejects.toMatchObject({ code: 'not-found' })
  })

  test('of a retry counts its prompt, or the one that is given instead', async () => {
    const { thread, idOf } = await conversation('one', 'two '.repeat(4_000))
    const retry = await idOf('two '.repeat(4_000))
    const [own, other] = [
      await thread.preview({ retry }),
      await thread.preview({ retry, prompt: 'short' }),
    ]
    expect((own.estimate?.tokens ?? 0) - (other.estimate?.tokens ?? 0)).toBeGreaterThan(3_000)
  })

  test('says that another run is going on the thread', async () => {
    const { world, create } = await openThreads([{ do: [{ type: 'hang' }] }])
    const thread = await create()
    const turn = thread.send('one')
    await eventually(() => world.runner.running.length).toBe(1)
    expect((await thread.preview({ prompt: 'two' })).notes).not.toEqual([])
    await turn.cancel()
  })

  test('U-4 goes on after a message or asks one again, not both', async () => {
    const { thread, idOf } = await conversation('one')
    const both = { retry: await idOf('one'), after: await idOf('one') }
    await expect(thread.preview(both)).rejects.toMatchObject({
      code: 'bad-input',
      message: 'a preview goes on after a message or asks one again, not both',
      hint: 'Give `after` or `retry`.',
    })
    await expect(thread.preview({ workDir: '/nowhere' })).rejects.toMatchObject({
      code: 'bad-input',
    })
    await expect(thread.preview({ agent: 'nobody' })).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('L-4 a conversation that began without Reprise', () => {
  const SAID = [
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'echo: one' },
  ] as const satisfies AdoptRequest['messages']

  /** The agent was used by hand: its session is on disk, and no store knows it. */
  async function usedByHand() {
    const { world, reprise, thread } = await conversation('one')
    const [session] = await reprise.sessions.list()
    const sessionId = session?.sessionId ?? ''
    await thread.remove()
    return { world, reprise, sessionId }
  }

  test('goes on in its session when the file of the agent holds it', async () => {
    const { world, reprise, sessionId } = await usedByHand()
    const thread = await reprise.adopt({ workDir: '/project', sessionId, messages: SAID })
    const [session] = (await thread.show()).sessions
    expect(session).toMatchObject({ sessionId, pointer: 'confirmed', state: 'active' })
    expect(session?.contextTokens).toBeGreaterThan(0)
    expect(session?.model).not.toBeNull()
    const { run } = await thread.send('two').result
    expect(run).toMatchObject({ decision: { action: 'resume' }, sessionId })
    expect(world.runner.journal.at(-1)?.prompt).not.toContain('echo: one')
    const again = await reprise.adopt({ workDir: '/project', sessionId, messages: SAID })
    expect(again.id).toBe(thread.id)
  })

  test.each([
    ['says something else', [{ role: 'user', text: 'another' }] as const, true],
    ['is not there', SAID, false],
  ])('begins a new session when the file of the agent %s', async (_, messages, isThere) => {
    const { world, reprise, sessionId } = await usedByHand()
    if (!isThere)
      for (const path of world.files.paths())
        if (path.endsWith('.jsonl')) await world.files.remove(path)
    const thread = await reprise.adopt({ workDir: '/project', sessionId, messages })
    expect((await thread.show()).sessions).toEqual([])
    expect((await thread.send('two').result).run.decision?.action).toBe('replay')
  })

  test('is kept as it was said, with its tools, and what its user wants of it', async () => {
    const { reprise } = await openThreads()
    const tools = [{ id: 't', name: 'Read', input: '{}', result: 'x', isError: false }]
    const thread = await reprise.adopt({
      workDir: '/project',
      trust: 'none',
      sandbox: 'none',
      messages: [SAID[0], { ...SAID[1], tools }],
    })
    expect(await thread.show()).toMatchObject({
      agent: 'claude-code',
      title: null,
      view: 'all',
      trust: 'none',
      sandbox: 'none',
      messages: [
        { role: 'user', agent: null, text: 'one', interrupted: false, runId: null },
        { role: 'assistant', agent: 'claude-code', text: 'echo: one', tools },
      ],
    })
  })

  test('I8 that is adopted twice with one key is one thread', async () => {
    const { reprise } = await openThreads()
    const key = { key: 'once', request: 'same', note: '' }
    const wanted = { workDir: '/project', messages: SAID, key }
    expect((await reprise.adopt(wanted)).id).toBe((await reprise.adopt(wanted)).id)
  })

  test.each(['../../etc', '', '-x', `a${'b'.repeat(128)}`])(
    'U-4 S29 the session %j is refused',
    async sessionId => {
      const { reprise } = await openThreads()
      const adopted = reprise.adopt({ workDir: '/project', sessionId, messages: SAID })
      await expect(adopted).rejects.toMatchObject({
        code: 'bad-input',
        message: `${JSON.stringify(sessionId).slice(0, 100)} is not the id of a session`,
        hint: 'Give `sessionId` the id that the agent printed for its session, or leave it out.',
      })
      expect(await reprise.threads.count()).toBe(0)
    },
  )
})
