// createReprise(): the one file that knows every part and connects the real ones.
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { claudeCodeAdapter } from './adapters/claude-code/index.ts'
import { type AgentSdk, executableOf } from './agent-sdk/agent-sdk.ts'
import { throughSdk } from './agent-sdk/sdk-runner.ts'
import type { LocalReprise } from './api.ts'
import type { Policy } from './core/chain/policy.ts'
import { type FoundPolicy, reportPolicy } from './core/chain/policy-report.ts'
import { DEFAULT_QUESTIONS, type QuestionSettings } from './core/conversation/question-settings.ts'
import { withCounts } from './core/conversation/session.ts'
import { DEFAULT_SESSIONS, type SessionSettings } from './core/conversation/session-settings.ts'
import type { ProjectSettings, ResumeSettings } from './core/decide/settings.ts'
import { DEFAULT_RESUME, settingsFromEnvironment } from './core/decide/settings.ts'
import { type CheckpointSettings, DEFAULT_CHECKPOINTS } from './core/job/checkpoint-keeping.ts'
import { SAVINGS_FORMULA } from './core/money/savings.ts'
import { defaultMaxRunning } from './core/run/max-running.ts'
import { waitWords } from './core/run/wait-reason.ts'
import { createEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { RepriseError } from './errors.ts'
import { configOf, reportAgents } from './flows/agents/agents.ts'
import { chainsApi } from './flows/chains/chains.ts'
import { runSchedules, schedulesApi } from './flows/chains/schedules.ts'
import type { AgentConfig, Dependencies, Timing } from './flows/dependencies.ts'
import { DEFAULT_TIMING } from './flows/dependencies.ts'
import { eventsApi } from './flows/follow/events-api.ts'
import { RunLog } from './flows/follow/run-log.ts'
import { jobsApi } from './flows/jobs/jobs.ts'
import { keptCheckpoints } from './flows/jobs/remove-checkpoints.ts'
import { jobHandler } from './flows/jobs/run-job.ts'
import { JOB_QUEUE, wakeJobs } from './flows/jobs/submit-job.ts'
import { answerQuestion } from './flows/questions/answers.ts'
import { LiveRuns } from './flows/queue/live-runs.ts'
import { startBackgroundLoops } from './flows/recovery/background-loops.ts'
import { notifyOnWrite } from './flows/recovery/notify-on-write.ts'
import { recover } from './flows/recovery/recover.ts'
import { savingsReport } from './flows/sessions/savings.ts'
import { archiveSession, sessionDetails } from './flows/sessions/sessions.ts'
import { adoptThread } from './flows/threads/adopt-thread.ts'
import { noCursor } from './flows/threads/check-input.ts'
import { createThread, existingThread, threadHandle } from './flows/threads/threads.ts'
import { explainRun } from './flows/turn/explain-run.ts'
import { runReply } from './flows/turn/send-turn.ts'
import { createGit } from './runner/git.ts'
import { keepContext, keepText } from './runner/keep-text.ts'
import {
  isAlive,
  systemClock,
  systemFiles,
  systemRandom,
  thisProcess,
} from './runner/real-world.ts'
import type { ProcessLimits } from './runner/runner.ts'
import { DEFAULT_LIMITS } from './runner/runner.ts'
import { createRunner } from './runner/start.ts'
import type { OpenStore } from './store/contract/store.ts'
import { createArchive } from './vault/archive.ts'
import { createVault, NO_VAULT } from './vault/vault.ts'

/** The options of `createReprise`. */
export type RepriseOptions = {
  /** Where everything is stored, such as `sqlite(file)`. */
  readonly store: OpenStore
  /** The agents that turns can use, such as `claudeCode()`. */
  readonly agents: readonly AgentConfig[]
  /** Default: the first of `agents`. */
  readonly defaultAgent?: string
  /** How runs continue; default: resume unless a guard blocks it. */
  readonly resume?: Partial<ResumeSettings>
  /** Reads what a project sets for its own work dir, before every turn: thresholds and models, never programs. */
  readonly projectSettings?: (workDir: string) => Promise<ProjectSettings>
  /** When sessions count as paused and expired. The process that keeps the queue sweeps them. */
  readonly sessions?: Partial<SessionSettings>
  /** Finds a policy by name. Without it, chains need the policy itself. */
  readonly findPolicy?: (name: string) => Promise<Policy>
  /** Lists the policies that `findPolicy` finds. Without it, `policies()` gives none. */
  readonly listPolicies?: () => Promise<readonly FoundPolicy[]>
  /** Limits of agent processes: times and sizes. */
  readonly limits?: Partial<ProcessLimits>
  /** How long leases last and how often Reprise looks. */
  readonly timing?: Partial<Timing>
  /** How long users may take to answer. */
  readonly questions?: Partial<QuestionSettings>
  /** How long checkpoints are kept. The process that keeps the queue sweeps them. */
  readonly checkpoints?: Partial<CheckpointSettings>
  /** Where files that agents read by path are kept; default: a private directory in the temp dir. */
  readonly dataDir?: string
  /**
   * Turns in the queue outlive this process: the next process that keeps the queue of this store runs them. Without
   * it, they end as interrupted when this process ends.
   */
  readonly keepQueue?: boolean
  /**
   * How many turns of this process run at a time, including those of jobs and chains; the others wait in the queue.
   * Default: four per core, if they fit into half of the memory.
   */
  readonly maxRunning?: number
  /**
   * How many jobs this process works on at a time; 0: none. Default: two, from the first `jobs.submit`, `jobs.retry`
   * or `jobs.wait` on.
   */
  readonly workers?: number
  /** The environment that agents take variables from; default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Replaces the real clock, files, processes and others, for simulations. */
  readonly dependencies?: Partial<
    Pick<
      Dependencies,
      | 'vault'
      | 'git'
      | 'runner'
      | 'clock'
      | 'random'
      | 'files'
      | 'owner'
      | 'isAlive'
      | 'keepText'
      | 'keepContext'
    >
  >
}

const DEFAULT_WORKERS = 2

/** How Claude Code is found and started. */
export type ClaudeCodeOptions = Partial<Omit<AgentConfig, 'adapter' | 'through'>> & {
  /** The Agent SDK. It talks to the program, which is the one of the SDK unless `executable` is set. */
  readonly sdk?: AgentSdk
}

/** Gives Claude Code, or a program that speaks like it, as an agent. */
export function claudeCode({ sdk, ...options }: ClaudeCodeOptions = {}): AgentConfig {
  const brought = sdk && options.executable === undefined ? executableOf(sdk) : null
  return {
    name: 'claude-code',
    executable: brought ?? claudeCodeAdapter.defaultExecutable,
    model: claudeCodeAdapter.defaultModel,
    permissionMode: claudeCodeAdapter.defaultPermissionMode,
    env: {},
    passEnv: [],
    ...options,
    ...(sdk && { through: runner => throughSdk(runner, sdk) }),
    adapter: claudeCodeAdapter,
  }
}

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
    opened ??= open(options, live).then(async dependencies => {
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
  const runOf = async (id: string) => {
    const run = await (await ready()).store.run(id)
    if (run) return run
    throw new RepriseError('not-found', `there is no run ${id}`, 'Run `reprise runs` to see them.')
  }

  const policyNamed = async (name: string) => {
    if (options.findPolicy) return options.findPolicy(name)
    const what = `there is no policy named "${name}"`
    throw new RepriseError('not-found', what, 'Pass the policy itself, or findPolicy.')
  }
  const cancelRun = async (id: string) => {
    await runOf(id)
    const dependencies = await ready()
    await dependencies.store.requestCancel(id, dependencies.clock.now())
    live.queue.wake(id)
    live.answers.wake(id)
    await live.stop(id, 'cancelled')
    return runOf(id)
  }

  const { events, follow, turns, log } = eventsApi({ ready, runOf })
  const chainSurroundings = { ready, live, defaultAgent, cancelRun, policyNamed }

  return {
    threads: {
      create: async wanted => {
        const dependencies = await ready()
        const thread = {
          agent: configOf(dependencies, wanted.agent ?? defaultAgent()).name,
          workDir: wanted.workDir,
          title: wanted.title ?? null,
          view: wanted.view ?? 'all',
          trust: wanted.trust ?? null,
          sandbox: wanted.sandbox ?? null,
        }
        const id = await createThread(dependencies, thread, wanted.key)
        return threadHandle(id, ready, live)
      },
      get: async id => {
        await existingThread(await ready(), id)
        return threadHandle(id, ready, live)
      },
      list: async query => {
        const { store } = await ready()
        if (query?.cursor && !(await store.thread(query.cursor)))
          throw noCursor(query.cursor, 'thread')
        return store.listThreads({ limit: 50, ...query })
      },
      count: async filter => (await ready()).store.countThreads(filter ?? {}),
    },
    runs: {
      get: async id => {
        const run = await runOf(id)
        const reason = run.status === 'queued' ? live.waiting.get(id)?.() : undefined
        return reason ? { ...run, waitsFor: { ...reason, words: waitWords(reason) } } : run
      },
      list: async filter => {
        const dependencies = await ready()
        if (filter?.threadId) await existingThread(dependencies, filter.threadId)
        if (filter?.cursor && !(await dependencies.store.run(filter.cursor)))
          throw noCursor(filter.cursor, 'run')
        return dependencies.store.listRuns({ limit: 50, ...filter })
      },
      events,
      follow,
      cancel: cancelRun,
      questions: async id => {
        await runOf(id)
        return (await ready()).store.questions({ runId: id, limit: 1_000 })
      },
      answer: async (id, { toolUseId, ...given }) => {
        const dependencies = await ready()
        const run = await answerQuestion(dependencies, {
          run: await runOf(id),
          toolUseId,
          given,
        })
        const reply = run.continuedBy === null ? null : await runOf(run.continuedBy)
        return { run, turn: reply && runReply(dependencies, reply) }
      },
      why: async (id, settings) => explainRun(await runOf(id), settings),
    },
    turns,
    jobs: jobsApi({ ready, defaultAgent, engineOf, work }),
    sessions: {
      get: async id => sessionDetails(await ready(), id),
      list: async query => {
        const sessions = await (await ready()).store.listSessions({ limit: 50, ...query })
        return sessions.map(withCounts)
      },
      archive: async id => archiveSession(await ready(), id),
    },
    questions: async query => (await ready()).store.questions({ limit: 100, ...query }),
    chains: chainsApi(chainSurroundings),
    schedules: schedulesApi({ ...chainSurroundings, engineOf }),
    policies: async () => ((await options.listPolicies?.()) ?? []).map(reportPolicy),
    agents: async () => reportAgents(await ready()),
    savings: async (by = 'day') => {
      const rows = await (await ready()).store.usageBy(by)
      return { ...savingsReport(by, rows), formula: SAVINGS_FORMULA }
    },
    adopt: async request => {
      const dependencies = await ready()
      const agent = configOf(dependencies, request.agent ?? defaultAgent()).name
      return threadHandle(await adoptThread(dependencies, { ...request, agent }), ready, live)
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

function maxRunningOf({ maxRunning }: RepriseOptions): number {
  if (maxRunning === undefined) {
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem())
    return defaultMaxRunning({ cores: availableParallelism(), memoryBytes })
  }
  if (Number.isInteger(maxRunning) && maxRunning > 0) return maxRunning
  const what = `maxRunning is ${maxRunning}, not a whole number over 0`
  throw new RepriseError('bad-config', what, 'Leave it out for a default that fits the machine.')
}

function settingsFor(
  { resume, projectSettings }: RepriseOptions,
  fromEnvironment: Partial<ResumeSettings>,
): Dependencies['settingsFor'] {
  const forAll = { ...DEFAULT_RESUME, ...resume }
  return async workDir => {
    const project = projectSettings ? await projectSettings(workDir) : { resume: {}, models: {} }
    const resume = { ...forAll, ...project.resume, ...fromEnvironment }
    return { ...project, resume, fromEnvironment }
  }
}

async function open(options: RepriseOptions, live: LiveRuns): Promise<Dependencies> {
  const environment = options.environment ?? process.env
  const fromEnvironment = settingsFromEnvironment(environment)
  if ('problem' in fromEnvironment) {
    throw new RepriseError('bad-config', fromEnvironment.problem, 'Set a share such as 0.8.')
  }
  const directory = options.dataDir ?? join(tmpdir(), `reprise-${process.getuid?.() ?? 'user'}`)
  const store = notifyOnWrite(await options.store(), live.wrote)
  const timing = { ...DEFAULT_TIMING, ...options.timing }
  const log = new RunLog({
    store,
    clock: options.dependencies?.clock ?? systemClock,
    pollMs: timing.followPollMs,
    onWrite: listener => live.onWrite(listener),
    recover: waitingOn => recover(dependencies, waitingOn),
  })
  const dependencies: Dependencies = {
    store,
    log,
    live,
    runner: createRunner(),
    clock: systemClock,
    random: systemRandom,
    files: systemFiles,
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
    hiddenDir: directory,
    git: createGit(environment),
    // Simulated files are not on the disk that the vault copies from.
    vault: options.dependencies?.files ? NO_VAULT : createVault(join(directory, 'vault')),
    archive: createArchive(join(directory, 'agent-sessions')),
    owner: { ...thisProcess(), ...(options.keepQueue && { keepsQueue: true as const }) },
    isAlive,
    agents: new Map(options.agents.map(agent => [agent.name, agent])),
    environment,
    settingsFor: settingsFor(options, fromEnvironment.settings),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    timing,
    questions: { ...DEFAULT_QUESTIONS, ...options.questions },
    checkpoints: { ...DEFAULT_CHECKPOINTS, ...options.checkpoints },
    keepText: text => keepText(join(directory, 'instructions'), text),
    keepContext: file => keepContext(join(directory, 'context'), file),
    ...options.dependencies,
  }
  try {
    await recover(dependencies)
    const sessions = { ...DEFAULT_SESSIONS, ...options.sessions }
    if (options.keepQueue) await startBackgroundLoops(dependencies, sessions)
  } catch (error) {
    await dependencies.store.close()
    throw error
  }
  return dependencies
}
