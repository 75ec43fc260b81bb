// The engine contract on both engines: the embedded one, on SQLite in a file and in memory, and pg-boss on PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createEmbeddedEngine } from '../../src/engine/embedded.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createPgBossEngine } from '../../src/engine/pg-boss/pg-boss.ts'
import type { EngineParts } from '../../src/engine/work-engine.ts'
import { systemClock } from '../../src/runner/real-world.ts'
import type { OpenStore, StoreWithWork } from '../../src/store/contract/store.ts'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { EngineWorld } from '../../src/testing/engine-conformance/case.ts'
import { engineConformance } from '../../src/testing/engine-conformance.ts'
import { emptyStore, newDatabase } from '../postgres/shared.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-engine-'))
const database = await newDatabase()
let files = 0

afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.drop()
})

const TIMING = {
  ...{ beatMs: 2_000, pollMs: 10, retryMs: 5, maxRetryMs: 20, retryLimit: 3 },
  pausedLoses: true,
}

async function world(open: OpenStore, create: Create): Promise<EngineWorld> {
  const store = await open()
  const engines: Engine[] = []
  const dead = new Set<string>()
  return {
    store,
    engine(name = 'only') {
      const owner = { host: name, pid: engines.length, startTime: name }
      const isAlive = (other: { host: string }) => !dead.has(other.host)
      const engine = create(store, { clock: systemClock, owner, isAlive })
      engines.push(engine)
      return engine
    },
    kill: name => void dead.add(name),
    async close() {
      await Promise.all(engines.map(engine => engine.close()))
      await store.close()
    },
  }
}

type Create = (store: StoreWithWork, parts: EngineParts) => Engine

const embedded: Create = (store, parts) => createEmbeddedEngine({ store, ...parts }, TIMING)

const pgBoss: Create = (store, parts) => {
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  return createPgBossEngine(work, parts, TIMING)
}

await engineConformance('embedded, in memory', () => world(sqlite(':memory:'), embedded))
await engineConformance('embedded, in a file', () =>
  world(() => sqlite(join(directory, `${files++}.db`))(), embedded),
)
await engineConformance('pg-boss, on PostgreSQL', async () => {
  await emptyStore(database)
  return world(postgres(database.url), pgBoss)
})
