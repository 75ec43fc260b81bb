import { describe, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { SandboxTest } from '../../core/run/sandbox.ts'
import { createReprise } from '../../reprise.ts'
import type { AgentCommand, Runner } from '../../runner/runner.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'

/** A machine on which both sandboxes give this self-test; what is started is noted. */
async function world(here: SandboxTest, script: FakeScript = []) {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  const simulated = createFakeRunner({ files, script })
  const started: AgentCommand[] = []
  const runner = {
    ...simulated,
    testSandbox: async () => here,
    start: (...call: Parameters<Runner['start']>) => {
      started.push(call[0])
      return simulated.start(...call)
    },
  }
  const keepText = async (text: string) => {
    const path = `/data/instructions/${text.length}.md`
    await files.write(path, text)
    return path
  }
  const env = { CLAUDE_CONFIG_DIR: '/config' }
  const reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env })],
    environment: {},
    dataDir: '/data',
    dependencies: { runner, files, keepText },
  })
  const thread = await reprise.threads.create({ workDir: '/project' })
  const notices = async (runId: string) =>
    (await reprise.runs.events(runId)).flatMap(({ runId: _, seq: __, at: ___, ...body }) =>
      body.type === 'notice' ? body : [],
    )
  return { reprise, thread, started, notices }
}

const WORKS: SandboxTest = { works: true }
const FAILS: SandboxTest = { works: false, reason: 'not installed', hint: 'Install bubblewrap.' }

describe('E-13 a run and its sandbox', () => {
  test('a thread has none unless it asks; what the agent reads by path stays visible inside', async () => {
    const { reprise, thread, started } = await world(WORKS)
    const plain = await thread.send('one').result
    expect(plain.run).toMatchObject({ sandboxWanted: 'none', sandbox: 'none', sandboxNote: null })
    expect(started[0]).not.toHaveProperty('containment')
    const { run } = await thread.send('two', { sandbox: 'auto', instructions: 'In Latin.' }).result
    expect(run).toMatchObject({ sandboxWanted: 'auto', sandbox: 'bwrap', sandboxNote: null })
    const kept = '/data/instructions/9.md'
    expect(started[1]?.containment).toMatchObject({ sandbox: 'bwrap', hidden: '/data' })
    expect(started[1]?.containment?.readable).toContain(kept)
    await reprise.close()
  })

  test('`auto` where none works runs without one, and the run says so and why', async () => {
    const { reprise, thread, notices } = await world(FAILS)
    const { run } = await thread.send('one', { sandbox: 'auto' }).result
    const why = 'bwrap: not installed; namespace: not installed'
    expect(run).toMatchObject({ status: 'completed', sandbox: 'none', sandboxNote: why })
    expect(await notices(run.id)).toEqual([
      expect.objectContaining({ code: 'not-contained', text: expect.stringContaining(why) }),
    ])
    await reprise.close()
  })

  test('one that is asked for by name and does not work: nothing is started, with reason and hint', async () => {
    const { reprise, thread, started } = await world(FAILS)
    const { run } = await thread.send('one', { sandbox: 'namespace' }).result
    expect(run).toMatchObject({
      status: 'failed',
      failure: {
        class: 'spawn-failed',
        message: expect.stringContaining('`namespace` does not work on this machine'),
        hint: expect.stringContaining('Install bubblewrap.'),
      },
    })
    expect(started).toEqual([])
    await reprise.close()
  })

  test('sudo that fails on no new privileges gives a hint to contained runs, and to no others', async () => {
    const result = 'sudo: The "no new privileges" flag is set, which prevents sudo from …'
    const input = { command: 'sudo true' }
    const script: FakeScript = [{ do: [{ type: 'tool', name: 'Bash', input, result }] }]
    const { reprise, thread, notices } = await world(WORKS, script)
    const { run } = await thread.send('one', { sandbox: 'auto' }).result
    expect(await notices(run.id)).toMatchObject([{ code: 'sandbox-sudo' }])
    const plain = await thread.send('two').result
    expect(await notices(plain.run.id)).toEqual([])
    await reprise.close()
  })
})
