// Opens what the flows work with: the real clock, files, processes and store, unless the options replace them.
import { availableParallelism, hostname, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_QUESTIONS } from './core/conversation/question-settings.ts'
import { DEFAULT_SESSIONS } from './core/conversation/session-settings.ts'
import { DEFAULT_VAULT } from './core/conversation/vault-settings.ts'
import type { ResumeSettings } from './core/decide/settings.ts'
import { DEFAULT_RESUME, settingsFromEnvironment } from './core/decide/settings.ts'
import { HOST_ID_HINT, isHostId } from './core/host-id.ts'
import { DEFAULT_CHECKPOINTS } from './core/job/checkpoint-keeping.ts'
import { given } from './core/optional.ts'
import { defaultMaxRunning } from './core/run/max-running.ts'
import { DEFAULT_WORKSPACES } from './core/run/workspace-settings.ts'
import { DEFAULT_WARM } from './core/warm/warm-settings.ts'
import { createEmbeddedEngine } from './engine/embedded.ts'
import type { Engine } from './engine/engine.ts'
import { createPgBossEngine } from './engine/pg-boss/pg-boss.ts'
import type { EngineParts } from './engine/work-engine.ts'
import { RepriseError } from './errors.ts'
import type { Dependencies } from './flows/dependencies.ts'
import { DEFAULT_TIMING } from './flows/dependencies.ts'
import { RunLog } from './flows/follow/run-log.ts'
import { keepOutLeftEvents } from './flows/lease/left-events.ts'
import type { LiveRuns } from './flows/queue/live-runs.ts'
import { cleanHostWhileOpen, startBackgroundLoops } from './flows/recovery/background-loops.ts'
import { notifyOnWrite } from './flows/recovery/notify-on-write.ts'
import { recover } from './flows/recovery/recover.ts'
import { clearStaging } from './flows/thread-files/staging.ts'
import { KeptProcesses } from './flows/warm/kept-processes.ts'
import type { RepriseOptions } from './reprise-options.ts'
import { createGit, type Git } from './runner/git.ts'
import { keepContext, keepText } from './runner/keep-text.ts'
import {
  isAlive,
  systemClock,
  systemFiles,
  systemRandom,
  thisProcess,
} from './runner/real-world.ts'
import { DEFAULT_LIMITS } from './runner/runner.ts'
import { createRunner } from './runner/start.ts'
import { Spool } from './spool/spool.ts'
import type { Owner } from './store/contract/leases.ts'
import type { Store, StoreWithWork } from './store/contract/store.ts'
import { NO_TRACING, type Tracing } from './telemetry/tracing.ts'
import { createArchive } from './vault/archive.ts'
import { filePieces } from './vault/file-pieces.ts'
import { systemFileWriter } from './vault/file-writer.ts'
import { createVault, NO_VAULT } from './vault/vault.ts'
import { openWorkspaces, type Workspaces } from './workspaces/workspaces.ts'

/** Opens the store, ends what a dead process left, and starts the background loops of the process that keeps the queue. */
export async function openDependencies(
  options: RepriseOptions,
  live: LiveRuns,
): Promise<Dependencies> {
  const environment = options.environment ?? process.env
  const fromEnvironment = settingsFromEnvironment(environment)
  if ('problem' in fromEnvironment) {
    throw new RepriseError(
      'bad-config',
      fromEnvironment.problem,
      'Set the variable to a share such as 0.8, or unset it.',
    )
  }
  const timing = { ...DEFAULT_TIMING, ...given(options.timing ?? {}) }
  const questions = { ...DEFAULT_QUESTIONS, ...given(options.questions ?? {}) }
  const sessions = { ...DEFAULT_SESSIONS, ...given(options.sessions ?? {}) }
  const workspaceSettings = { ...DEFAULT_WORKSPACES, ...given(options.workspaces ?? {}) }
  refuseBadDurations({ timing, questions, sessions, workspaces: workspaceSettings })
  const directory = options.dataDir ?? join(tmpdir(), `reprise-${process.getuid?.() ?? 'user'}`)
  const host = hostOf(options, environment)
  const store = notifyOnWrite(await options.store(), live.wrote)
  const log = new RunLog({
    // Who follows a run goes on when the database is back.
    store: store.presence?.waiting(live.patience) ?? store,
    clock: options.dependencies?.clock ?? systemClock,
    pollMs: timing.followPollMs,
    onWrite: listener => onAnyWrite(store, live, listener),
    recover: waitingOn => recover(dependencies, waitingOn),
  })
  const others: Omit<Dependencies, 'engine'> = {
    store,
    log,
    live,
    runner: createRunner(),
    clock: systemClock,
    random: systemRandom,
    files: systemFiles,
    ...(options.dependencies?.files === undefined && { fileWriter: systemFileWriter }),
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
    hiddenDir: directory,
    git: createGit(environment),
    ...(store.presence && { spool: new Spool(join(directory, 'spool')) }),
    workspaces: workspacesIn(directory, { git: createGit(environment), host }),
    workspaceSettings,
    warm: keptProcesses(options),
    // Simulated files are not on the disk that the vault copies from.
    vault: options.dependencies?.files
      ? NO_VAULT
      : createVault(store.pieces ?? filePieces(directory)),
    archive: createArchive(join(directory, 'agent-sessions')),
    owner: { ...thisProcess(host), ...(options.keepQueue && { keepsQueue: true as const }) },
    offer: {
      labels: [],
      sharedRoots: [],
      ...given(options.worker ?? {}),
      host: options.dependencies?.owner?.host ?? host,
    },
    isAlive: owner => isAlive(owner, host),
    tracing: NO_TRACING,
    agents: new Map(options.agents.map(agent => [agent.name, agent])),
    knownAgents: options.knownAgents ?? [],
    environment,
    settingsFor: settingsFor(options, fromEnvironment.settings),
    limits: { ...DEFAULT_LIMITS, ...given(options.limits ?? {}) },
    timing,
    questions,
    checkpoints: { ...DEFAULT_CHECKPOINTS, ...given(options.checkpoints ?? {}) },
    keepText: text => keepText(join(directory, 'instructions'), text),
    keepContext: file => keepContext(join(directory, 'context'), file),
    ...given(options.dependencies ?? {}),
  }
  const { clock, owner } = others
  const engine = engineOn(store, { clock, owner, isAlive: others.isAlive })
  const tracing = await tracingOf(options, others)
  const dependencies: Dependencies = { ...others, tracing, engine }
  try {
    await recover(dependencies)
    await keepOutLeftEvents(dependencies)
    await clearStaging(dependencies)
    const vault = { ...DEFAULT_VAULT, ...given(options.vault ?? {}) }
    if (options.keepQueue) await startBackgroundLoops(dependencies, sessions, vault)
    else if (options.workers) cleanHostWhileOpen(dependencies, sessions)
  } catch (error) {
    await dependencies.store.close()
    throw error
  }
  return dependencies
}

