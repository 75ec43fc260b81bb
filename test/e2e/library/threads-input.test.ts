import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TurnOptions } from '../../../src/index.ts'
import { claudeCode, createReprise, sqlite } from '../../../src/index.ts'
import { say } from '../../scenarios/harness/acts.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe('bad input to the library', () => {
  const world = useHarness('fake')

  test('S14 a link put in the place of the work dir while a turn waits: no agent starts where it leads', async () => {
    const [workDir, elsewhere] = [world().path('swapped'), world().path('elsewhere')]
    for (const directory of [workDir, elsewhere]) mkdirSync(directory)
    const thread = await world().reprise.threads.create({ workDir })
    const gate = world().gate()
    world().model.plan([say('first', gate)])
    const first = thread.send('first')
    await gate.reached
    const second = thread.send('second')
    await second.submitted
    renameSync(workDir, `${workDir}.moved`)
    symlinkSync(elsewhere, workDir)
    const spawns = world().spawns
    gate.open()
    await first.result
    const { run } = await second.result
    expect(run).toMatchObject({ status: 'failed', failure: { class: 'spawn-failed' } })
    expect([world().spawns, readdirSync(elsewhere)]).toEqual([spawns, []])
  })

  test.each<readonly [string, string, TurnOptions, string]>([
    ['an empty prompt', '', {}, 'bad-input'],
    ['a blank prompt', ' \n\t ', {}, 'bad-input'],
    ['a prompt with NUL', 'a\0b', {}, 'bad-input'],
    ['a prompt of 5 MB', 'x'.repeat(5 * 1024 * 1024), {}, 'bad-input'],
    ['an unknown agent', 'hello', { agent: 'nobody' }, 'not-found'],
    ['a missing work dir', 'hello', { workDir: '/no/such/place' }, 'bad-input'],
    ['a file as work dir', 'hello', { workDir: import.meta.filename }, 'bad-input'],
    ['a flag as model', 'hello', { model: '--dangerously-skip-permissions' }, 'bad-input'],
    ['an unknown permission mode', 'hello', { permissionMode: 'yolo' }, 'bad-input'],
    ['a flag as tool', 'hello', { allowedTools: ['--model'] }, 'bad-input'],
    ['instructions with NUL', 'hello', { instructions: 'a\0b' }, 'bad-input'],
    ['a budget below nothing', 'hello', { budgetUsd: -1 }, 'bad-input'],
  ])('U-4 %s: an error with a hint, nothing started, nothing stored', async (...row) => {
    const [, prompt, options, code] = row
    const thread = await world().thread()
    await world().turn(thread, 'before')
    const before = await thread.show()
    const spawns = world().spawns
    const turn = thread.send(prompt, options)
    const events = (async () => {
      for await (const event of turn) expect(event).toBeUndefined()
    })()
    const error = { code, hint: expect.stringMatching(/\w/) }
    await expect(turn.result).rejects.toMatchObject(error)
    await expect(turn.submitted).rejects.toMatchObject(error)
    await expect(events).rejects.toMatchObject(error)
    expect(world().spawns).toBe(spawns)
    expect(await thread.show()).toEqual(before)
    expect((await world().turn(thread, 'after')).run.sessionResumed).toBe(true)
  })

  test('U-4 halves of characters are made whole, and the turn goes on', async () => {
    const thread = await world().thread()
    const turn = await world().turn(thread, 'half \ud83d a smile')
    expect(turn.run.status).toBe('completed')
    expect(await world().saw(turn)).toEqual(['half \ufffd a smile'])
    expect((await world().turn(thread, 'next')).run.sessionResumed).toBe(true)
  })

  test('U-4 what is not there is named, with where to look', async () => {
    const { reprise } = world()
    const thread = await world().thread()
    const missing = { code: 'not-found', hint: expect.stringMatching(/\w/) }
    await expect(reprise.threads.get('thr_none')).rejects.toMatchObject(missing)
    await expect(reprise.runs.get('run_none')).rejects.toMatchObject(missing)
    await expect(reprise.runs.cancel('run_none')).rejects.toMatchObject(missing)
    await expect(reprise.runs.events('run_none')).rejects.toMatchObject(missing)
    await expect(thread.edit('msg_none', 'x')).rejects.toMatchObject(missing)
    await expect(thread.truncate('msg_none')).rejects.toMatchObject(missing)
    await expect(thread.fork({ at: 'msg_none' })).rejects.toMatchObject(missing)
    await expect(thread.retry('msg_none').result).rejects.toMatchObject(missing)
    await expect(
      reprise.threads.create({ workDir: world().workDir, agent: 'nobody' }),
    ).rejects.toMatchObject(missing)
    await thread.remove()
    await expect(thread.send('hello').result).rejects.toMatchObject(missing)
  })

  test('U-4 a message of another thread is not taken for one of this', async () => {
    const [one, two] = [await world().thread(), await world().thread()]
    const { messageId } = await world().turn(one, 'mine')
    await expect(two.truncate(messageId)).rejects.toMatchObject({ code: 'not-found' })
    await expect(two.retry(messageId).result).rejects.toMatchObject({ code: 'not-found' })
    expect((await one.show()).messages).toHaveLength(2)
  })

  test.each<readonly [string, () => string, string]>([
    ['missing', () => '/no/such/program', 'agent-missing'],
    ['a directory', () => '/tmp', 'agent-missing'],
    ['not executable', () => file('plain', 'hello'), 'agent-unusable'],
    ['no agent', () => '/bin/echo', 'agent-unusable'],
  ])(
    'U-4 an agent program that is %s is said before anything is stored',
    async (_, executable, code) => {
      const reprise = createReprise({
        store: sqlite(world().path(`${code}-${Math.random()}.db`)),
        agents: [claudeCode({ executable: executable() })],
        dataDir: world().path('data'),
        environment: { PATH: process.env.PATH },
      })
      await expect(reprise.threads.create({ workDir: world().workDir })).rejects.toMatchObject({
        code,
        hint: expect.stringMatching(/\w/),
      })
      expect(await reprise.threads.list()).toEqual([])
      expect(await reprise.agents()).toMatchObject([{ found: false, problem: expect.anything() }])
      await reprise.close()
    },
  )

  test('U-4 edits of a thread that is running are refused, or do not disturb the run', async () => {
    const thread = await world().thread()
    const { messageId } = await world().turn(thread, 'one')
    const gate = world().gate()
    world().model.plan([say('two, answered', gate)])
    const turn = thread.send('two')
    await gate.reached
    const edit = await thread.edit(messageId, 'one, edited').then(
      () => 'done' as const,
      error => error.code as string,
    )
    gate.open()
    const { run } = await turn.result
    expect(run.status).toBe('completed')
    expect(['done', 'busy', 'conflict']).toContain(edit)
    const texts = (await thread.show()).messages.map(message => message.text)
    expect(texts).toEqual([
      edit === 'done' ? 'one, edited' : 'one',
      'echo: one',
      'two',
      'two, answered',
    ])
    expect(await world().reprise.verify()).toEqual([])
  })

  test('U-4 a closed Reprise says so; a turn that waited ends as interrupted, and its prompt is kept', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('never', gate)])
    const first = thread.send('first')
    await gate.reached
    const second = thread.send('second')
    const { runId, messageId } = await second.submitted
    const closing = world().reprise.close()
    await expect(second.result).rejects.toMatchObject({ code: 'cancelled' })
    expect((await first.result).run.status).toBe('interrupted')
    await closing
    await expect(thread.show()).rejects.toMatchObject({ code: 'conflict' })
    await world().restart()
    const stopped = { status: 'interrupted', failure: { class: 'shutdown' } }
    expect(await world().reprise.runs.get(runId)).toMatchObject(stopped)
    const again = await world().reprise.threads.get(thread.id)
    const retried = await again.retry(messageId).result
    expect(retried.text).toBe('echo: second')
  })

  function file(name: string, content: string): string {
    const path = world().path(name)
    mkdirSync(world().root, { recursive: true })
    writeFileSync(path, content)
    return path
  }
})
