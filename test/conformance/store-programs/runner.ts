// Runs whatever is queued in a store, beside other processes that do the same; prints each run it won.
import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Owner } from '../../../src/store/contract/leases.ts'
import { LEASE_MS, sampleEnd, sampleStart } from '../../../src/testing/store-conformance/samples.ts'
import { openStore } from './open-store.ts'

const [place = ''] = process.argv.slice(2)
const owner: Owner = { host: 'here', pid: process.pid, startTime: '1' }
const store = await openStore(place)

// All begin at once: ready, then wait until stdin ends.
writeSync(1, 'ready\n')
await text(process.stdin)

for (;;) {
  const open = await store.openRuns()
  if (open.length === 0) break
  for (const { run } of open) {
    const claim = await store.claimTurn(run.id, owner, LEASE_MS)
    if (claim.state !== 'claimed') continue
    await store.startRun(claim.lease, sampleStart(run.id))
    await store.appendEvents(claim.lease, run.id, [{ at: 1, type: 'text', json: '{}' }])
    await store.endRun(claim.lease, sampleEnd(run))
    writeSync(1, `${run.id}\n`)
  }
}
await store.close()
