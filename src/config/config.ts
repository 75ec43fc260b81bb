// All settings of a user, from four places: flags win over the environment, the environment over the project, the project over the user.
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DEFAULT_QUESTIONS, type QuestionSettings } from '../core/conversation/question-settings.ts'
import { DEFAULT_SESSIONS, type SessionSettings } from '../core/conversation/session-settings.ts'
import { DEFAULT_VAULT, type VaultSettings } from '../core/conversation/vault-settings.ts'
import {
  type DaemonSettings,
  DEFAULT_DAEMON,
  isLogLevel,
  LOG_LEVELS,
} from '../core/daemon-settings.ts'
import { DATABASE_URL_HINT, readDatabaseUrl } from '../core/database-url.ts'
import {
  DEFAULT_RESUME,
  type ProjectSettings,
  type ResumeSettings,
  settingsFromEnvironment,
} from '../core/decide/settings.ts'
import { DEFAULT_DROP_IN, type DropInSettings } from '../core/drop-in-settings.ts'
import { type CheckpointSettings, DEFAULT_CHECKPOINTS } from '../core/job/checkpoint-keeping.ts'
import { DEFAULT_LIMIT_SETTINGS, type LimitSettings } from '../core/limit-settings.ts'
import type { SandboxMode } from '../core/run/sandbox.ts'
import type { Trust } from '../core/run/trust.ts'
import { DEFAULT_WORKSPACES, type WorkspaceSettings } from '../core/run/workspace-settings.ts'
import { DEFAULT_WARM, type WarmSettings } from '../core/warm/warm-settings.ts'
import { RepriseError } from '../errors.ts'
import { type Environment, homeDirectory, prepareHome } from './home.ts'
import { hostOf, type WorkerSettings, workerOf } from './host.ts'
import { type ConfigCache, readCached } from './read-cached.ts'
import type { ProjectFile, UserFile } from './schema.ts'

export type AgentSettings = {
  readonly name: string
  /** Name of the adapter that translates it. */
  readonly adapter: string
  /** A name on PATH or an absolute path; without it, the adapter's own. */
  readonly executable?: string
  /** The program and its arguments, for an agent that speaks ACP. */
  readonly command?: readonly string[]
  readonly model?: string
  readonly permissionMode?: string
  /** Variables that are set for the agent. */
  readonly env: Readonly<Record<string, string>>
  /** Variables that the agent gets from our environment, besides the adapter's own list. */
  readonly passEnv: readonly string[]
  /** The defaults of its threads and jobs. */
  readonly trust?: Trust
  readonly sandbox?: SandboxMode
  /** MCP servers and sub-agents that may take part in runs which trust nobody. */
  readonly mcpServers?: readonly string[]
  readonly subagents?: readonly string[]
}

/** `project`: the policy comes from a repository. It may not widen trust or sandbox, which protect from that repository. */
export type PolicyFile = { readonly path: string; readonly from: 'user' | 'project' }

/** Where the store is. `place` is for messages; the URL may hold a password and is never shown. */
export type DatabaseSettings =
  | { readonly kind: 'file'; readonly path: string; readonly place: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly place: string }

export type Config = {
  readonly home: string
  readonly database: DatabaseSettings
  /** The id of this host in leases, runs, jobs and workers. */
  readonly host: string
  readonly worker: WorkerSettings
  readonly defaultAgent: string
  readonly agents: readonly AgentSettings[]
  readonly resume: ResumeSettings
  readonly sessions: SessionSettings
  readonly vault: VaultSettings
  readonly questions: QuestionSettings
  /** How many turns run at a time; absent: Reprise decides by the machine. */
  readonly maxRunning?: number
  /** Policies by name. */
  readonly policies: Readonly<Record<string, PolicyFile>>
  readonly checkpoints: CheckpointSettings
  readonly workspaces: WorkspaceSettings
  /** For every turn; a job's own time limits win. */
  readonly limits: LimitSettings
  /** For the daemon and for `reprise chat`. */
  readonly warm: WarmSettings
  readonly daemon: DaemonSettings
  /** For `reprise claude`. */
  readonly dropIn: DropInSettings
  /** The module that registers an exporter; absent: Reprise sends no spans. */
  readonly telemetry?: { readonly module: string }
  /** The files that were read, the user's first. */
  readonly files: readonly string[]
}

