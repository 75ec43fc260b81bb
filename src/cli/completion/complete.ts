// `__complete -- WORDS`: what could stand where the cursor is. A shell calls it at each Tab, so it prints no error, ever.
import { join } from 'node:path'
import { homeDirectory } from '../../config/home.ts'
import { type IdKind, recentIds } from '../../store/sqlite/recent-ids.ts'
import { buildProgram } from '../start/program.ts'
import { cut } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { type Candidate, candidatesFor } from './candidates.ts'

type Environment = Readonly<Record<string, string | undefined>>

const ABOUT_LETTERS = 60

/** Gives lines: a value, a tab and words about it; `:files` or `:dirs` when it should list files. */
export function completionLines(words: readonly string[], env: Environment): readonly string[] {
  const { values, ids, paths } = candidatesFor(buildProgram(), words)
  const all = [...values, ...(ids ? found(ids.kind, ids.prefix, env) : [])]
  return [...all.map(lineOf), ...(paths === null ? [] : [`:${paths}`])]
}

function found(kind: IdKind, prefix: string, env: Environment): readonly Candidate[] {
  // The ids of a database server are not completed: a Tab must not wait for a network.
  if (env.REPRISE_DATABASE_URL) return []
  try {
    const file = join(homeDirectory(env), 'reprise.db')
    return recentIds(file, kind, prefix).map(({ id, about }) => ({ value: id, about }))
  } catch {
    return [] // No store, one of another version, or one that is busy: there is nothing to propose.
  }
}

/** Titles and prompts are text from outside: nothing of them may reach the terminal as a command. */
function lineOf({ value, about }: Candidate): string {
  const words = cut(sanitiseLine(about).replaceAll('\t', ' '), ABOUT_LETTERS)
  return words === '' ? value : `${value}\t${words}`
}
