// `__complete -- WORDS`: what could stand where the cursor is. A shell calls it at each Tab, so it prints no error, ever.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { homeDirectory } from '../../config/home.ts'
import type { IdKind } from '../../store/sql/recent-ids.ts'
import { recentIds } from '../../store/sqlite/recent-ids.ts'
import { buildProgram } from '../start/program.ts'
import { cut } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { type Candidate, candidatesFor } from './candidates.ts'

type Environment = Readonly<Record<string, string | undefined>>

const ABOUT_LETTERS = 60

/** Gives lines: a value, a tab and words about it; `:files` or `:dirs` when it should list files. */
export async function completionLines(
  words: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const { values, ids, paths } = candidatesFor(buildProgram(), words)
  const all = [...values, ...(ids ? await found(ids.kind, ids.prefix, env) : [])]
  return [...all.map(lineOf), ...(paths === null ? [] : [`:${paths}`])]
}

async function found(
  kind: IdKind,
  prefix: string,
  env: Environment,
): Promise<readonly Candidate[]> {
  try {
    const ids = await idsIn(await databaseOf(env), kind, prefix)
    return ids.map(({ id, about }) => ({ value: id, about }))
  } catch {
    return [] // No store, one of another version, or one that is busy or away: there is nothing to propose.
  }
}

async function idsIn(database: Config['database'], kind: IdKind, prefix: string) {
  if (database.kind === 'file') return recentIds(database.path, kind, prefix)
  const { recentIdsOnServer } = await import('../../store/postgres/recent-ids-on-server.ts')
  return recentIdsOnServer(database.url, kind, prefix)
}

/** Without a config file that could name a database, nothing has to be parsed at a Tab. */
async function databaseOf(env: Environment): Promise<Config['database']> {
  const home = homeDirectory(env)
  const path = join(home, 'reprise.db')
  const mayNameOne = env.REPRISE_DATABASE_URL || namesDatabase(join(home, 'config.yaml'))
  if (!mayNameOne) return { kind: 'file', path, place: path }
  const { loadConfig } = await import('../../config/config.ts')
  return (await loadConfig({ env, cwd: home })).database
}

function namesDatabase(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('database')
  } catch {
    return false
  }
}

/** Titles and prompts are text from outside: nothing of them may reach the terminal as a command. */
function lineOf({ value, about }: Candidate): string {
  const words = cut(sanitiseLine(about).replaceAll('\t', ' '), ABOUT_LETTERS)
  return words === '' ? value : `${value}\t${words}`
}
