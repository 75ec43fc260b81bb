import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundledFakeAgent } from '../../../test/fake-agent.ts'
import type { TurnOptions } from '../../api.ts'
import { claudeCode } from '../../claude-code.ts'
import { RepriseError } from '../../errors.ts'
import { createReprise } from '../../reprise.ts'
import type { Owner } from '../../store/contract/leases.ts'
import type { OpenStore } from '../../store/contract/store.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import {
  LEASE_MS,
  sampleFailure,
  sampleStart,
  sampleThread,
  sampleTurn,
} from '../../testing/store-conformance/samples.ts'

let root: string
let executable: string
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-queue-')))
  mkdirSync(join(root, 'project'))
  executable = await bundledFakeAgent(root)
  const steps = [{ when: 'hang', do: [{ type: 'hang' }] }]
  writeFileSync(join(root, 'script.json'), JSON.stringify(steps))
})
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const FIRST: Owner = { host: 'here', pid: 1, startTime: '1', keepsQueue: true }
const SECOND: Owner = { host: 'here', pid: 2, startTime: '2', keepsQueue: true }
const VERB: Owner = { host: 'here', pid: 3, startTime: '3' }

/** As a process of its own that knows which others still live. */
function open(
  owner: Owner,
  living: readonly Owner[],
  store: OpenStore = database(),
  maxRunning = 10,
) {
  const env = {
    FAKE_AGENT_SCRIPT: join(root, 'script.json'),
    CLAUDE_CONFIG_DIR: join(root, 'agent'),
  }
  return createReprise({
    store,
    agents: [claudeCode({ executable, env })],
    dataDir: join(root, 'data'),
    keepQueue: owner.keepsQueue === true,
    maxRunning,
    dependencies: { owner, isAlive: ({ pid }) => living.some(process => process.pid === pid) },
  })
}

const database = () => sqlite(join(root, 'reprise.db'))

/** One turn that runs and one behind it, when the process stops. */
async function stopWithQueue(owner: Owner, options: TurnOptions = {}) {
  const reprise = open(owner, [owner])
  const thread = await reprise.threads.create({ workDir: join(root, 'project') })
  const going = thread.send('hang')
  for await (const event of going) if (event.type === 'started') break
  const behind = thread.send('behind', options)
  const { runId } = await behind.submitted
  await reprise.close()
  await behind.result.catch(() => {})
  // A transcript holds the first prompt too.
  writeFileSync(join(root, 'script.json'), '[]')
  return { threadId: thread.id, runId, going: await going.result }
}

/** A turn whose first run was refused, and one behind it, when the process dies. Gives them as they shall run. */
async function leaveContinuedTurn(): Promise<readonly string[]> {
  const store = await database()()
  const thread = sampleThread({ workDir: join(root, 'project') })
  await store.createThread(thread, [])
  const at = { workDir: thread.workDir }
  const [turn, behind] = [sampleTurn(thread.id, at), sampleTurn(thread.id, at)]
  const { run, lease } = await store.submitAndClaim({ ...turn, owner: FIRST }, 1_000, LEASE_MS)
  if (!lease) throw new Error('nobody else is on the thread')
  await store.startRun(lease, sampleStart(run.id))
  await store.submitTurn({ ...behind, owner: FIRST }, 1_100)
  await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_again' } }))
  await store.close()
  return ['run_again', behind.run.id]
}

async function expectAllRun(runIds: readonly string[], store?: OpenStore): Promise<void> {
  const next = open(SECOND, [SECOND], store)
  const runs = () => Promise.all(runIds.map(runId => next.runs.get(runId)))
  const statuses = async () => (await runs()).map(run => run.status)
  await expect.poll(statuses, { timeout: 15_000 }).toEqual(['completed', 'completed'])
  const [first, second] = await runs()
  expect(first?.endedAt).toBeLessThanOrEqual(second?.startedAt ?? 0)
  expect(await next.verify()).toEqual([])
  await next.close()
}

