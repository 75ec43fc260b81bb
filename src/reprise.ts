// createReprise(): opens Reprise in this process and puts its verbs together; each verb is in an …Api() of the flows.
import type { LocalReprise } from './api.ts'
import type { Policy } from './core/chain/policy.ts'
import { reportPolicy } from './core/chain/policy-report.ts'
import { problemOfPolicy } from './core/chain/tier-problems.ts'
import { takesLane } from './core/job/lane.ts'
import { given } from './core/optional.ts'
import { RepriseError } from './errors.ts'
import { reportAgents } from './flows/agents/agents.ts'
import { chainsApi } from './flows/chains/chains-api.ts'
import { runSchedules, schedulesApi } from './flows/chains/schedules.ts'
import type { Dependencies } from './flows/dependencies.ts'
import { eventsApi } from './flows/follow/events-api.ts'
import { JOB_QUEUE } from './flows/jobs/job-queue.ts'
import { jobsApi } from './flows/jobs/jobs-api.ts'
import { keptCheckpoints } from './flows/jobs/remove-checkpoints.ts'
import { jobHandler } from './flows/jobs/run-job.ts'
import { sweepJobs, sweepJobsWhileOpen } from './flows/jobs/sweep-jobs.ts'
import { listWorkers, WorkerPresence } from './flows/jobs/worker-presence.ts'
import { listQuestions } from './flows/questions/list-questions.ts'
import { LiveRuns } from './flows/queue/live-runs.ts'
import { recoverWhileOpen } from './flows/recovery/background-loops.ts'
import { savingsReport } from './flows/sessions/savings.ts'
import { sessionsApi } from './flows/sessions/sessions.ts'
import { threadsApi } from './flows/threads/threads-api.ts'
import { existingRun, runsApi } from './flows/turn/runs-api.ts'
import { answerOf } from './flows/turn/send-turn.ts'
import { maxRunningOf, openDependencies } from './open-dependencies.ts'
import type { RepriseOptions } from './reprise-options.ts'

const DEFAULT_WORKERS = 2

/**
 * Opens Reprise in this process. Close it with `close()`.
 *
 * @example
 * ```ts
 * const reprise = createReprise({ store: sqlite('reprise.db'), agents: [claudeCode()] })
 * const thread = await reprise.threads.create({ workDir: process.cwd() })
 * const { text, run } = await thread.send('Add a health check to the server').result
 * console.log(text, run.status, run.decision?.action)
 * await reprise.close()
 * ```
 */
export function createReprise(options: RepriseOptions): LocalReprise {
  const live = new LiveRuns(maxRunningOf(options))
  let opened: Promise<Dependencies> | null = null
  let awaySince = (): number | null => null
  let closed = false
  let presence: WorkerPresence | null = null
  const ready = async () => {
    if (closed) {
      const hint = 'Open another one with createReprise().'
      throw new RepriseError('conflict', 'this Reprise was closed', hint)
    }
    opened ??= openDependencies(options, live).then(async dependencies => {
      awaySince = () => dependencies.store.presence?.awaySince() ?? null
      try {
        if (options.workers) await work(dependencies)
        if (options.keepQueue) await runSchedules(dependencies)
        return dependencies
      } catch (error) {
        await presence?.close()
        await dependencies.engine.close()
        await dependencies.log.close()
        await dependencies.store.close()
        await dependencies.tracing.close()
        throw error
      }
    })
    const dependencies = await opened
    await live.writeEnds()
    return dependencies
  }
  const work = async (dependencies: Dependencies): Promise<void> => {
    const concurrency = options.workers ?? DEFAULT_WORKERS
    if (presence !== null || concurrency === 0) return
    presence = new WorkerPresence(dependencies, concurrency)
    const handler = presence.counting(jobHandler(dependencies))
    await presence.start()
    const takes = (lane: string) => takesLane(dependencies.offer, lane)
    dependencies.engine.consume(JOB_QUEUE, handler, { concurrency, takes })
    await sweepJobs(dependencies)
    void sweepJobsWhileOpen(dependencies)
    void recoverWhileOpen(dependencies)
  }
  const closeEngine = async (): Promise<void> => {
    presence?.drain()
    const dependencies = await opened?.catch(() => null) // If opening failed, callers already got the error.
    await dependencies?.engine.close()
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
    jobs: jobsApi({ ready, defaultAgent, followJob, work }),
    sessions: sessionsApi(ready),
    questions: async (query = {}) => listQuestions(await ready(), query),
    chains: chainsApi(chainSurroundings),
    schedules: schedulesApi(chainSurroundings),
    policies: async () => {
      const { agents: configured } = options
      const problemOf = (policy: Policy) =>
        problemOfPolicy(policy, { configured, defaultAgent: defaultAgent() })?.message ?? null
      return ((await options.listPolicies?.()) ?? []).map(found => reportPolicy(found, problemOf))
    },
    findIds: async query => (await ready()).store.idsBeginning({ limit: 10, ...given(query) }),
    agents: async () => reportAgents(await ready()),
    workers: async () => listWorkers(await ready()),
    savings: async (by = 'day', { since } = {}) => {
      const { store } = await ready()
      const rows = await store.usageBy(by, since)
      const counts = await store.countReasons(since)
      return savingsReport(by, rows, { counts, estimated: await store.estimatedRuns(since) })
    },
    log,
    answerOf: async run => answerOf(await ready(), run),
    countQuestions: async state => (await ready()).store.countQuestions(state),
    countRuns: async () => (await ready()).store.countRuns(),
    countChains: async () => (await ready()).store.countChains(),
    countJobs: async () => (await ready()).store.countJobs(),
    keptCheckpoints: async directory => keptCheckpoints(await ready(), directory),
    findRequest: async key => (await ready()).store.findRequest(key),
    databaseAwaySince: () => awaySince(),
    warm: async () => (await ready()).warm?.report() ?? null,
    verify: async options => (await ready()).store.verify(options),
    beginNothing: () => {
      live.beginNothing()
      void closeEngine()
    },
    close: async ({ drainMs = 0 } = {}) => {
      // Comes first, so that no new work begins.
      const workers = closeEngine()
      if (drainMs > 0) await live.drain(AbortSignal.timeout(drainMs))
      await live.stopAll('shutdown')
      await (await opened?.catch(() => null))?.warm?.close() // As above.
      await workers
      await live.writeEnds()
      await presence?.close()
      closed = true
      const dependencies = await opened?.catch(() => null) // As above.
      await dependencies?.log.close()
      await dependencies?.store.close()
      await dependencies?.tracing.close()
    },
  }
}
