// The verbs for chains that users call.
import type { ChainOptions, Reprise } from '../../api.ts'
import type { Policy } from '../../core/chain/policy.ts'
import { withSandbox } from '../../core/chain/policy.ts'
import { given } from '../../core/optional.ts'
import type { Run } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import { turnEvents } from '../follow/turn-events.ts'
import type { LiveRuns } from '../queue/live-runs.ts'
import { type FollowStored, startUnderWay } from '../queue/under-way.ts'
import { noCursor } from '../threads/check-input.ts'
import { chainOfRun, chainView, existingChain, openRunOf } from './chain-view.ts'
import { previewChain } from './preview-chain.ts'
import { previewNext } from './preview-next.ts'
import { approveChain, cancelWaitingChain, continueChain } from './resume-chain.ts'
import { startChain } from './start-chain.ts'

export type ChainSurroundings = {
  readonly ready: () => Promise<Dependencies>
  readonly live: LiveRuns
  readonly defaultAgent: () => string
  readonly cancelRun: (id: string) => Promise<Run>
  readonly policyNamed: (name: string) => Promise<Policy>
}

export function chainsApi(around: ChainSurroundings): Reprise['chains'] {
  const { ready, live, cancelRun } = around
  const follow: FollowStored = (runId, over) => turnEvents(ready, runId, over)
  const requestOf = async ({ policy, sandbox, signal: _, ...wanted }: ChainOptions) => {
    const found = typeof policy === 'string' ? await around.policyNamed(policy) : policy
    const agent = wanted.agent ?? found.agent ?? around.defaultAgent()
    return { ...wanted, policy: withSandbox(found, sandbox), agent }
  }
  return {
    start: ({ policy, sandbox, signal, ...wanted }) =>
      startUnderWay(
        control =>
          live.during(async () => {
            const dependencies = await ready()
            const request = await requestOf({ policy, sandbox, ...wanted })
            return startChain(dependencies, { request, control })
          }),
        follow,
        signal,
      ),
    preview: async options => previewChain(await ready(), await requestOf(options)),
    previewNext: async id => previewNext(await ready(), id),
    get: async id => existingChain(await ready(), id),
    ofRun: async runId => chainOfRun(await ready(), runId),
    list: async (query = {}) => {
      const { store } = await ready()
      if (query.cursor && !(await store.chain(query.cursor))) throw noCursor(query.cursor, 'chain')
      const chains = await store.listChains({ limit: 50, ...given(query) })
      return Promise.all(
        chains.map(async chain => chainView(chain, await store.runsOfChain(chain.id))),
      )
    },
    approve: id =>
      startUnderWay(
        control => live.during(async () => approveChain(await ready(), { id, control })),
        follow,
      ),
    continue: id =>
      startUnderWay(
        control => live.during(async () => continueChain(await ready(), { id, control })),
        follow,
      ),
    cancel: async id => {
      const dependencies = await ready()
      await existingChain(dependencies, id)
      const run = await openRunOf(dependencies, id)
      if (run) await cancelRun(run.id)
      else await cancelWaitingChain(dependencies, id)
      return existingChain(dependencies, id)
    },
  }
}