describe('a queue that is kept', () => {
  test('I1 waits for the next process that keeps it, which runs it', async () => {
    const { runId, going } = await stopWithQueue(FIRST)
    expect(going.run.status).toBe('interrupted')
    const verb = open(VERB, [VERB])
    expect((await verb.runs.get(runId)).status).toBe('queued')
    await verb.close()
    const next = open(SECOND, [SECOND])
    const status = async () => (await next.runs.get(runId)).status
    await expect.poll(status, { timeout: 15_000 }).toBe('completed')
    expect(await next.verify()).toEqual([])
    await next.close()
  })

  test('M-2 keeps to the limits it was sent with, in every process that runs it', async () => {
    const { runId } = await stopWithQueue(FIRST, { budgetUsd: 0.5, maxTurns: 3 })
    const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1e6 }
    const billed = [{ type: 'billed', usage }, { type: 'text', text: 'dear' }, { type: 'hang' }]
    writeFileSync(join(root, 'script.json'), JSON.stringify([{ do: billed }]))
    const next = open(SECOND, [SECOND])
    const ended = async () => (await next.runs.get(runId)).endedAt
    await expect.poll(ended, { timeout: 15_000 }).not.toBe(null)
    expect(await next.runs.get(runId)).toMatchObject({ failure: { class: 'budget' } })
    await next.close()
  })

  test('is in nobody’s way: who waits behind it ends it, and its prompt is kept', async () => {
    const { threadId, runId } = await stopWithQueue(FIRST)
    const verb = open(VERB, [VERB])
    const thread = await verb.threads.get(threadId)
    const { run } = await thread.send('mine').result
    expect(run.status).toBe('completed')
    expect(await verb.runs.get(runId)).toMatchObject({ status: 'interrupted', startedAt: null })
    await verb.close()
  })

  test('nor in the way of a turn that goes on from an earlier point of the thread', async () => {
    const { threadId, runId } = await stopWithQueue(FIRST)
    const verb = open(VERB, [VERB])
    const thread = await verb.threads.get(threadId)
    const [prompt] = (await thread.show()).messages
    const { run } = await thread.retry(prompt?.id ?? '', { text: 'instead' }).result
    expect(run.status).toBe('completed')
    expect(await verb.runs.get(runId)).toMatchObject({ status: 'interrupted', startedAt: null })
    await verb.close()
  })

  test('I1 runs a turn that goes on in another run before the one that was behind it', async () => {
    const runIds = await leaveContinuedTurn()
    await expectAllRun(runIds)
  })

  test('I1 nobody waits for ever when the turns are handed over in another order', async () => {
    const runIds = await leaveContinuedTurn()
    await expectAllRun(runIds, async () => {
      const store = await database()()
      return { ...store, openRuns: async () => (await store.openRuns()).toReversed() }
    })
  })

  test('without keeping, a stop ends what waits', async () => {
    const { runId } = await stopWithQueue(VERB)
    const next = open(SECOND, [SECOND])
    expect(await next.runs.get(runId)).toMatchObject({
      status: 'interrupted',
      startedAt: null,
      failure: { class: 'shutdown' },
    })
    await next.close()
  })

  test('U-4 without keeping, a chain that waits for a slot when the process stops can be continued', async () => {
    const workDir = join(root, 'project')
    const reprise = open(VERB, [VERB], database(), 1)
    const going = (await reprise.threads.create({ workDir })).send('hang')
    for await (const event of going) if (event.type === 'started') break
    const { policy } = sampleMandate()
    const waits = reprise.chains.start({ policy, prompt: 'fix it', workDir })
    const { chainId } = await waits.submitted
    await reprise.close()
    const output = { verdict: 'resolved', summary: 'seen', reason: 'because', findings: [] }
    const script = [{ do: [{ type: 'verdict', output }] }]
    writeFileSync(join(root, 'script.json'), JSON.stringify(script))
    const next = open(SECOND, [SECOND])
    expect(await next.chains.get(chainId)).toMatchObject({
      because: { code: 'run-interrupted' },
      runs: [{ status: 'interrupted', startedAt: null, failure: { class: 'shutdown' } }],
    })
    expect((await next.chains.continue(chainId).result).status).toBe('resolved')
    await next.close()
  })

  test('outlives a store that fails for a while', async () => {
    let failures = 2
    const flaky: OpenStore = async () => {
      const store = await database()()
      return {
        ...store,
        submitAndClaim: async (turn, now) => ({
          run: await store.submitTurn(turn, now),
          lease: null,
        }),
        claimTurn: async (...claim) => {
          if (failures-- > 0) throw new RepriseError('store-full', 'no space', 'make room')
          return store.claimTurn(...claim)
        },
      }
    }
    const reprise = open(FIRST, [FIRST], flaky)
    const thread = await reprise.threads.create({ workDir: join(root, 'project') })
    expect((await thread.send('hello').result).run.status).toBe('completed')
    expect(failures).toBeLessThan(0)
    await reprise.close()
  })
})
