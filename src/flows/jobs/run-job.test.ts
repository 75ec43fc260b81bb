import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundledFakeAgent } from '../../../test/fake-agent.ts'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../../index.ts'
import type { Store } from '../../store/contract/store.ts'
import { sampleMessage } from '../../testing/store-conformance/samples.ts'

let root: string
let agent: string
let agentEnv: Record<string, string>
let reprise: LocalReprise

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-job-')))
  mkdirSync(join(root, 'project'))
  const script = [{ when: 'new', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] }]
  writeFileSync(join(root, 'script'), JSON.stringify(script))
  agent = await bundledFakeAgent(root)
  agentEnv = { CLAUDE_CONFIG_DIR: join(root, '.claude'), FAKE_AGENT_SCRIPT: join(root, 'script') }
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable: agent, env: agentEnv })],
    dataDir: join(root, 'data'),
  })
})
afterEach(async () => {
  await reprise.close()
  rmSync(root, { recursive: true, force: true })
})

test.each([
  ['this host', hostname()],
  ['a host of which nobody knows', 'elsewhere'],
])(
  'J-2 the next prompt calls an attempt that was stored but never began on %s what it was: a restart; nothing was restored',
  async (_, host) => {
    const workDir = join(root, 'project')
    const backoff = { firstMs: 3_600_000 }
    const { id, threadId } = await reprise.jobs.submit({ prompt: 'work', workDir, backoff })
    while ((await reprise.jobs.get(id)).status !== 'waiting') {
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    // As a daemon leaves it that is killed between storing the attempt and starting it.
    const store = await sqlite(join(root, 'reprise.db'))()
    const {
      agent: name,
      model,
      permissionMode,
      allowedTools,
      disallowedTools,
    } = (await reprise.jobs.get(id)).attempts[0] as NonNullable<
      Awaited<ReturnType<LocalReprise['jobs']['get']>>['attempts'][0]
    >
    await store.submitTurn(
      {
        run: {
          ...{ id: 'run_aaaaaaaaaaaaaaaa', agent: name, model, threadId, workDir, permissionMode },
          ...{ allowedTools, disallowedTools, freshSession: false, questions: 'none' },
          ...{ trust: 'project', sandboxWanted: 'none' },
        },
        job: { id, attempt: 2 },
        message: sampleMessage({ text: 'never sent', runId: 'run_aaaaaaaaaaaaaaaa' }),
        owner: { host, pid: 1, startTime: 'gone' },
      },
      Date.now(),
    )
    await store.close()
    await reprise.jobs.retry(id)
    const job = await reprise.jobs.wait(id)
    expect(job.attempts.map(run => run.status)).toEqual(['interrupted', 'interrupted', 'completed'])
    const { messages } = await (await reprise.threads.get(threadId)).show()
    expect(messages.map(message => message.text).join('\n')).not.toContain('never sent')
    const lastPrompt = messages.findLast(message => message.role === 'user')?.text
    expect(lastPrompt).toContain('was restarted')
    expect(lastPrompt).not.toContain('put back')
  },
)

test('J-2 an agent that is gone for a moment, as while it is replaced, does not end a job', async () => {
  const workDir = join(root, 'project')
  const submitter = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable: agent, env: agentEnv })],
    dataDir: join(root, 'data'),
    workers: 0,
  })
  const { id } = await submitter.jobs.submit({ prompt: 'work', workDir, backoff: { firstMs: 1 } })
  renameSync(agent, `${agent}.away`)
  const waiting = reprise.jobs.wait(id)
  const store = await sqlite(join(root, 'reprise.db'))()
  while ((await store.job(id))?.status !== 'waiting') {
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  renameSync(`${agent}.away`, agent)
  expect(await waiting).toMatchObject({ status: 'completed' })
  await store.close()
  await submitter.close()
})

