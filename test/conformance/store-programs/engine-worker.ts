// A worker of pg-boss in a process of its own: counts in the database what it has out, or holds its work until it is aborted.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Handled } from '../../../src/engine/engine.ts'
import { createPgBossEngine, PG_BOSS_TIMING } from '../../../src/engine/pg-boss/pg-boss.ts'
import { isAlive, systemClock, thisProcess } from '../../../src/runner/real-world.ts'
import { openStore } from './open-store.ts'

const [url = '', what = 'count', host = 'here'] = process.argv.slice(2)
const store = await openStore(url)
const database = store.workDatabase?.()
if (!database) throw new Error('this store has no database for the engine')
const owner = thisProcess(host)
const parts = { clock: systemClock, owner, isAlive: (other: typeof owner) => isAlive(other, host) }
const engine = createPgBossEngine(database, parts, { ...PG_BOSS_TIMING, beatMs: 10_000 })

async function count({ key }: Delivery): Promise<Handled> {
  const change = (by: number) =>
    database?.run(
      `update public.out
      set now = now + $2::int, most = greatest(most, now + $2::int), handled = handled + greatest($2::int, 0)
      where key = $1`,
      [key, by],
    )
  await change(1)
  await sleep(20)
  await change(-1)
  return { next: 'done' }
}

async function hold({ id, signal }: Delivery): Promise<Handled> {
  writeSync(1, `began ${id}\n`)
  await new Promise(resolve => signal.addEventListener('abort', resolve))
  writeSync(1, `${String(signal.reason)} ${id}\n`)
  return { next: 'done' }
}

engine.consume('jobs', what === 'count' ? count : hold, { concurrency: 4 })
writeSync(1, 'ready\n')