/** The database adds them to times in whole milliseconds, and PostgreSQL takes no other numbers. `null`: never. */
function refuseBadDurations(groups: Readonly<Record<string, object>>): void {
  for (const [group, settings] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(settings)) {
      if (!name.endsWith('Ms') || value === null) continue
      if (Number.isSafeInteger(value) && value >= 0) continue
      throw new RepriseError(
        'bad-config',
        `${group}.${name} is ${value}, not a whole number of milliseconds, 0 or more`,
        `Give such a number, or leave \`${group}.${name}\` out for the default.`,
      )
    }
  }
}

/** Only a program that lives for several turns keeps processes; it has to say so. */
function keptProcesses({ warm = false, dependencies }: RepriseOptions): KeptProcesses | null {
  if (warm === false) return null
  const settings = { ...DEFAULT_WARM, ...(warm === true ? {} : given(warm)) }
  if (settings.max === 0) return null
  return new KeptProcesses(settings, dependencies?.clock ?? systemClock)
}

/** A lock names its holder as the store names owners, so that everybody can see whether the holder still lives. */
function workspacesIn(
  directory: string,
  { git, host }: { readonly git: Git; readonly host: string },
): Workspaces {
  const holder = {
    name: JSON.stringify(thisProcess(host)),
    isAlive: (name: string) => {
      const owner = ownerIn(name)
      return owner === null ? null : isAlive(owner, host)
    },
  }
  return openWorkspaces({ git, directory, holder })
}

function ownerIn(text: string): Owner | null {
  try {
    return JSON.parse(text) as Owner
  } catch {
    return null // Nobody knows whose it is.
  }
}

/** A store on a server has one engine for all machines; a store in a file has one for this machine. */
function engineOn(store: StoreWithWork, parts: EngineParts): Engine {
  const database = store.workDatabase?.()
  return database ? createPgBossEngine(database, parts) : createEmbeddedEngine({ store, ...parts })
}

function hostOf({ host }: RepriseOptions, environment: Dependencies['environment']): string {
  const wanted = host ?? environment.REPRISE_HOST
  if (!wanted) return hostname()
  if (isHostId(wanted)) return wanted
  const what = `\`${wanted}\` cannot be the id of a host`
  throw new RepriseError('bad-config', what, HOST_ID_HINT)
}

/** Loads the room of telemetry only when it is switched on. */
async function tracingOf(
  { telemetry = false, agents }: RepriseOptions,
  { store, owner, tracing }: Pick<Dependencies, 'store' | 'owner' | 'tracing'>,
): Promise<Tracing> {
  if (telemetry === false) return tracing
  const { openTracing } = await import('./telemetry/open-telemetry.ts')
  const providerOf = (name: string) =>
    agents.find(agent => agent.name === name)?.adapter.provider ?? null
  try {
    return await openTracing(telemetry, { store, owner, providerOf })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Where the database can tell, also of what other processes store. */
function onAnyWrite(store: Store, live: LiveRuns, listener: () => void): () => void {
  const stops = [live.onWrite(listener), store.listen?.(listener)]
  return () => {
    for (const stop of stops) stop?.()
  }
}

function settingsFor(
  { resume, projectSettings }: RepriseOptions,
  fromEnvironment: Partial<ResumeSettings>,
): Dependencies['settingsFor'] {
  const forAll = { ...DEFAULT_RESUME, ...given(resume ?? {}) }
  return async workDir => {
    const project = projectSettings ? await projectSettings(workDir) : { resume: {}, models: {} }
    const resume = { ...forAll, ...project.resume, ...fromEnvironment }
    return { ...project, resume, fromEnvironment }
  }
}

/** How many turns of this process may run at a time. */
export function maxRunningOf({ maxRunning }: RepriseOptions): number {
  if (maxRunning === undefined) {
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || totalmem())
    return defaultMaxRunning({ cores: availableParallelism(), memoryBytes })
  }
  if (Number.isInteger(maxRunning) && maxRunning > 0) return maxRunning
  const what = `maxRunning is ${maxRunning}, not a whole number over 0`
  throw new RepriseError(
    'bad-config',
    what,
    'Leave `maxRunning` out for a default that fits the machine.',
  )
}
