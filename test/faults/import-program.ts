// A process that takes in a thread file and stops in the middle, at a place that the test names, until it is killed.
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import type { ThreadArrival } from '../../src/store/contract/thread-content.ts'

const [database = '', dataDir = '', file = '', workDir = '', place = ''] = process.argv.slice(2)

/** The process then lives until it is killed. */
async function stop(): Promise<never> {
  flushCompileCache()
  process.stdout.write('here\n')
  setInterval(() => {}, 60_000)
  return new Promise<never>(() => {})
}

async function stopping(): Promise<StoreWithWork> {
  const store = await sqlite(database)()
  return {
    ...store,
    importThread: async arrival => {
      if (place === 'before the transaction') return stop()
      const halfWay = place === 'in the transaction'
      const id = await store.importThread(halfWay ? halfOf(arrival) : arrival)
      return place === 'after the transaction' ? stop() : id
    },
  }
}

/** Everything but the events is written by then. */
function halfOf(arrival: ThreadArrival): ThreadArrival {
  return {
    ...arrival,
    async *events() {
      yield* arrival.events()
      await stop()
    },
  }
}

async function* content(): AsyncGenerator<Uint8Array> {
  const bytes = readFileSync(file)
  if (place === 'while the file is read') {
    yield bytes.subarray(0, bytes.length >> 1)
    await stop()
  }
  yield bytes
}

const agents = [claudeCode({ executable: '/nothing/here', env: {} })]
const reprise = createReprise({ store: stopping, agents, dataDir })
await reprise.threads.import(content(), { workDir })
