// The world a sequence plays in: files, agents and a store that outlives its supervisors, in memory or on disk.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claudeCode } from '../../../src/agents/claude-code.ts'
import type { Reprise } from '../../../src/api.ts'
import { BYTES_PER_MB, DEFAULT_WARM } from '../../../src/core/warm/warm-settings.ts'
import type { Clock } from '../../../src/core/world.ts'
import { createReprise } from '../../../src/reprise.ts'
import type { RepriseOptions } from '../../../src/reprise-options.ts'
import { createRunner } from '../../../src/runner/start.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { sqlite } from '../../../src/store/sqlite/sqlite.ts'
import { diskFiles } from '../../../src/testing/fake-agent/disk-files.ts'
import { readJournal } from '../../../src/testing/fake-agent/executable.ts'
import type { JournalEntry } from '../../../src/testing/fake-agent/journal.ts'
import type { FakeTurn } from '../../../src/testing/fake-agent/script.ts'
import type { WritableFiles } from '../../../src/testing/fake-agent/world.ts'
import { createFakeRunner, memoryExecutable } from '../../../src/testing/fake-runner.ts'
import { memoryFiles } from '../../../src/testing/memory-files.ts'
import { builtFakeAgent } from '../../fake-agent.ts'
import { type Fate, mortal } from './mortal-store.ts'

/** Programs an agent's name can stand for: two versions, and one of them a second time. */
export const PROGRAMS = 3

export type World = {
  readonly files: WritableFiles
  readonly root: string
  readonly workDirs: readonly [string, string]
  journal(): Promise<readonly JournalEntry[]>
  /** Which of the programs the agents' executable is. */
  swap(program: number): Promise<void>
  script(turn: FakeTurn): Promise<void>
  /** A supervisor over the one store. Its fate is in the hands of the test. */
  supervisor(): Supervisor
  /** The processes that stay; `null`: none does. */
  readonly warm: WarmWorld | null
  /** Lets other things happen. */
  pause(): Promise<void>
  close(): Promise<void>
}

export type Supervisor = {
  readonly reprise: Reprise
  readonly fate: Fate
  /** From now on other processes see that it is gone. */
  declareDead(): void
  /** What its watcher does after its death, where processes stay. */
  endProcesses(): Promise<void>
}

export type WarmWorld = {
  /** Markers of the processes that live. */
  running(): readonly string[]
  kill(marker: string): Promise<void>
  /** More than a process may wait. */
  passTime(): void
  /** From now on each process needs this share of the memory that all may need together. */
  grow(share: number): void
}

type Place = {
  readonly files: WritableFiles
  readonly root: string
  readonly store: StoreWithWork
  readonly parts: RepriseOptions['dependencies']
  readonly agentEnv: Readonly<Record<string, string>>
  readonly warm: WarmWorld | null
}

/** Few, so that some have to go. */
const WARM = { max: 2, maxRssMb: 1_000 }

const VERSIONS = ['2.1.325', '2.1.197', '2.1.325'] as const
const TIMING = { leaseMs: 30_000, renewMs: 3_600_000, queuePollMs: 1, eventBatchMs: 1 }

/** So many sequences share a store in memory: making one takes as long as a few turns, and so does a big one's check. */
const SEQUENCES_PER_STORE = 20

/** Opens worlds in memory. What a failed sequence left in a store is no matter for the next one. */
export function memoryWorlds(kind?: 'warm'): (number: number) => Promise<World> {
  let store: Promise<StoreWithWork> | null = null
  let uses = 0
  return async number => {
    if (store && (uses >= SEQUENCES_PER_STORE || (await isOpen(await store)))) {
      await (await store).close()
      store = null
      uses = 0
    }
    store ??= sqlite(':memory:')()
    uses += 1
    return memoryWorld(await store, `/${number}`, kind)
  }
}

async function isOpen(store: StoreWithWork): Promise<boolean> {
  return (await store.openRuns()).length > 0
}

async function memoryWorld(store: StoreWithWork, root: string, kind?: 'warm'): Promise<World> {
  const clock = stepClock()
  const files = memoryFiles()
  let memoryBytes = 0
  const runner = createFakeRunner({ files, clock, memoryBytes: () => memoryBytes })
  const warm: WarmWorld = {
    running: () => runner.running,
    kill: marker => runner.crash(marker),
    passTime: () => clock.pass(2 * DEFAULT_WARM.idleMs),
    grow: share => {
      memoryBytes = share * WARM.maxRssMb * BYTES_PER_MB
    },
  }
  const keepText = async (text: string) => {
    const path = `${root}/kept/${createHash('sha256').update(text).digest('hex')}`
    await files.write(path, text)
    return path
  }
  const parts = { runner, clock, files, fileWriter: files, keepText }
  const stays = kind === 'warm' ? warm : null
  const place = { files, root, store, parts, agentEnv: {}, warm: stays }
  const names = [`${root}/one/agent`, `${root}/two/agent`] as const
  const world: World = {
    ...(await commonWorld(place, `${root}/one:${root}/two`)),
    journal: async () => runner.journal,
    async swap(program) {
      if (program === 2) return files.remove(names[0])
      await files.write(names[0], memoryExecutable(VERSIONS[program]))
    },
    pause: () => new Promise(resolve => setImmediate(resolve)),
    close: async () => {},
  }
  await files.write(names[1], memoryExecutable(VERSIONS[2]))
  await world.swap(0)
  return world
}

