import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TurnOptions } from '../api.ts'
import { RepriseError } from '../errors.ts'
import { claudeCode, createReprise } from '../reprise.ts'
import { sqlite } from '../store/sqlite.ts'
import type { OpenStore, Owner } from '../store/store.ts'
import { fakeAgentExecutable } from '../testing/fake-agent/executable.ts'

let root: string
let executable: string
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-queue-')))
  mkdirSync(join(root, 'project'))
  executable = await fakeAgentExecutable(root)
  const steps = [{ when: 'hang', do: [{ type: 'hang' }] }]
  writeFileSync(join(root, 'script.json'), JSON.stringify(steps))
})
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const FIRST: Owner = { host: 'here', pid: 1, startTime: '1', keepsQueue: true }
const SECOND: Owner = { host: 'here', pid: 2, startTime: '2', keepsQueue: true }
const VERB: Owner = { host: 'here', pid: 3, startTime: '3' }

/** As a process of its own that knows which others still live. */
function open(owner: Owner, living: readonly Owner[], store: OpenStore = database()) {
  const env = {
    FAKE_AGENT_SCRIPT: join(root, 'script.json'),
    CLAUDE_CONFIG_DIR: join(root, 'agent'),
  }
  return createReprise({
    store,
    agents: [claudeCode({ executable, env })],
    dataDir: join(root, 'data'),
    keepQueue: owner.keepsQueue === true,
    parts: { owner, isAlive: ({ pid }) => living.some(process => process.pid === pid) },
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

  test('M-2 keeps to the limits it was sent with, whoever runs it', async () => {
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

  test('without keeping, a stop ends what waits', async () => {
    const { runId } = await stopWithQueue(VERB)
    const next = open(SECOND, [SECOND])
    expect((await next.runs.get(runId)).status).toBe('cancelled')
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