export type ConfigSource = {
  readonly env: Environment
  /** The work dir: its `reprise.yaml`, or that of the git repository around it, is the project's. */
  readonly cwd: string
  /** The version of Reprise. Without it, files are parsed again each time. */
  readonly version?: string
}

const DEFAULT_AGENT = 'claude-code'

export async function loadConfig({ env, cwd, version }: ConfigSource): Promise<Config> {
  const home = homeDirectory(env)
  prepareHome(home)
  const userPath = join(home, 'config.yaml')
  const cache = version === undefined ? null : { directory: join(home, 'cache'), version }
  const user = existsSync(userPath) ? await readUser(userPath, cache) : {}
  const projectPath = findProjectFile(cwd)
  const project = projectPath === null ? {} : await readProject(projectPath, cache)
  const agents = agentsOf(user, project, { userPath, projectPath })
  return {
    home,
    database: databaseOf({ env, home, user, userPath }),
    host: hostOf(env, user),
    worker: workerOf(user, userPath),
    defaultAgent: defaultAgentOf(user, agents, userPath),
    agents,
    resume: {
      ...DEFAULT_RESUME,
      ...user.resume,
      ...project.resume,
      ...(await readEnv(env)),
      ...readThreshold(env),
    },
    sessions: { ...DEFAULT_SESSIONS, ...user.sessions },
    vault: { ...DEFAULT_VAULT, ...user.vault },
    questions: { ...DEFAULT_QUESTIONS, ...user.questions },
    ...(user.maxRunning !== undefined && { maxRunning: user.maxRunning }),
    // A repository must not replace a policy that the user knows by name.
    policies: {
      ...policyFiles(project.policies, 'project'),
      ...policyFiles(user.policies, 'user'),
    },
    checkpoints: { ...DEFAULT_CHECKPOINTS, ...user.checkpoints },
    workspaces: { ...DEFAULT_WORKSPACES, ...user.workspaces },
    limits: { ...DEFAULT_LIMIT_SETTINGS, ...user.limits },
    warm: { ...DEFAULT_WARM, ...user.warm },
    dropIn: { ...DEFAULT_DROP_IN, ...user.dropIn },
    daemon: { ...DEFAULT_DAEMON, ...user.daemon, ...readLogLevel(env) },
    ...telemetryOf(env, user),
    files: [...(existsSync(userPath) ? [userPath] : []), ...(projectPath ? [projectPath] : [])],
  }
}

function policyFiles(
  paths: Readonly<Record<string, string>> = {},
  from: PolicyFile['from'],
): Record<string, PolicyFile> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { path, from }]))
}

/** The settings of the project around a work dir, under those of the environment. A daemon needs them per project. */
export async function projectSettings(
  config: Pick<Config, 'home' | 'agents'>,
  { env, cwd, version }: ConfigSource,
): Promise<ProjectSettings> {
  const path = findProjectFile(cwd)
  if (path === null) return { resume: {}, models: {} }
  const cache = version === undefined ? null : { directory: join(config.home, 'cache'), version }
  const { agents = {}, resume } = await readProject(path, cache)
  const names = config.agents.map(({ name }) => name)
  refuseUnknownAgents(Object.keys(agents), names, {
    userPath: join(config.home, 'config.yaml'),
    projectPath: path,
  })
  const models = Object.entries(agents).flatMap(([name, { model }]) => {
    return model === undefined ? [] : [[name, model] as const]
  })
  const fromEnvironment = { ...(await readEnv(env)), ...readThreshold(env) }
  return { resume: { ...resume, ...fromEnvironment }, models: Object.fromEntries(models) }
}

/** A repository cannot choose the database: prompts and answers would go wherever it says. */
function databaseOf(from: {
  readonly env: Environment
  readonly home: string
  readonly user: UserFile
  readonly userPath: string
}): DatabaseSettings {
  const { env, home, user, userPath } = from
  const text = env.REPRISE_DATABASE_URL || user.database
  if (!text) {
    const path = join(home, 'reprise.db')
    return { kind: 'file', path, place: path }
  }
  const read = readDatabaseUrl(text)
  if ('place' in read) return { kind: 'postgres', ...read }
  const setting = env.REPRISE_DATABASE_URL ? 'REPRISE_DATABASE_URL' : `${userPath}: database`
  throw new RepriseError('bad-config', `${setting} ${read.problem}`, DATABASE_URL_HINT)
}