test('J-2 a job whose work dir is gone waits and says so, not that it runs, and goes on when it is back', async () => {
  const workDir = join(root, 'project')
  const backoff = { firstMs: 3_600_000 }
  const { id } = await reprise.jobs.submit({ prompt: 'work', workDir, backoff, checkpoints: 'off' })
  const until = async (words: RegExp) => {
    for (;;) {
      const job = await reprise.jobs.get(id)
      expect(job.status === 'running' && job.words).not.toBeTypeOf('string')
      if (job.status === 'waiting' && words.test(job.words ?? '')) return job
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  // Its first attempt crashes; nothing of that is said of the second.
  await until(/ended unexpectedly/)
  renameSync(workDir, `${workDir}.away`)
  await reprise.jobs.retry(id)
  const waiting = await until(/could not be started/)
  expect(waiting.words).toContain(`could not be started (1 in a row): `)
  expect(waiting.words).toContain(workDir)
  expect(waiting.nextAttemptAt).toBeGreaterThan(waiting.createdAt)
  renameSync(`${workDir}.away`, workDir)
  expect(await reprise.jobs.wait(id)).toMatchObject({ status: 'completed' })
})

test('J-8 after an ordinary stop a job says that it was stopped in order, and goes on with the next process', async () => {
  const workDir = join(root, 'project')
  const reached = join(root, 'reached')
  const waits = { type: 'waitForFile', path: join(root, 'never'), reached }
  writeFileSync(join(root, 'script'), JSON.stringify([{ when: 'new', once: true, do: [waits] }]))
  const { id } = await reprise.jobs.submit({ prompt: 'work', workDir })
  while (!existsSync(reached)) await new Promise(resolve => setTimeout(resolve, 20))
  await reprise.close()
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable: agent, env: agentEnv })],
    dataDir: join(root, 'data'),
  })
  const stopped = await reprise.jobs.get(id)
  expect(stopped).toMatchObject({
    status: 'waiting',
    words: 'Reprise was stopped in order; the job continues',
    attempts: [{ status: 'interrupted', failure: { class: 'shutdown' } }],
  })
  expect(await reprise.jobs.wait(id)).toMatchObject({ status: 'completed' })
})

test.each([true, false])(
  'J-8 the same of an attempt that still waited for a slot, keepQueue %s',
  async keepQueue => {
    const workDir = join(root, 'project')
    writeFileSync(join(root, 'script'), JSON.stringify([{ when: 'stay', do: [{ type: 'hang' }] }]))
    const options = {
      store: sqlite(join(root, 'reprise.db')),
      agents: [claudeCode({ executable: agent, env: agentEnv })],
      dataDir: join(root, 'data'),
      keepQueue,
    }
    const narrow = createReprise({ ...options, maxRunning: 1, workers: 1 })
    const thread = await narrow.threads.create({ workDir })
    const going = thread.send('stay')
    for await (const event of going) if (event.type === 'started') break
    const { id } = await narrow.jobs.submit({ prompt: 'work', workDir })
    while ((await narrow.jobs.get(id)).attempts.length === 0) {
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    await narrow.close()
    expect(await reprise.jobs.get(id)).toMatchObject({
      status: 'waiting',
      words: 'Reprise was stopped in order; the job continues',
      attempts: [{ status: 'interrupted', startedAt: null, failure: { class: 'shutdown' } }],
    })
    expect(await reprise.jobs.wait(id)).toMatchObject({ status: 'completed' })
  },
)

test('J-6 an attempt whose process died right after it had ended gets its checkpoint all the same', async () => {
  const workDir = join(root, 'project')
  execFileSync('git', ['init', '-q', workDir])
  writeFileSync(join(root, 'script'), '[]')
  const death = Promise.withResolvers<never>()
  death.promise.catch(() => {}) // The test that waits for it gets the error.
  const dying = createReprise({
    store: async () => {
      const store = await sqlite(join(root, 'reprise.db'))()
      const endRun: Store['endRun'] = async (...end) => {
        await store.endRun(...end)
        return death.promise
      }
      return { ...store, endRun }
    },
    agents: [claudeCode({ executable: agent, env: agentEnv })],
    dataDir: join(root, 'data'),
    // Dead for the others, not for itself: it would take its own work away.
    dependencies: { owner: { host: hostname(), pid: 1, startTime: 'gone' }, isAlive: () => true },
  })
  const { id } = await dying.jobs.submit({ prompt: 'work', workDir })
  while ((await dying.jobs.get(id)).attempts[0]?.endedAt == null) {
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const job = await reprise.jobs.wait(id)
  expect(job).toMatchObject({ status: 'completed', attempts: [{ status: 'completed' }] })
  expect(job.checkpoints.map(({ kind }) => kind)).toEqual(['before', 'after'])
  death.reject(new Error('died'))
  await dying.close()
})
