// Where each setting comes from: a flag, the environment, the project's file, the user's file, or the default.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, type ConfigSource, findProjectFile, loadConfig } from './config.ts'
import { homeDirectory } from './home.ts'
import { keyLines, readProjectFile, readUserFile } from './read-file.ts'
import { variableOf } from './variables.ts'

export type Origin = 'flag' | 'env' | 'project' | 'user' | 'default'

export type Setting = {
  /** For example `resume.contextThreshold`. */
  readonly key: string
  readonly value: unknown
  readonly from: Origin
  /** The file with the line, or the variable; `null` for a default. */
  readonly where: string | null
}

/** Values of these may be secret: only their names are shown. */
const HIDDEN = '(hidden)'

type Layer = {
  readonly has: (keys: readonly string[]) => boolean
  where(keys: readonly string[]): string
}

export async function explainConfig(source: ConfigSource): Promise<readonly Setting[]> {
  const { env, cwd } = source
  const config = await loadConfig(source)
  const userPath = join(config.home, 'config.yaml')
  const projectPath = findProjectFile(cwd)
  const user = existsSync(userPath) ? layerOf(userPath, readUserFile(userPath)) : NO_LAYER
  const project =
    projectPath === null ? NO_LAYER : layerOf(projectPath, readProjectFile(projectPath))
  const originOf = (keys: readonly string[]): Pick<Setting, 'from' | 'where'> => {
    const variable = variableOf(keys, env)
    if (variable !== null) return { from: 'env', where: variable }
    // A repository must not replace a policy that the user knows by name.
    const order = keys[0] === 'policies' ? USER_FIRST : PROJECT_FIRST
    const from = order.find(name => ({ user, project })[name].has(keys))
    return from === undefined
      ? { from: 'default', where: null }
      : { from, where: { user, project }[from].where(keys) }
  }
  return [
    { key: 'home', value: config.home, ...homeOrigin(env) },
    ...leavesOf(config).map(({ keys, value }) => ({
      key: keys.join('.'),
      value,
      ...originOf(keys),
    })),
  ]
}

const PROJECT_FIRST = ['project', 'user'] as const
const USER_FIRST = ['user', 'project'] as const
const NO_LAYER: Layer = { has: () => false, where: () => '' }

function layerOf(path: string, file: object): Layer {
  const lineOf = keyLines(path)
  return {
    has: keys => hasKey(file, keys),
    where: keys => {
      const line = lineOf(keys)
      return line === null ? path : `${path}:${line}`
    },
  }
}

function hasKey(value: unknown, keys: readonly string[]): boolean {
  const [first, ...rest] = keys
  if (first === undefined) return value !== undefined
  if (value === null || typeof value !== 'object') return false
  return Object.hasOwn(value, first) && hasKey(Reflect.get(value, first), rest)
}

function homeOrigin(env: ConfigSource['env']): Pick<Setting, 'from' | 'where'> {
  if (env.REPRISE_HOME) return { from: 'env', where: 'REPRISE_HOME' }
  const isXdg = homeDirectory(env) !== homeDirectory({ ...env, XDG_DATA_HOME: undefined })
  return isXdg ? { from: 'env', where: 'XDG_DATA_HOME' } : { from: 'default', where: null }
}

type Leaf = { readonly keys: readonly string[]; readonly value: unknown }

function leavesOf(config: Config): readonly Leaf[] {
  const { home: _, files: __, agents, policies, database, ...rest } = config
  const ofAgents = agents.flatMap(({ name, env, ...settings }) => [
    ...leavesIn(settings, ['agents', name]),
    ...Object.keys(env).map(variable => ({
      keys: ['agents', name, 'env', variable],
      value: HIDDEN,
    })),
  ])
  const ofPolicies = Object.entries(policies).map(([name, { path }]) => {
    return { keys: ['policies', name], value: path }
  })
  // Its URL may hold a password.
  const ofDatabase = { keys: ['database'], value: database.place }
  return [ofDatabase, ...leavesIn(rest, []), ...ofAgents, ...ofPolicies]
}

/** A list is one value. */
function leavesIn(value: unknown, keys: readonly string[]): readonly Leaf[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ keys, value }]
  return Object.entries(value).flatMap(([key, inner]) => leavesIn(inner, [...keys, key]))
}
