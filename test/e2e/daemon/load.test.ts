// Many turns at once: how many agents the daemon starts, and whether it still answers.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually, ServeWorld } from './serve-world.ts'

const TURNS = 1_000
const THREADS = 50
const MAX_RUNNING = 2

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  world.config({ maxRunning: MAX_RUNNING })
  world.script([{ do: [{ type: 'hang' }] }])
})
afterEach(() => world.closeAll())

test('U-3 I15 1,000 turns at once are all acknowledged, /health is answered in between, and no more agents live than may run', async () => {
  const { url, pid } = await world.serve()
  const post = async (path: string, body: unknown) => {
    const sent = { method: 'POST', agent: false } as const
    const answer = await ask(new URL(path, url), sent, JSON.stringify(body))
    return (await json(answer)) as Record<string, string>
  }
  // Its connection is there before all others: the daemon answers it among them, whenever it accepts theirs.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const health = async () => {
    const answer = await ask(new URL('/health', url), { agent })
    await json(answer)
    return answer.statusCode
  }
  const ids: string[] = []
  for (let at = 0; at < THREADS; at += 1) {
    ids.push((await post('/api/threads', { workDir: world.workDir })).id ?? '')
  }
  await health()

  const happened: ('acknowledged' | 'health')[] = []
  const acknowledged = Array.from({ length: TURNS }, async (_, at) => {
    const { runId } = await post(`/api/threads/${ids[at % THREADS]}/turns`, { prompt: `do ${at}` })
    happened.push('acknowledged')
    return runId
  })
  let all: readonly (string | undefined)[] = []
  let most = 0
  const over = Promise.all(acknowledged).then(runs => {
    all = runs
  })
  while (all.length === 0) {
    expect(await health()).toBe(200)
    happened.push('health')
    most = Math.max(most, agentsOf(pid))
    await Promise.race([sleep(10), over])
  }
  agent.destroy()
  expect(new Set(all).size).toBe(TURNS)
  // It does not wait until all those who came before have been served.
  expect(happened.indexOf('health')).toBeLessThan(TURNS / 2)

  const count = async (status: string) => {
    const metrics = await (await world.request(url, '/metrics')).text()
    const lines = metrics.matchAll(/^reprise_runs\{status="(\w+)".* (\d+)$/gm)
    return lines.reduce((sum, [, is, runs]) => (is === status ? sum + Number(runs) : sum), 0)
  }
  await eventually(async () => (await count('running')) === MAX_RUNNING)
  expect(await count('queued')).toBe(TURNS - MAX_RUNNING)
  expect(Math.max(most, agentsOf(pid))).toBeLessThanOrEqual(MAX_RUNNING)
  // The first of the last thread: nothing but a slot is missing.
  const waiting = all[THREADS - 1] ?? ''
  const shown = await world.request(url, `/api/runs/${waiting}`)
  expect(await shown.json()).toMatchObject({
    status: 'queued',
    waitsFor: { code: 'no-slot', words: 'waits for a slot: 2 of 2 turns run' },
  })
  const { out } = await world.here(['runs', 'show', waiting])
  expect(out).toContain('queued       waits for a slot: 2 of 2 turns run')
})

/** Not by `fetch`, which gives up on a connection after ten seconds: a thousand of them take longer on a busy machine. */
async function ask(url: URL, options: RequestOptions, body = ''): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
  const sent = request(url, { headers, ...options }).end(body)
  const [answer]: (IncomingMessage | undefined)[] = await once(sent, 'response').catch(error => {
    if (sent.reusedSocket) return []
    throw error
  })
  // The daemon closes a connection that was idle for five seconds, as that for /health is when this process has to wait that long.
  return answer ?? ask(url, { ...options, agent: false }, body)
}

/** Its children that are agents; its watcher is a shell. */
function agentsOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return children.filter(child => commandOf(child).includes('fake-')).length
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return '' // It ended meanwhile.
  }
}
