import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../index.ts'
import type { Store } from '../store/store.ts'
import { fakeAgentExecutable } from '../testing/index.ts'
import { sampleMessage } from '../testing/store-conformance/samples.ts'

let root: string
let agent: string
let agentEnv: Record<string, string>
let reprise: LocalReprise

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-job-')))
  mkdirSync(join(root, 'project'))
  const script = [{ when: 'new', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] }]
  writeFileSync(join(root, 'script'), JSON.stringify(script))
  agent = await fakeAgentExecutable(root)
  agentEnv = { HOME: root, FAKE_AGENT_SCRIPT: join(root, 'script') }
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

test('J-2 an attempt that was stored but never began is told as what it was: a restart, nothing put back', async () => {
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
      message: sampleMessage({ text: 'never told', runId: 'run_aaaaaaaaaaaaaaaa' }),
      owner: { host: (await import('node:os')).hostname(), pid: 1, startTime: 'gone' },
    },
    Date.now(),
  )
  await store.close()
  await reprise.jobs.retry(id)
  const job = await reprise.jobs.wait(id)
  expect(job.attempts.map(run => run.status)).toEqual(['interrupted', 'interrupted', 'completed'])
  const { messages } = await (await reprise.threads.get(threadId)).show()
  expect(messages.map(message => message.text).join('\n')).not.toContain('never told')
  const told = messages.findLast(message => message.role === 'user')?.text
  expect(told).toContain('was restarted')
  expect(told).not.toContain('put back')
})

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
  while ((await store.job(id))?.status !== 'running') {
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  renameSync(`${agent}.away`, agent)
  expect(await waiting).toMatchObject({ status: 'completed' })
  await store.close()
  await submitter.close()
})

test('J-6 an attempt whose process died right after it had ended gets its checkpoint all the same', async () => {
  const workDir = join(root, 'project')
  execFileSync('git', ['init', '-q', workDir])
  writeFileSync(join(root, 'script'), '[]')
  const death = Promise.withResolvers<never>()
  death.promise.catch(() => {}) // Told to whoever waits for it.
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
    parts: { owner: { host: hostname(), pid: 1, startTime: 'gone' }, isAlive: () => true },
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
