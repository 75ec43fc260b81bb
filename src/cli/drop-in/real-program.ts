// Finds the agent's own program for `reprise claude`, and never Reprise itself.
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { RepriseError } from '../../errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Names the process that stands in for the agent, and how many stand inside one another. */
const MARK = 'REPRISE_DROP_IN'
/** An agent may call itself by a tool, and so may that one; no work needs this many. */
const MAX_DEPTH = 10

export type RealProgram = {
  readonly file: string
  /** The environment of the program: the caller's, with our mark. */
  readonly env: Readonly<Record<string, string>>
}

/** `named`: by the config; `null`: the first `claude` on PATH that is not ours. Throws when it would start us again. */
export function realProgram(
  env: Environment,
  { named, self }: { readonly named: string | null; readonly self: string },
): RealProgram {
  const marked = withMark(env)
  const wanted = env.REPRISE_CLAUDE || named || 'claude'
  const places = isAbsolute(wanted) ? [wanted] : placesOnPath(env, wanted)
  const programs = places.flatMap(place => programAt(place) ?? [])
  const file = programs.find(program => !isOurs(program, self))
  if (file !== undefined) return { file, env: marked }
  if (programs.length > 0) throw recursion(`${wanted} is Reprise itself`)
  throw new RepriseError(
    'agent-missing',
    `the program "${wanted}" was not found`,
    'Install it (npm install -g @anthropic-ai/claude-code), or name it with REPRISE_CLAUDE.',
  )
}

/** A script named `claude` may call us, although its file is not ours: then we are our own child, or the same process again. */
function withMark(env: Environment): Record<string, string> {
  const [pid, depth] = (env[MARK] ?? '').split(':').map(Number)
  const count = (depth ?? 0) + 1
  if (pid === process.pid || pid === process.ppid || count > MAX_DEPTH) {
    throw recursion('the program that it started called `reprise claude` again')
  }
  const defined = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { ...Object.fromEntries(defined), [MARK]: `${process.pid}:${count}` }
}

function recursion(what: string): RepriseError {
  return new RepriseError(
    'bad-config',
    `\`reprise claude\` would start itself for ever: ${what}`,
    'Set REPRISE_CLAUDE to the absolute path of the real program.',
  )
}

function placesOnPath({ PATH = '' }: Environment, name: string): readonly string[] {
  return PATH.split(':')
    .filter(isAbsolute)
    .map(directory => join(directory, name))
}

/** The real path of a program that can be run; `null`: there is none. */
function programAt(path: string): string | null {
  try {
    const real = realpathSync(path)
    if (!statSync(real).isFile()) return null
    accessSync(real, constants.X_OK)
    return real
  } catch {
    return null // It is not there, or not for us.
  }
}

/** `self`: the script that Node runs. The launchers stand beside it. */
function isOurs(program: string, self: string): boolean {
  return dirname(program) === dirname(self) && basename(program).startsWith('reprise')
}