export type ProgramStage = {
  readonly store: StoreWithWork
  readonly programs: readonly string[]
  readonly compileCache: string
}

/** What the worlds of many sequences share: starting a store and probing programs takes long. */
export async function programStage(directory: string): Promise<ProgramStage> {
  const programs = VERSIONS.map((version, index) =>
    builtFakeAgent(join(directory, `program-${index}`), { name: 'agent', version }),
  )
  return {
    store: await sqlite(join(directory, 'reprise.db'))(),
    programs: await Promise.all(programs),
    compileCache: join(directory, 'compile-cache'),
  }
}

export async function programWorld(stage: ProgramStage): Promise<World> {
  const { store, programs, compileCache } = stage
  const root = mkdtempSync(join(tmpdir(), 'reprise-sequence-'))
  const journalFile = join(root, 'journal')
  const agentEnv = { FAKE_AGENT_JOURNAL: journalFile, NODE_COMPILE_CACHE: compileCache }
  const place = { files: diskFiles(), root, store, parts: {}, agentEnv, warm: null }
  const link = join(root, 'bin', 'agent')
  mkdirSync(join(root, 'bin'))
  const world: World = {
    ...(await commonWorld(place, join(root, 'bin'))),
    journal: () => readJournal(journalFile),
    async swap(program) {
      rmSync(link, { force: true })
      symlinkSync(programs[program] ?? '', link)
    },
    pause: () => new Promise(resolve => setTimeout(resolve, 5)),
    close: async () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
  await world.swap(0)
  return world
}

const NEVER = new Promise<never>(() => {})

async function commonWorld(place: Place, path: string) {
  const { files, root, store } = place
  const scriptFile = join(root, 'script.json')
  const env = {
    CLAUDE_CONFIG_DIR: join(root, 'config'),
    FAKE_AGENT_SCRIPT: scriptFile,
    ...place.agentEnv,
  }
  const workDirs = [join(root, 'work-one'), join(root, 'work-two')] as const
  for (const directory of workDirs) await files.makeDirectory(directory)
  const dead = new Set<number>()
  let supervisors = 0
  return {
    files,
    root,
    workDirs,
    warm: place.warm,
    script: (turn: FakeTurn) => files.write(scriptFile, JSON.stringify([turn])),
    supervisor(): Supervisor {
      const pid = ++supervisors
      const host = root
      const { fate, store: mortalStore } = mortal(store)
      const runner = place.parts?.runner ?? createRunner()
      const started: string[] = []
      const reprise = createReprise({
        store: async () => mortalStore,
        agents: ['first', 'second'].map(name => claudeCode({ name, executable: 'agent', env })),
        environment: { PATH: path },
        timing: TIMING,
        limits: { drainMs: 500 },
        ...(place.warm && { warm: WARM }),
        dependencies: {
          ...place.parts,
          // A dead process starts nothing. Here it lives on, and may have been on its way to a start.
          runner: {
            ...runner,
            start: (...args) => {
              if (dead.has(pid)) return NEVER
              started.push(args[1])
              return runner.start(...args)
            },
          },
          owner: { host, pid, startTime: '0' },
          isAlive: owner => (owner.host === host ? !dead.has(owner.pid) : true),
        },
      })
      const { warm } = place
      return {
        reprise,
        fate,
        declareDead: () => void dead.add(pid),
        endProcesses: async () => {
          for (const marker of started) await warm?.kill(marker)
        },
      }
    },
  }
}

/** Every look at it is a millisecond later; short sleeps take no time, long ones last until they are called off or time passes. */
function stepClock(): Clock & { pass(ms: number): void } {
  let now = 1_700_000_000_000
  const sleepers = new Map<() => void, number>()
  return {
    now: () => ++now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted || ms < 60_000) {
          setImmediate(resolve)
          return
        }
        const wake = () => {
          sleepers.delete(wake)
          resolve()
        }
        sleepers.set(wake, now + ms)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    pass(ms) {
      now += ms
      for (const [wake, at] of [...sleepers]) if (at <= now) wake()
    },
  }
}
