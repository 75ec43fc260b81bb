// What the flows work with. open-dependencies.ts builds the real ones; tests replace them with simulated ones.
import type { Adapter, Runtime } from '../adapters/adapter.ts'
import type { QuestionSettings } from '../core/conversation/question-settings.ts'
import type { ProjectSettings, ResumeSettings } from '../core/decide/settings.ts'
import type { CheckpointSettings } from '../core/job/checkpoint-keeping.ts'
import type { LaneWorker } from '../core/job/lane.ts'
import type { PermissionMode } from '../core/run/permission-mode.ts'
import type { SandboxMode } from '../core/run/sandbox.ts'
import type { Trust } from '../core/run/trust.ts'
import type { WorkspaceSettings } from '../core/run/workspace-settings.ts'
import type { Clock, Files, FileWriter, Random } from '../core/world.ts'
import type { Engine } from '../engine/engine.ts'
import type { Git } from '../runner/git.ts'
import type { ProcessLimits, Runner } from '../runner/runner.ts'
import type { Spool } from '../spool/spool.ts'
import type { Owner } from '../store/contract/leases.ts'
import type { Store } from '../store/contract/store.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { Archive } from '../vault/archive.ts'
import type { Vault } from '../vault/vault.ts'
import type { Workspaces } from '../workspaces/workspaces.ts'
import type { RunLog } from './follow/run-log.ts'
import type { LiveRuns } from './queue/live-runs.ts'
import type { KeptProcesses } from './warm/kept-processes.ts'

/** An agent as the user configured it: an adapter with an executable and settings. */
export type AgentConfig = {
  /** Turns choose the agent by this name. */
  readonly name: string
  readonly adapter: Adapter
  /** A name on PATH or an absolute path. */
  readonly executable: string
  /** Used when a turn names none; `null`: the agent chooses by its own settings and environment. */
  readonly model: string | null
  /** Used when a turn names none; in the words of the agent. */
  readonly permissionMode: PermissionMode
  /** Variables that Reprise sets for the agent. */
  readonly env: Readonly<Record<string, string>>
  /** Variables (or `PREFIX_*`) that the agent gets from our environment, in addition to the adapter's list. */
  readonly passEnv: readonly string[]
  /** Whose settings take part in its threads and jobs, unless they choose otherwise; default: `project`. */
  readonly trust?: Trust
  /** The sandbox of its threads and jobs, unless they name another one; default: `none`. */
  readonly sandbox?: SandboxMode
  /** MCP servers that may take part in runs which trust nobody. */
  readonly mcpServers?: readonly string[]
  /** Sub-agents that may take part in runs which trust nobody. */
  readonly subagents?: readonly string[]
  /** Another way to talk to its process, such as the Agent SDK. */
  readonly through?: (runner: Runner) => Runner
}

export type Agent = AgentConfig & {
  readonly runtime: Runtime
  /** The allow-listed variables of every start: enough to find its sessions. Trusted runs have more (environment.ts). */
  readonly fullEnv: Readonly<Record<string, string>>
  /** Values of variables of its runs that Reprise must never show. */
  readonly secrets: readonly string[]
}

export type WorkDirSettings = ProjectSettings & {
  readonly resume: ResumeSettings
  /** The part of `resume` that environment variables set: it overrides a policy. */
  readonly fromEnvironment: Partial<ResumeSettings>
}

export type Dependencies = {
  readonly store: Store
  /** Hands out jobs and schedules. It enlists and cancels its work in transactions of the store. */
  readonly engine: Engine
  /** Follows stored events, also those of other processes. */
  readonly log: RunLog
  /** The turns of this process. */
  readonly live: LiveRuns
  readonly runner: Runner
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  /** Writes session files; absent where the files are simulated. */
  readonly fileWriter?: FileWriter
  /** Our data directory, if the caller named one: no agent works there. */
  readonly dataDir?: string
  /** What a sandbox hides from an agent: our data directory, and where `keepText` puts its texts. */
  readonly hiddenDir: string
  /** Where events of runs wait while the database is away; absent where it cannot be away. */
  readonly spool?: Spool
  readonly vault: Vault
  readonly archive: Archive
  readonly git: Git
  /** The work trees of repositories on this host. */
  readonly workspaces: Workspaces
  readonly owner: Owner
  /** What this process offers to jobs when it works on them. */
  readonly offer: LaneWorker
  /** Tells a tracing system about runs; silent unless the user switched it on. */
  readonly tracing: Tracing
  /** `null`: the owner is on another host, so this process cannot know. */
  isAlive(owner: Owner): boolean | null
  readonly agents: ReadonlyMap<string, AgentConfig>
  /** Agents that Reprise knows, whether the user configured them or not: `agents()` reports on all of them. */
  readonly knownAgents: readonly AgentConfig[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Gives the settings for a work dir: the general ones, changed by those that its project may set. */
  settingsFor(workDir: string): Promise<WorkDirSettings>
  readonly limits: ProcessLimits
  readonly timing: Timing
  readonly questions: QuestionSettings
  readonly checkpoints: CheckpointSettings
  readonly workspaceSettings: WorkspaceSettings
  /** The processes that wait for the next turn of their session; `null`: none is kept. */
  readonly warm: KeptProcesses | null
  /** Stores a text where an agent can read it by path; the same text gives the same path. */
  keepText(text: string): Promise<string>
  /** Stores a file alone in a new directory for an agent; gives the directory. */
  keepContext(file: { readonly name: string; readonly text: string }): Promise<string>
}

/** How long leases last and how often a process looks at the store. */
export type Timing = {
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number
  /** How often a process renews its leases and looks for requests to cancel. */
  readonly renewMs: number
  /** How often a queued turn looks whether it may run. */
  readonly queuePollMs: number
  /** How long events may wait to be written together. */
  readonly eventBatchMs: number
  /** How often followers of a run look for events that other processes stored. */
  readonly followPollMs: number
  /** How often a worker says that it lives; after four times this long without a word it counts as gone. */
  readonly workerBeatMs: number
}

export const DEFAULT_TIMING: Timing = {
  leaseMs: 30_000,
  renewMs: 1_000,
  queuePollMs: 100,
  eventBatchMs: 50,
  followPollMs: 100,
  workerBeatMs: 5_000,
}
