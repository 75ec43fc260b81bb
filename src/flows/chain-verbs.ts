// Chains as users call them.
import type { Reprise } from '../api.ts'
import type { Policy } from '../core/policy.ts'
import { withSandbox } from '../core/policy.ts'
import type { Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import { chainOfRun, existingChain, openRunOf, startChain, tellChain } from './chains.ts'
import { noCursor } from './check-input.ts'
import { approveChain, continueChain } from './go-on-chain.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'
import { createSchedule } from './schedules.ts'
import { startTurn } from './turn.ts'

export type ChainSurroundings = {
  readonly ready: () => Promise<Parts>
  readonly live: LiveRuns
  readonly defaultAgent: () => string
  readonly cancelRun: (id: string) => Promise<Run>
  readonly policyNamed: (name: string) => Promise<Policy>
}

export function chainVerbs(around: ChainSurroundings): Reprise['chains'] {
  const { ready, live, cancelRun } = around
  return {
    start: ({ policy, sandbox, signal, ...wanted }) =>
      startTurn(
        control =>
          live.during(async () => {
            const parts = await ready()
            const found = typeof policy === 'string' ? await around.policyNamed(policy) : policy
            const agent = wanted.agent ?? found.agent ?? around.defaultAgent()
            return startChain(parts, live, {
              request: { ...wanted, policy: withSandbox(found, sandbox), agent },
              control,
            })
          }),
        signal,
      ),
    get: async id => existingChain(await ready(), id),
    ofRun: async runId => chainOfRun(await ready(), runId),
    list: async query => {
      const { store } = await ready()
      if (query?.cursor && !(await store.chain(query.cursor))) throw noCursor(query.cursor, 'chain')
      const chains = await store.listChains({ limit: 50, ...query })
      return Promise.all(
        chains.map(async chain => tellChain(chain, await store.runsOfChain(chain.id))),
      )
    },
    approve: id =>
      startTurn(control =>
        live.during(async () => approveChain(await ready(), live, { id, control })),
      ),
    continue: id =>
      startTurn(control =>
        live.during(async () => continueChain(await ready(), live, { id, control })),
      ),
    cancel: async id => {
      const parts = await ready()
      await existingChain(parts, id)
      const run = await openRunOf(parts, id)
      if (run) await cancelRun(run.id)
      return existingChain(parts, id)
    },
  }
}

export function scheduleVerbs(around: ChainSurroundings): Reprise['schedules'] {
  const { ready } = around
  return {
    create: async ({ policy, sandbox, agent, maxTier, budgetUsd, dryRun, ...wanted }) => {
      const found = typeof policy === 'string' ? await around.policyNamed(policy) : policy
      return createSchedule(await ready(), {
        ...wanted,
        policy: withSandbox(found, sandbox),
        agent: agent ?? found.agent ?? around.defaultAgent(),
        maxTier: maxTier ?? null,
        dryRun: dryRun ?? false,
        budgetUsd: budgetUsd ?? null,
      })
    },
    list: async () => (await ready()).store.schedules(),
    remove: async id => {
      if (await (await ready()).store.removeSchedule(id)) return
      const hint = 'List them: reprise schedules ls.'
      throw new RepriseError('not-found', `there is no schedule ${id}`, hint)
    },
  }
}
