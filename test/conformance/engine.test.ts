// The engine contract on the embedded engine, on SQLite in a file and in memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createEmbeddedEngine } from '../../src/engine/embedded.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { systemClock } from '../../src/runner/real-world.ts'
import type { OpenStore } from '../../src/store/contract/store.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { EngineWorld } from '../../src/testing/engine-conformance/cases.ts'
import { engineConformance } from '../../src/testing/engine-conformance.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-engine-'))
let files = 0

afterAll(() => rmSync(directory, { recursive: true }))

const TIMING = { beatMs: 2_000, pollMs: 10, retryMs: 5, maxRetryMs: 20, retryLimit: 3 }

async function world(open: OpenStore): Promise<EngineWorld> {
  const store = await open()
  const engines: Engine[] = []
  const dead = new Set<string>()
  return {
    store,
    engine(name = 'only') {
      const owner = { host: name, pid: engines.length, startTime: name }
      const isAlive = (other: { host: string }) => !dead.has(other.host)
      const parts = { store, clock: systemClock, owner, isAlive }
      const engine = createEmbeddedEngine(parts, TIMING)
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

await engineConformance('embedded, in memory', () => world(sqlite(':memory:')))
await engineConformance('embedded, in a file', () =>
  world(() => sqlite(join(directory, `${files++}.db`))()),
)
