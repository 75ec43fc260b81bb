// Submits turns without end; prints each run once the store has acknowledged it. Made to be killed.
import { writeSync } from 'node:fs'
import { sqlite } from '../../../src/store/sqlite/sqlite.ts'
import { sampleTurn } from '../../../src/testing/store-conformance/samples.ts'

const [file = '', threadId = ''] = process.argv.slice(2)
const store = await sqlite(file)()
for (;;) {
  const run = await store.submitTurn(sampleTurn(threadId), Date.now())
  writeSync(1, `${run.id}\n`)
}
