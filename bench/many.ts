// Jobs per second through our engine contract on PostgreSQL against raw pg-boss, in one run: node bench/many.ts [count]
import { PgBoss } from 'pg-boss'
import type { Engine } from '../src/engine/engine.ts'
import { createPgBossEngine } from '../src/engine/pg-boss/pg-boss.ts'
import { isAlive, systemClock, thisProcess } from '../src/runner/real-world.ts'
import { postgres } from '../src/store/postgres/postgres.ts'
import { startPostgres } from '../test/postgres/server.ts'

const count = Number(process.argv[2] ?? 500)
const CONCURRENCY = 10
const SENDERS = 4

type Speeds = { readonly submit: number; readonly complete: number }

const server = await startPostgres()
try {
  // The first round warms both up.
  await ours(50)
  await raw(50)
  const rounds: { readonly raw: Speeds; readonly ours: Speeds }[] = []
  for (let round = 0; round < 3; round += 1)
    rounds.push({ raw: await raw(count), ours: await ours(count) })
  const median = (of: (round: (typeof rounds)[number]) => number) =>
    rounds.map(of).toSorted((a, b) => a - b)[1] ?? Number.NaN
  for (const what of ['submit', 'complete'] as const) {
    const [own, theirs] = [median(round => round.ours[what]), median(round => round.raw[what])]
    const ratio = median(round => round.ours[what] / round.raw[what])
    console.log(
      `${what}: ${own.toFixed(0)}/s through the engine, ${theirs.toFixed(0)}/s by pg-boss alone, ratio ${ratio.toFixed(2)}`,
    )
  }
} finally {
  await server.stop()
}

async function ours(jobs: number): Promise<Speeds> {
  const store = await postgres(server.url)()
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  const owner = thisProcess('bench')
  const engine: Engine = createPgBossEngine(work, {
    clock: systemClock,
    owner,
    isAlive: other => isAlive(other, 'bench'),
  })
  // Opens the queue, as `start` and `createQueue` do below.
  await engine.dispatch({ queue: 'jobs', id: 'first', isFresh: true })
  await engine.cancel('jobs', 'first')
  const submit = await perSecond(jobs, () =>
    inParallel(jobs, number => engine.dispatch({ queue: 'jobs', id: `w${number}`, isFresh: true })),
  )
  const complete = await perSecond(jobs, async () => {
    const all = Promise.withResolvers<void>()
    let done = 0
    const handler = async () => {
      done += 1
      if (done === jobs) all.resolve()
      return { next: 'done' } as const
    }
    engine.consume('jobs', handler, { concurrency: CONCURRENCY })
    await all.promise
    // Until the last one is really gone.
    await engine.close()
  })
  await store.close()
  return { submit, complete }
}

async function raw(jobs: number): Promise<Speeds> {
  const boss = new PgBoss({
    connectionString: server.url,
    schema: 'raw',
    supervise: false,
    schedule: false,
    max: 4,
  })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('jobs', { heartbeatSeconds: 15 })
  const submit = await perSecond(jobs, () =>
    inParallel(jobs, number => boss.send('jobs', { number }, { singletonKey: `w${number}` })),
  )
  const complete = await perSecond(jobs, async () => {
    for (;;) {
      const fetched = await boss.fetch('jobs', { batchSize: CONCURRENCY })
      if (fetched.length === 0) break
      await Promise.all(fetched.map(job => boss.complete('jobs', job)))
    }
  })
  await boss.stop({ graceful: false })
  return { submit, complete }
}

async function inParallel(jobs: number, act: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const sender = async () => {
    while (next < jobs) await act(next++)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

async function perSecond(jobs: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (jobs * 1_000) / (performance.now() - began)
}
