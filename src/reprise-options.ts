// The options of createReprise().
import type { Policy } from './core/chain/policy.ts'
import type { FoundPolicy } from './core/chain/policy-report.ts'
import type { QuestionSettings } from './core/conversation/question-settings.ts'
import type { SessionSettings } from './core/conversation/session-settings.ts'
import type { VaultSettings } from './core/conversation/vault-settings.ts'
import type { ProjectSettings, ResumeSettings } from './core/decide/settings.ts'
import type { CheckpointSettings } from './core/job/checkpoint-keeping.ts'
import type { LaneWorker } from './core/job/lane.ts'
import type { Optional } from './core/optional.ts'
import type { WorkspaceSettings } from './core/run/workspace-settings.ts'
import type { WarmSettings } from './core/warm/warm-settings.ts'
import type { AgentConfig, Dependencies, Timing } from './flows/dependencies.ts'
import type { ProcessLimits } from './runner/runner.ts'
import type { OpenStore } from './store/contract/store.ts'
import type { TelemetrySettings } from './telemetry/telemetry-settings.ts'

/** The options of `createReprise`. */
export type RepriseOptions = {
  /** Where everything is stored, such as `sqlite(file)`. */
  readonly store: OpenStore
  /** The agents that turns can use, such as `claudeCode()`. */
  readonly agents: readonly AgentConfig[]
} & Optional<{
  /** Agents on which `agents()` reports too, although turns cannot use them. */
  readonly knownAgents: readonly AgentConfig[]
  /** Default: the first of `agents`. */
  readonly defaultAgent: string
  /** How runs continue; default: resume unless a guard blocks it. */
  readonly resume: Optional<ResumeSettings>
  /** Reads what a project sets for its own work dir, before every turn: thresholds and models, never programs. */
  readonly projectSettings: (workDir: string) => Promise<ProjectSettings>
  /** When sessions count as paused and expired. The process that keeps the queue sweeps them. */
  readonly sessions: Optional<SessionSettings>
  /** How much our copies of session files may take. The process that keeps the queue drops the oldest of what is too much. */
  readonly vault: Optional<VaultSettings>
  /** Finds a policy by name. Without it, chains need the policy itself. */
  readonly findPolicy: (name: string) => Promise<Policy>
  /** Lists the policies that `findPolicy` finds. Without it, `policies()` gives none. */
  readonly listPolicies: () => Promise<readonly FoundPolicy[]>
  /** Limits of agent processes: times and sizes. */
  readonly limits: Optional<ProcessLimits>
  /** How long leases last and how often Reprise looks. */
  readonly timing: Optional<Timing>
  /** How long users may take to answer. */
  readonly questions: Optional<QuestionSettings>
  /** How long checkpoints are kept. The process that keeps the queue sweeps them. */
  readonly checkpoints: Optional<CheckpointSettings>
  /** How long work trees of repositories are kept. The process that keeps the queue sweeps them. */
  readonly workspaces: Optional<WorkspaceSettings>
  /**
   * Keeps agent processes between turns, so that the next turn of a session needs no start: `true`, or bounds. For programs that live
   * for several turns and call `close()`. Default: off.
   */
  readonly warm: boolean | Optional<WarmSettings>
  /** Where files that agents read by path are kept; default: a private directory in the temp dir. */
  readonly dataDir: string
  /**
   * Turns in the queue outlive this process: the next process that keeps the queue of this store runs them. Without
   * it, they end as interrupted when this process ends.
   */
  readonly keepQueue: boolean
  /**
   * How many turns of this process run at a time, including those of jobs and chains; the others wait in the queue.
   * Default: four per core, if they fit into half of the memory.
   */
  readonly maxRunning: number
  /**
   * How many jobs this process works on at a time; 0: none. Default: two, from the first `jobs.submit`, `jobs.retry`
   * or `jobs.wait` on.
   */
  readonly workers: number
  /**
   * The id of this host in leases, runs, jobs and workers. Processes with the same id must see each other's processes.
   * Default: `REPRISE_HOST` of the environment, else the name of the machine.
   */
  readonly host: string
  /**
   * Labels that this process offers to jobs, and directories that other hosts have under the same path. Default: none of
   * either.
   */
  readonly worker: Optional<Omit<LaneWorker, 'host'>>
  /**
   * Tells OpenTelemetry about turns, runs and calls; never about texts. `true`: through the provider that this program
   * has registered. Default: off, and nothing of it is loaded.
   */
  readonly telemetry: TelemetrySettings | false
  /** The environment that agents take variables from; default: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Replaces the real clock, files, processes and others, for simulations. */
  readonly dependencies: Optional<
    Pick<
      Dependencies,
      | 'vault'
      | 'archive'
      | 'fileWriter'
      | 'git'
      | 'runner'
      | 'clock'
      | 'random'
      | 'files'
      | 'owner'
      | 'isAlive'
      | 'keepText'
      | 'keepContext'
      | 'spool'
      | 'tracing'
    >
  >
}>
