// Looks for everything that is wrong with the config: each file line by line, what they say together, and the policies they name.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Policy } from '../core/chain/policy.ts'
import { RepriseError } from '../errors.ts'
import {
  type AgentSettings,
  type Config,
  type ConfigSource,
  findProjectFile,
  loadConfig,
} from './config.ts'
import { homeDirectory } from './home.ts'
import { type FileProblem, keyLines, problemsIn } from './read-file.ts'
import { listNamedPolicies } from './read-policy.ts'
import { projectSchema, userSchema } from './schema.ts'

export type ConfigProblem = Omit<FileProblem, 'line' | 'key'> & {
  /** `null`: not one file is wrong, but the environment, or what the files say together. */
  readonly file: string | null
  readonly line: number | null
  readonly key: string | null
}

export type CheckedConfig = {
  /** The files that were read. */
  readonly files: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** What a setting of an agent is, which its adapter does not take. */
export type AgentProblem = {
  readonly setting: keyof AgentSettings
  readonly message: string
  readonly hint: string
}

/** What only the adapters know. */
export type ConfigJudge = {
  /** Says which setting the adapter of an agent does not take. */
  agent(settings: AgentSettings): AgentProblem | null
  /** Says why the agents of the config cannot be held to a policy. */
  policy(policy: Policy, config: Config): string | null
}

export async function checkConfig(
  source: ConfigSource,
  judge: ConfigJudge,
): Promise<CheckedConfig> {
  const userPath = join(homeDirectory(source.env), 'config.yaml')
  const projectPath = findProjectFile(source.cwd)
  const files = [...(existsSync(userPath) ? [userPath] : []), ...(projectPath ? [projectPath] : [])]
  const inFiles = files.flatMap(file =>
    problemsOfFile(file, file === userPath ? 'user' : 'project'),
  )
  if (inFiles.length > 0) return { files, problems: inFiles }
  return { files, problems: await problemsTogether(source, judge) }
}

/** The problems of one file alone. */
export function problemsOfFile(file: string, whose: 'user' | 'project'): readonly ConfigProblem[] {
  const schema = whose === 'user' ? userSchema : projectSchema
  return problemsIn(file, schema).map(problem => ({ ...problem, file }))
}

async function problemsTogether(
  source: ConfigSource,
  judge: ConfigJudge,
): Promise<readonly ConfigProblem[]> {
  try {
    const config = await loadConfig(source)
    const ofAgents = problemsOfAgents(config, judge)
    // A policy is judged by its agents, so they come first.
    if (ofAgents.length > 0) return ofAgents
    return listNamedPolicies(config.policies).flatMap(found => {
      const problem = 'problem' in found ? found.problem : judge.policy(found.policy, config)
      if (problem === null) return []
      const hint = 'Run `reprise policies check` on that file, or take its name out of `policies`.'
      const message = `policy ${found.name}: ${problem}`
      return [{ file: null, line: null, key: `policies.${found.name}`, message, hint }]
    })
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    const { message, hint } = error
    return [{ file: null, line: null, key: null, message, hint }]
  }
}

function problemsOfAgents({ agents, files }: Config, judge: ConfigJudge): readonly ConfigProblem[] {
  return agents.flatMap(settings => {
    const problem = judge.agent(settings)
    if (problem === null) return []
    const { setting, message, hint } = problem
    const keys = ['agents', settings.name, setting]
    // A project wins over the user, and a setting that nobody wrote is missing from the agent.
    const places = [keys, keys.slice(0, -1)].flatMap(path =>
      files.toReversed().map(file => ({ file, line: keyLines(file)(path) })),
    )
    const place = places.find(({ line }) => line !== null) ?? { file: null, line: null }
    return [{ ...place, key: keys.join('.'), message, hint }]
  })
}
