import { afterEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { LocalReprise } from '../../api.ts'
import type { PreWarmed } from '../../core/warm/pre-warm.ts'
import type { WarmSettings } from '../../core/warm/warm-settings.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'

let reprise: LocalReprise | null = null
afterEach(() => reprise?.close())

const ticketOf = (asked: PreWarmed) => (asked.waits ? asked.ticket : '')

/** A thread with one turn whose process is gone. */
async function world(warm: Partial<WarmSettings> | false = {}, version = '2.1.325') {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable(version))
  await files.makeDirectory('/project')
  const script = [{ when: 'hang', do: [{ type: 'hang' as const }] }]
  const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const env = { CLAUDE_CONFIG_DIR: '/config' }
  const opened = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env })],
    environment: {},
    warm,
    dependencies: { runner, files, keepText: async () => '/kept/text' },
  })
  reprise = opened
  const thread = await opened.threads.create({ workDir: '/project' })
  const first = await thread.send('one').result
  await runner.crash(first.run.id)
  await expect.poll(() => runner.running).toEqual([])
  const path = `/config/projects/-project/${first.run.sessionId}.jsonl`
  return { files, runner, reprise: opened, thread, path }
}

describe.each(['2.1.197', '2.1.325'])(
  'W-1 a process of %s that is started before the prompt comes',
  version => {
    test('says and writes nothing; the turn then runs on it, knows all before, and costs what was billed', async () => {
      const { files, runner, thread, path } = await world({}, version)
      const before = files.text(path)
      expect(await thread.preWarm()).toMatchObject({ waits: true })
      expect(runner.running).toHaveLength(1)
      expect([files.text(path), runner.journal.length]).toEqual([before, 1])
      const { run, text } = await thread.send('two').result
      expect(text).toBe('echo: two')
      expect(run).toMatchObject({
        status: 'completed',
        process: 'warm',
        decision: { action: 'resume' },
      })
      expect(run.processRunId).toMatch(/^pre_/)
      const entry = runner.journal.at(-1)
      expect(entry?.history.map(said => said.text)).toEqual(['one', 'echo: one'])
      expect(runner.journal).toHaveLength(2)
      expect(run.costUsd).toBeCloseTo(entry?.billedUsd ?? 0, 9)
      const third = await thread.send('three').result
      expect(third.run).toMatchObject({ process: 'warm', processRunId: run.processRunId })
      expect(third.run.costUsd).toBeCloseTo(runner.journal.at(-1)?.billedUsd ?? 0, 9)
    })
  },
)

describe('W-1 a process that is started before the prompt comes', () => {
  test('is not used when the turn differs, and ends first', async () => {
    const { runner, thread } = await world()
    await thread.preWarm()
    const [pre = ''] = runner.running
    const { run } = await thread.send('two', { model: 'claude-haiku-4-5' }).result
    expect(run).toMatchObject({ process: 'new', status: 'completed' })
    expect(runner.running).not.toContain(pre)
  })

  test('is used by the turn with the same options', async () => {
    const { thread } = await world()
    const options = {
      instructions: 'Be brief.',
      questions: 'ask',
      disallowedTools: ['Bash'],
    } as const
    expect(await thread.preWarm(options)).toMatchObject({ waits: true })
    expect((await thread.send('two', options).result).run.process).toBe('warm')
  })

  test('is not used when somebody wrote to its session meanwhile', async () => {
    const { files, thread, path } = await world()
    await thread.preWarm()
    await files.append(path, '\n')
    expect((await thread.send('two').result).run.process).toBe('new')
  })

  test('ends by itself when nobody sends anything, and leaves no message behind', async () => {
    const { files, runner, thread, path } = await world({ idleMs: 1 })
    const messages = () => (files.text(path) ?? '').match(/"uuid"/g)?.length
    const before = messages()
    await thread.preWarm()
    await expect.poll(() => runner.running).toEqual([])
    expect(messages()).toBe(before)
    const { run } = await thread.send('two').result
    expect(run).toMatchObject({ process: 'new', decision: { action: 'resume' } })
  })

  test('ends at once when the user gives it back, and the process of a turn stays', async () => {
    const { runner, thread } = await world()
    expect(await thread.endPreWarm('pre_none')).toEqual({ ended: false })
    const first = ticketOf(await thread.preWarm())
    expect(runner.running).toHaveLength(1)
    expect(await thread.endPreWarm(first)).toEqual({ ended: true })
    expect(runner.running).toEqual([])
    expect((await thread.send('two').result).run.process).toBe('new')
    const [kept] = runner.running
    expect(await thread.endPreWarm(ticketOf(await thread.preWarm()))).toEqual({ ended: false })
    expect(runner.running).toEqual([kept])
    expect((await thread.send('three').result).run.process).toBe('warm')
  })

  test('stays when a later message waits for it: only that message can give it back', async () => {
    const { runner, thread } = await world()
    const [earlier, later] = [ticketOf(await thread.preWarm()), ticketOf(await thread.preWarm())]
    expect(await thread.endPreWarm(earlier)).toEqual({ ended: false })
    expect(runner.running).toHaveLength(1)
    expect(await thread.endPreWarm(later)).toEqual({ ended: true })
    expect(runner.running).toEqual([])
  })

  test('a turn has used it, so nobody can give it back', async () => {
    const { thread } = await world()
    const ticket = ticketOf(await thread.preWarm())
    await thread.send('two').result
    expect(await thread.endPreWarm(ticket)).toEqual({ ended: false })
    expect((await thread.send('three').result).run.process).toBe('warm')
  })

  test('is there once, however often it is asked for', async () => {
    const { runner, thread } = await world()
    await thread.preWarm()
    expect(await thread.preWarm()).toMatchObject({ waits: true })
    expect(runner.running).toHaveLength(1)
    await runner.crash(runner.running[0] ?? '')
    const late = expect.poll(() => thread.preWarm())
    await late.toEqual({ waits: false, why: 'too-often' })
  })

  test('is not started where a turn would not use it, and the answer says why', async () => {
    const { reprise: on, runner, thread } = await world({ max: 1 })
    const why = async (asked: ReturnType<typeof thread.preWarm>) => {
      const answer = await asked
      return answer.waits ? null : answer.why
    }
    expect(await why(thread.preWarm({ freshSession: true }))).toBe('not-resumed')
    expect(await why(thread.preWarm({ maxTurns: 2 }))).toBe('not-kept')
    const other = await on.threads.create({ workDir: '/project' })
    expect(await why(other.preWarm())).toBe('not-resumed')
    await other.send('one').result
    expect(await why(thread.preWarm())).toBe('full')
    expect(runner.running).toHaveLength(1)
  })

  test('is not started while a turn of the thread runs', async () => {
    const { runner, thread } = await world()
    const turn = thread.send('hang')
    await expect.poll(() => runner.running.length).toBe(1)
    expect(await thread.preWarm()).toEqual({ waits: false, why: 'busy' })
    await turn.cancel()
  })

  test.each([[false] as const, [{ max: 0 }] as const])(
    'is not started with warm: %j',
    async warm => {
      const { thread, runner } = await world(warm)
      expect(await thread.preWarm()).toEqual({ waits: false, why: 'off' })
      expect(runner.running).toEqual([])
    },
  )
})
