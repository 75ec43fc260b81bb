// A host of its own: its home, data directory and host id. What it shares with others is the database, and the path of the agent.
import { mkdirSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import type { LocalReprise } from '../../../src/api.ts'
import { claudeCode, createReprise, postgres } from '../../../src/index.ts'

export type HostPlace = {
  /** The directory of the test. */
  readonly root: string
  readonly name: string
  readonly database: string
  readonly executable: string
  /** For the agent program. */
  readonly env: Readonly<Record<string, string>>
  /** How many jobs it works on at a time. */
  readonly workers: number
}

/** The lease of a dead host ends by the clock of the database. */
const TIMING = { leaseMs: 3_000, renewMs: 200 }

export const homeOf = ({ root, name }: Pick<HostPlace, 'root' | 'name'>) => join(root, name)

/** A directory that all hosts have under the same path. */
export const sharedRootOf = ({ root }: Pick<HostPlace, 'root'>) => join(root, 'shared')

export function openHost(place: HostPlace): LocalReprise {
  const { workers } = place
  const home = homeOf(place)
  mkdirSync(join(home, 'data'), { recursive: true, mode: 0o700 })
  const env = { ...place.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') }
  return createReprise({
    store: postgres(place.database),
    agents: [claudeCode({ executable: place.executable, env, model: 'claude-sonnet-4-5' })],
    dataDir: join(home, 'data'),
    host: place.name,
    worker: { sharedRoots: [sharedRootOf(place)], labels: [] },
    environment: { PATH: process.env.PATH, HOME: home },
    timing: TIMING,
    workers,
    keepQueue: workers > 0,
  })
}

/** As a program: a worker that somebody will kill. It says when it is open. */
if (process.argv[1]?.endsWith('hosts/host.ts')) {
  // A killed process stores no compiled code for the next one, so it is stored now.
  flushCompileCache()
  const reprise = openHost(JSON.parse(process.argv[2] ?? '{}') as HostPlace)
  await reprise.workers()
  process.stdout.write('open\n')
}
