// J-5, I8: submissions whose reply is lost are sent again with their key; each is one job.
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chosenSeed, countOf } from '../counts.ts'
import { ServeWorld } from '../e2e/daemon/serve-world.ts'
import { randomFrom } from './fault-world.ts'

const SUBMITS = countOf('REPRISE_SUBMITS', { usual: 100, storm: 2_000 })
const SEED = chosenSeed()
const AT_ONCE = 20
const SHARE_LOST = 0.5

let world: ServeWorld
beforeAll(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterAll(() => world.closeAll())

test(`J-5 I8 ${SUBMITS} submits with lost replies: no job twice, none missing`, async () => {
  const random = randomFrom(SEED)
  // Nobody works: the jobs are counted, not done.
  const daemon = await world.serve(['--port', '0', '--workers', '0'])
  const ids = new Map<string, string>()
  let lost = 0
  const submitOne = async (number: number): Promise<void> => {
    const key = `submit-${number}`
    for (;;) {
      const losesAt = random() < SHARE_LOST ? random() * 12 : null
      const id = await send(daemon.url, { key, prompt: `job ${number}`, losesAtMs: losesAt })
      if (id === null) {
        lost += 1
        continue
      }
      const before = ids.get(key)
      expect(before ?? id).toBe(id)
      ids.set(key, id)
      return
    }
  }
  for (let at = 0; at < SUBMITS; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, SUBMITS - at) }, (_, i) => at + i)
    await Promise.all(some.map(submitOne))
  }
  const reprise = world.connect(daemon)
  const jobs = await reprise.jobs.list({ limit: 100_000 })
  await reprise.close()
  expect(jobs.map(job => job.id).toSorted()).toEqual([...ids.values()].toSorted())
  expect(new Set(jobs.map(job => job.prompt)).size).toBe(SUBMITS)
  expect(lost).toBeGreaterThan(SUBMITS / 20)
  process.stderr.write(`${SUBMITS} submits, seed ${SEED}: ${lost} replies lost, 0 jobs doubled\n`)
})

type Sent = { readonly key: string; readonly prompt: string; readonly losesAtMs: number | null }

/** `null`: the connection was cut before the reply was read. */
function send(url: string, { key, prompt, losesAtMs }: Sent): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const body = JSON.stringify({ prompt, workDir: world.workDir })
  const sent = request(new URL('/api/jobs', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
  })
  if (losesAtMs !== null) setTimeout(() => sent.destroy(), losesAtMs)
  sent.on('error', () => resolve(null))
  sent.on('response', response => {
    let text = ''
    response.setEncoding('utf8').on('data', piece => {
      text += piece
    })
    response.on('error', () => resolve(null))
    response.on('close', () => resolve(null))
    response.on('end', () => {
      if (response.statusCode === 202) resolve((JSON.parse(text) as { id: string }).id)
      else reject(new Error(`${response.statusCode}: ${text}`))
    })
  })
  sent.end(body)
  return promise
}
