// The world of the full demo: a data directory, work dirs, two agents that play a script in this process, and Reprise on it.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalReprise } from '../../../api.ts'
import { type Config, loadConfig } from '../../../config/config.ts'
import { RepriseError } from '../../../errors.ts'
import { sqlite } from '../../../store/sqlite/sqlite.ts'
import { diskFiles } from '../../../testing/fake-agent/disk-files.ts'
import { fakeAgentExecutable, writeFakeScript } from '../../../testing/fake-agent/executable.ts'
import type { FakeScript } from '../../../testing/fake-agent/script.ts'
import { createFakeRunner, type FakeRunner } from '../../../testing/fake-runner.ts'
import { openReprise } from '../../open/open-reprise.ts'
import type { Io } from '../../start/io.ts'
import { OPS_POLICY } from '../ops-policy.ts'
import { RELEASES_POLICY } from '../stories/releases-policy.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'
import { createStoryClock, type StoryClock } from './story-clock.ts'

export type StoryWorld = {
  /** The data directory. */
  readonly home: string
  readonly config: Config
  readonly clock: StoryClock
  readonly random: SeededRandom
  /** The present, in which the story ends. */
  readonly now: number
  workDir(name: WorkDir): string
  path(name: string): string
  /** What the agents do from now on. */
  script(script: FakeScript): Promise<void>
  /** Installs another version of the second agent. */
  updateReviewer(version: string): Promise<void>
  /** Opens Reprise as a process of its own would; the caller closes it. */
  open(how?: Life): LocalReprise
  /** The latest Reprise that was opened, for scenes that need no life of their own. */
  readonly reprise: LocalReprise
  /** The runner of that Reprise. */
  readonly runner: FakeRunner
}

type Life = {
  /** How many jobs it works on. */
  readonly workers?: number
  /** It keeps the queue and serves, as a daemon does. */
  readonly serves?: boolean
  /** Agents that hang do so until they are stopped; otherwise a watchdog ends them at once. */
  readonly hangs?: boolean
}

const WORK_DIRS = ['shop', 'till', 'fleet', 'website'] as const
export type WorkDir = (typeof WORK_DIRS)[number]

const SEED = 20_261_117
const OLD_VERSION = '2.1.309'
export const NEW_VERSION = '2.1.325'
const STORY_DAYS = 14
const DAY_MS = 24 * 3_600_000

/** Creates the world in a directory that holds no store yet. */
export async function createStoryWorld(directory: string, io: Io): Promise<StoryWorld> {
  const home = join(directory, 'home')
  refuseStore(home, directory)
  const now = Date.now()
  const clock = createStoryClock(now - STORY_DAYS * DAY_MS)
  const random = createSeededRandom(SEED)
  const scriptFile = join(directory, 'script.json')
  const workDir = (name: WorkDir) => join(directory, name)
  for (const name of WORK_DIRS) await mkdir(workDir(name), { recursive: true })
  const config = await configIn(directory, { home, scriptFile, io })
  const env = { PATH: io.env.PATH, HOME: directory, REPRISE_HOME: home }
  let latest: { readonly reprise: LocalReprise; readonly runner: FakeRunner } | null = null
  const current = () => {
    if (latest) return latest
    throw new RepriseError('internal', 'no Reprise is open in the demo', 'Please report it.')
  }
  return {
    home,
    config,
    clock,
    random,
    now,
    workDir,
    path: name => join(directory, name),
    script: async script => void (await writeFakeScript(scriptFile, script)),
    updateReviewer: async version =>
      void (await fakeAgentExecutable(directory, { name: 'reviewer', version })),
    open({ workers = 0, serves = false, hangs = serves } = {}) {
      const runner = createFakeRunner({
        files: diskFiles(),
        clock: clock.ofAgents,
        uuid: random.agentUuid,
        hangs: hangs ? 'until-stopped' : 'end-by-watchdog',
      })
      const reprise = openReprise(
        config,
        { ...io, env },
        {
          workers,
          // Nobody loses anything with this store, and it takes a third of the time.
          store: sqlite(join(home, 'reprise.db'), { durable: false }),
          ...(serves && { keepQueue: true }),
          dependencies: { runner, clock, random },
        },
      )
      latest = { reprise, runner }
      return reprise
    },
    get reprise() {
      return current().reprise
    },
    get runner() {
      return current().runner
    },
  }
}

function refuseStore(home: string, directory: string): void {
  if (!existsSync(join(home, 'reprise.db'))) return
  const what = `${directory} holds a store already`
  throw new RepriseError('conflict', what, 'Name an empty directory with --data-dir.')
}

/** Writes a config that `reprise serve` can use as well: there, the agents are programs of their own. */
async function configIn(
  directory: string,
  { home, scriptFile, io }: { home: string; scriptFile: string; io: Io },
): Promise<Config> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const agent = async (name: string, version: string, model: string) => ({
    adapter: 'claude-code',
    executable: await fakeAgentExecutable(directory, { name, version }),
    model,
    env: { FAKE_AGENT_SCRIPT: scriptFile, CLAUDE_CONFIG_DIR: join(directory, 'agent') },
  })
  const config = {
    agents: {
      'claude-code': await agent('claude', NEW_VERSION, 'claude-sonnet-4-5'),
      reviewer: await agent('reviewer', OLD_VERSION, 'claude-opus-4-8'),
    },
    policies: { ops: OPS_POLICY, releases: await releasesPolicy(directory) },
  }
  // JSON is valid YAML.
  await writeFile(join(home, 'config.yaml'), JSON.stringify(config, null, 2))
  await writeFakeScript(scriptFile, [])
  const env = { PATH: io.env.PATH, HOME: directory, REPRISE_HOME: home }
  return loadConfig({ env, cwd: directory })
}

/** A policy whose last tier needs a person. */
async function releasesPolicy(directory: string): Promise<string> {
  const path = join(directory, 'releases.yaml')
  await writeFile(path, RELEASES_POLICY)
  return path
}
