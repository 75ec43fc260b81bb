// Opens what the flows work with: the real clock, files, processes and store, unless the options replace them.
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_QUESTIONS } from './core/conversation/question-settings.ts'
import { DEFAULT_SESSIONS } from './core/conversation/session-settings.ts'
import type { ResumeSettings } from './core/decide/settings.ts'
import { DEFAULT_RESUME, settingsFromEnvironment } from './core/decide/settings.ts'
import { DEFAULT_CHECKPOINTS } from './core/job/checkpoint-keeping.ts'
import { given } from './core/optional.ts'
import { defaultMaxRunning } from './core/run/max-running.ts'
import { createEmbeddedEngine } from './engine/embedded.ts'
import { RepriseError } from './errors.ts'
import type { Dependencies } from './flows/dependencies.ts'
import { DEFAULT_TIMING } from './flows/dependencies.ts'
import { RunLog } from './flows/follow/run-log.ts'
import type { LiveRuns } from './flows/queue/live-runs.ts'
import { startBackgroundLoops } from './flows/recovery/background-loops.ts'
import { notifyOnWrite } from './flows/recovery/notify-on-write.ts'
import { recover } from './flows/recovery/recover.ts'
import type { RepriseOptions } from './reprise-options.ts'
import { createGit } from './runner/git.ts'
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
import type { Store } from './store/contract/store.ts'
import { createArchive } from './vault/archive.ts'
import { createVault, NO_VAULT } from './vault/vault.ts'

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
  const directory = options.dataDir ?? join(tmpdir(), `reprise-${process.getuid?.() ?? 'user'}`)
  const store = notifyOnWrite(await options.store(), live.wrote)
  const timing = { ...DEFAULT_TIMING, ...given(options.timing ?? {}) }
  const log = new RunLog({
    store,
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
    limits: { ...DEFAULT_LIMITS, ...given(options.limits ?? {}) },
    timing,
    questions: { ...DEFAULT_QUESTIONS, ...given(options.questions ?? {}) },
    checkpoints: { ...DEFAULT_CHECKPOINTS, ...given(options.checkpoints ?? {}) },
    keepText: text => keepText(join(directory, 'instructions'), text),
    keepContext: file => keepContext(join(directory, 'context'), file),
    ...given(options.dependencies ?? {}),
  }
  const { clock, owner } = others
  const engine = createEmbeddedEngine({ store, clock, owner, isAlive: others.isAlive })
  const dependencies: Dependencies = { ...others, engine }
  try {
    await recover(dependencies)
    const sessions = { ...DEFAULT_SESSIONS, ...given(options.sessions ?? {}) }
    if (options.keepQueue) await startBackgroundLoops(dependencies, sessions)
  } catch (error) {
    await dependencies.store.close()
    throw error
  }
  return dependencies
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
