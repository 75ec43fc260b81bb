// A host of its own for tests: its data directory, home and host id; what it shares with others is the store and the vault.
import { mkdirSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { claudeCode, createReprise, sqlite } from '../../../src/index.ts'
import { filePieces } from '../../../src/vault/file-pieces.ts'
import { createVault } from '../../../src/vault/vault.ts'

export type Surroundings = {
  /** The directory of the test. */
  readonly top: string
  readonly executable: string
}

/** A lease of a dead host ends by the clock of the store. */
const TIMING = { leaseMs: 2_000, renewMs: 200 }

export const homeOf = ({ top }: Surroundings, host: string) => join(top, host)

export function openHost(around: Surroundings, host: string, workers = 0) {
  const home = homeOf(around, host)
  mkdirSync(join(home, 'data'), { recursive: true, mode: 0o700 })
  const environment = { PATH: process.env.PATH, HOME: home }
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    FAKE_AGENT_SCRIPT: join(around.top, 'script.json'),
    FAKE_AGENT_JOURNAL: join(around.top, 'journal.jsonl'),
  }
  return createReprise({
    store: sqlite(join(around.top, 'reprise.db')),
    agents: [claudeCode({ executable: around.executable, env })],
    dataDir: join(home, 'data'),
    host,
    environment,
    timing: TIMING,
    workers,
    keepQueue: workers > 0,
    dependencies: { vault: createVault(filePieces(join(around.top, 'shared'))) },
  })
}

const [top, executable, host, repository] = process.argv.slice(2)
if (process.argv[1]?.endsWith('workspace-host.ts') && top && executable && host && repository) {
  // A killed process stores no compiled code for the next one, so it is stored now.
  flushCompileCache()
  const reprise = openHost({ top, executable }, host, 1)
  const job = await reprise.jobs.submit({
    prompt: 'work',
    workspace: { repository },
    backoff: { firstMs: 10 },
  })
  process.stdout.write(`${job.id}\n`)
  await reprise.jobs.wait(job.id)
}
