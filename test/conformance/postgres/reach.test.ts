// What a person does on one host reaches the run on another: answers, cancels, approvals; and followers see it go from host to host.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Policy } from '../../../src/core/chain/policy.ts'
import { DEFAULT_TIMING } from '../../../src/flows/dependencies.ts'
import { type LocalReprise, type OpenStore, postgres } from '../../../src/index.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { smallWorld } from '../../../src/testing/in-process-agent.ts'
import type { MemoryFiles } from '../../../src/testing/memory-files.ts'
import { sampleMandate } from '../../../src/testing/store-conformance/chain-samples.ts'
import { type MemoryHostOptions, memoryHost } from '../../postgres/memory-hosts.ts'
import { emptyStore, newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const WORK_DIR = '/project'
const verdict = (word: string) => ({
  type: 'verdict' as const,
  output: { verdict: word, summary: 'seen', reason: 'because', findings: [] },
})

let database: TestDatabase
let files: MemoryFiles
let open: LocalReprise[]

beforeAll(async () => {
  database = await newDatabase('store')
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyStore(database)
  files = await smallWorld()
  open = []
})
afterEach(async () => {
  for (const reprise of open) await reprise.close()
})

async function host(
  name: string,
  script: FakeScript,
  options: Omit<MemoryHostOptions, 'script'> = {},
): Promise<LocalReprise> {
  const opened = await memoryHost(database.url, name, { script, files, ...options })
  open.push(opened)
  return opened
}

test('T-7 a question of a running agent is listed and answered on another host; the run goes on where it is', async () => {
  const asks: FakeScript = [
    {
      do: [
        { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made', asks: true },
        { type: 'text', text: 'made it' },
      ],
    },
  ]
  const [a, b] = [await host('a', []), await host('b', asks)]
  const thread = await b.threads.create({ workDir: WORK_DIR })
  const turn = thread.send('make it', { questions: 'ask' })
  const { runId } = await turn.submitted
  for await (const event of a.runs.follow(runId)) if (event.type === 'question') break
  const [question] = await a.questions({ state: 'open' })
  expect(question).toMatchObject({ runId, kind: 'permission', delivery: 'live' })
  const answer = { toolUseId: question?.toolUseId ?? '', allow: true }
  expect((await a.runs.answer(runId, answer)).turn).toBeNull()
  expect(await turn.result).toMatchObject({
    text: 'made it',
    run: { id: runId, status: 'completed', host: 'b' },
  })
  expect(await a.verify()).toEqual([])
})

/** A store whose renewals wait while they are held. Afterwards only the first one says that a cancel was requested. */
function heldRenewals(url: string) {
  const held = Promise.withResolvers<void>()
  let isHeld = false
  let renewals = 0
  const store: OpenStore = async () => {
    const opened = await postgres(url)()
    const renewLease: typeof opened.renewLease = async (...lease) => {
      if (!isHeld) return opened.renewLease(...lease)
      await held.promise
      renewals += 1
      const renewed = await opened.renewLease(...lease)
      return renewals === 1 ? renewed : { ...renewed, cancelRequested: false }
    }
    return { ...opened, renewLease }
  }
  const hold = () => {
    isHeld = true
  }
  return { store, hold, letGo: held.resolve }
}

test('J-7 a cancel on another host ends the run with the first renewal of its lease after it, and renewals come every second', async () => {
  const hangs: FakeScript = [{ do: [{ type: 'text', text: 'I wait' }, { type: 'hang' }] }]
  const slow = heldRenewals(database.url)
  const [a, b] = [await host('a', []), await host('b', hangs, { store: slow.store })]
  const thread = await b.threads.create({ workDir: WORK_DIR })
  const turn = thread.send('wait')
  const { runId } = await turn.submitted
  for await (const event of a.runs.follow(runId)) if (event.type === 'text') break
  slow.hold()
  const cancelling = a.runs.cancel(runId)
  const asked = () =>
    database.run(`select cancel_requested from reprise.runs where id = '${runId}'`)
  await expect.poll(async () => Number((await asked())[0]?.cancel_requested)).toBe(1)
  slow.letGo()
  expect((await turn.result).run).toMatchObject({ status: 'cancelled', host: 'b' })
  expect((await cancelling).id).toBe(runId)
  expect(DEFAULT_TIMING.renewMs).toBeLessThanOrEqual(1_000)
})

function askingPolicy(): Policy {
  const { policy } = sampleMandate()
  const tiers = policy.tiers.map((tier, at) =>
    at === 0 ? tier : { ...tier, approval: 'ask' as const },
  )
  return { ...policy, tiers }
}

test('E-3 a chain that waits for a person is approved on another host, which goes on with its session; its first host sees the end', async () => {
  const escalates: FakeScript = [{ do: [verdict('escalate')] }]
  const [a, b] = [await host('a', [{ do: [verdict('resolved')] }]), await host('b', escalates)]
  const held = await b.chains.start({
    policy: askingPolicy(),
    prompt: 'check',
    workDir: WORK_DIR,
  }).result
  expect(held).toMatchObject({ status: 'held', runs: [{ host: 'b' }] })
  expect((await a.chains.approve(held.id).result).status).toBe('resolved')
  expect(await b.chains.get(held.id)).toMatchObject({
    status: 'resolved',
    runs: [{ host: 'b' }, { host: 'a', tier: 2, decision: { action: 'fork' } }],
  })
  expect(await b.verify()).toEqual([])
})

test('J-7 a running chain is cancelled on another host', async () => {
  const [a, b] = [await host('a', []), await host('b', [{ do: [{ type: 'hang' }] }])]
  const { policy } = sampleMandate()
  const chain = b.chains.start({ policy, prompt: 'check', workDir: WORK_DIR })
  const { chainId, runId } = await chain.submitted
  await expect.poll(async () => (await a.runs.get(runId ?? '')).status).toBe('running')
  await a.chains.cancel(chainId)
  expect(await chain.result).toMatchObject({ status: 'cancelled', runs: [{ host: 'b' }] })
})

test('J-8 I10 a follower of a job on a third host sees it go from one host to the next, to its end', async () => {
  const half: FakeScript = [{ do: [{ type: 'text', text: 'half' }, { type: 'hang' }] }]
  const rest: FakeScript = [{ do: [{ type: 'text', text: 'the rest' }] }]
  const [a, b] = [await host('a', []), await host('b', half, { workers: 1 })]
  await b.workers()
  const { id } = await a.jobs.submit({
    ...{ prompt: 'work', workDir: WORK_DIR, checkpoints: 'off', backoff: { firstMs: 20 } },
  })
  const seen: string[] = []
  for await (const event of a.jobs.follow(id)) {
    if (event.type === 'text') seen.push(event.text)
    if (event.type === 'ended') seen.push(event.status)
    if (seen.at(-1) !== 'half') continue
    // The worker stops in the middle of its run, and another one takes the job.
    await (await host('c', rest, { workers: 1 })).workers()
    await b.close()
  }
  expect(seen).toEqual(['half', 'interrupted', 'the rest', 'completed'])
  const { attempts } = await a.jobs.get(id)
  expect(attempts).toMatchObject([{ host: 'b' }, { host: 'c', sessionResumed: true }])
})
