// Submits turns without end; prints each run once the store has acknowledged it. Made to be killed.
import { writeSync } from 'node:fs'
import { sampleTurn } from '../../../src/testing/store-conformance/samples.ts'
import { openStore } from './open-store.ts'

const [place = '', threadId = ''] = process.argv.slice(2)
const store = await openStore(place)
for (;;) {
  const run = await store.submitTurn(sampleTurn(threadId), Date.now())
  writeSync(1, `${run.id}\n`)
}
