// Says which process works on a run, and what the run has cost so far.
import type { Run } from '../../core/run/run.ts'
import { type RunWork, spentBy } from '../../core/run/run-work.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'

export async function workOfRun({ store, agents }: Dependencies, run: Run): Promise<RunWork> {
  const { owner, lease } = await mustExist(store.holderOf(run.id), `the owner of ${run.id}`)
  // What an ended run has cost is in its record.
  const requests = run.endedAt === null ? await store.requestsOf(run.id) : []
  const price = (model: string) => agents.get(run.agent)?.adapter.money.price(model) ?? null
  const worker = { host: owner.host, pid: owner.pid }
  return { worker, lease, ...spentBy(run, requests, price) }
}
