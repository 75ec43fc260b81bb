// createReprise(): opens Reprise in this process and puts its verbs together; each verb is in an …Api() of the flows.
import type { LocalReprise } from './api.ts'
import { reportPolicy } from './core/chain/policy-report.ts'
import { createEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { RepriseError } from './errors.ts'
import { reportAgents } from './flows/agents/agents.ts'
import { chainsApi } from './flows/chains/chains-api.ts'
import { runSchedules, schedulesApi } from './flows/chains/schedules.ts'
import type { Dependencies } from './flows/dependencies.ts'
import { eventsApi } from './flows/follow/events-api.ts'
import { jobsApi } from './flows/jobs/jobs-api.ts'
import { keptCheckpoints } from './flows/jobs/remove-checkpoints.ts'
import { jobHandler } from './flows/jobs/run-job.ts'
import { JOB_QUEUE, wakeJobs } from './flows/jobs/submit-job.ts'
import { LiveRuns } from './flows/queue/live-runs.ts'
import { savingsReport } from './flows/sessions/savings.ts'
import { sessionsApi } from './flows/sessions/sessions.ts'
import { threadsApi } from './flows/threads/threads-api.ts'
import { existingRun, runsApi } from './flows/turn/runs-api.ts'
import { maxRunningOf, openDependencies } from './open-dependencies.ts'
import type { RepriseOptions } from './reprise-options.ts'

const DEFAULT_WORKERS = 2

/** Opens Reprise in this process. Close it with `close()`. */
export function createReprise(options: RepriseOptions): LocalReprise {
  const live = new LiveRuns(maxRunningOf(options))
  let opened: Promise<Dependencies> | null = null
  let closed = false
  let engine: Engine | null = null
  let isWorking = false
  const ready = async () => {
    if (closed) {
      const hint = 'Open another one with createReprise().'
      throw new RepriseError('conflict', 'this Reprise was closed', hint)
    }
    opened ??= openDependencies(options, live).then(async dependencies => {
      if (options.workers) await work(dependencies)
      if (options.keepQueue) await runSchedules(dependencies, engineOf(dependencies))
      return dependencies
    })
    const dependencies = await opened
    await live.writeEnds()
    return dependencies
  }
  const engineOf = (dependencies: Dependencies): Engine => {
    engine ??= createEmbeddedEngine(dependencies)
    return engine
  }
  const work = async (dependencies: Dependencies): Promise<Engine> => {
    const working = engineOf(dependencies)
    const concurrency = options.workers ?? DEFAULT_WORKERS
    if (isWorking || concurrency === 0) return working
    isWorking = true
    working.consume(JOB_QUEUE, jobHandler(dependencies, working), { concurrency })
    await wakeJobs(dependencies, working)
    return working
  }
  const defaultAgent = () => {
    const name = options.defaultAgent ?? options.agents[0]?.name
    if (name) return name
    throw new RepriseError('bad-config', 'no agent is configured', 'Pass agents: [claudeCode()].')
  }
  const runOf = async (id: string) => existingRun(await ready(), id)
  const policyNamed = async (name: string) => {
    if (options.findPolicy) return options.findPolicy(name)
    const what = `there is no policy named "${name}"`
    throw new RepriseError('not-found', what, 'Pass the policy itself, or findPolicy.')
  }
  const { events, follow, followJob, turns, log } = eventsApi({ ready, runOf })
  const runs = { ...runsApi({ ready, live }), events, follow }
  const chainSurroundings = { ready, live, defaultAgent, cancelRun: runs.cancel, policyNamed }

  return {
    ...threadsApi({ ready, live, defaultAgent }),
    runs,
    turns,
    jobs: jobsApi({ ready, defaultAgent, followJob, engineOf, work }),
    sessions: sessionsApi(ready),
    questions: async query => (await ready()).store.questions({ limit: 100, ...query }),
    chains: chainsApi(chainSurroundings),
    schedules: schedulesApi({ ...chainSurroundings, engineOf }),
    policies: async () => ((await options.listPolicies?.()) ?? []).map(reportPolicy),
    agents: async () => reportAgents(await ready()),
    savings: async (by = 'day', { since } = {}) => {
      const { store } = await ready()
      const rows = await store.usageBy(by, since)
      return savingsReport(by, rows, await store.countReasons(since))
    },
    log,
    countRuns: async () => (await ready()).store.countRuns(),
    countChains: async () => (await ready()).store.countChains(),
    countJobs: async () => (await ready()).store.countJobs(),
    keptCheckpoints: async directory => keptCheckpoints(await ready(), directory),
    findRequest: async key => (await ready()).store.findRequest(key),
    verify: async () => (await ready()).store.verify(),
    close: async ({ drainMs = 0 } = {}) => {
      // Comes first, so that no new work begins.
      const workers = engine?.close()
      if (drainMs > 0) await live.drain(AbortSignal.timeout(drainMs))
      await live.stopAll('shutdown')
      await workers
      await live.writeEnds()
      closed = true
      // If opening failed, callers already got the error, and there is nothing to close.
      const dependencies = await opened?.catch(() => null)
      await dependencies?.log.close()
      await dependencies?.store.close()
    },
  }
}