/** A repository cannot choose the module: it is code that runs in our process. */
function telemetryOf(env: Environment, user: UserFile): Pick<Config, 'telemetry'> {
  const module = env.REPRISE_TELEMETRY_MODULE || user.telemetry?.module
  return module ? { telemetry: { module } } : {}
}

/** The work dir itself, else the root of the git repository around it; nothing above that. */
export function findProjectFile(cwd: string): string | null {
  const here = join(cwd, 'reprise.yaml')
  if (existsSync(here)) return here
  for (let directory = cwd; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) {
      const atRoot = join(directory, 'reprise.yaml')
      return existsSync(atRoot) ? atRoot : null
    }
    if (dirname(directory) === directory) return null
  }
}

// YAML and validation are loaded only when there is something new to read: together they cost more than a whole start.
async function readUser(path: string, cache: ConfigCache | null): Promise<UserFile> {
  const parse = async () => (await import('./read-file.ts')).readUserFile(path)
  return cache ? readCached(path, cache, parse) : parse()
}

async function readProject(path: string, cache: ConfigCache | null): Promise<ProjectFile> {
  refuseOddFile(path)
  const parse = async () => (await import('./read-file.ts')).readProjectFile(path)
  return cache ? readCached(path, cache, parse) : parse()
}

/** A repository may hold anything under that name: an endless file or a pipe must not block Reprise. */
function refuseOddFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() && stat.size <= MAX_PROJECT_BYTES) return
  throw new RepriseError(
    'bad-config',
    `${path} is not a file of at most ${MAX_PROJECT_BYTES} bytes`,
    'Correct the file or move it away; every setting has a default.',
  )
}

const MAX_PROJECT_BYTES = 256 * 1024

async function readEnv(env: Environment): Promise<Partial<ResumeSettings>> {
  if (!Object.keys(env).some(name => name.startsWith('REPRISE_RESUME_'))) return {}
  const { readEnvironment } = await import('./read-environment.ts')
  return readEnvironment(env)
}

function readThreshold(env: Environment): Partial<ResumeSettings> {
  const read = settingsFromEnvironment(env)
  if ('settings' in read) return read.settings
  throw new RepriseError('bad-config', read.problem, 'Set a number such as 0.8, or unset it.')
}

function readLogLevel(env: Environment): Partial<DaemonSettings> {
  const logLevel = env.REPRISE_LOG_LEVEL
  if (!logLevel) return {}
  if (isLogLevel(logLevel)) return { logLevel }
  throw new RepriseError(
    'bad-config',
    `REPRISE_LOG_LEVEL is \`${logLevel}\`, which is not a level`,
    `Set one of ${LOG_LEVELS.join(', ')}, or unset it.`,
  )
}

type Paths = { readonly userPath: string; readonly projectPath: string | null }

function agentsOf(user: UserFile, project: ProjectFile, paths: Paths): readonly AgentSettings[] {
  const named: NonNullable<UserFile['agents']> = { [DEFAULT_AGENT]: {}, ...user.agents }
  refuseUnknownAgents(Object.keys(project.agents ?? {}), Object.keys(named), paths)
  return Object.entries(named).map(([name, settings]) => ({
    env: {},
    passEnv: [],
    ...settings,
    ...project.agents?.[name],
    name,
    adapter: settings.adapter ?? DEFAULT_AGENT,
  }))
}

function refuseUnknownAgents(
  wanted: readonly string[],
  known: readonly string[],
  paths: Paths,
): void {
  for (const name of wanted) {
    if (known.includes(name)) continue
    throw new RepriseError(
      'bad-config',
      `${paths.projectPath}: there is no agent \`${name}\``,
      `A project may only choose models of agents that ${paths.userPath} names.`,
    )
  }
}

function defaultAgentOf(user: UserFile, agents: readonly AgentSettings[], path: string): string {
  const wanted = user.defaultAgent ?? DEFAULT_AGENT
  if (agents.some(agent => agent.name === wanted)) return wanted
  const names = agents.map(agent => agent.name).join(', ')
  throw new RepriseError(
    'bad-config',
    `${path}: defaultAgent is \`${wanted}\`, which is not an agent`,
    `Use one of: ${names}; or add it under \`agents\`.`,
  )
}
