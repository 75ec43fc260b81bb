// Finds an agent on this machine: executable, version, abilities. Probed once per binary, then remembered.
import { isAbsolute, join } from 'node:path'
import type { Runtime } from '../adapters/adapter.ts'
import type { AgentReport } from '../api.ts'
import type { FileStat } from '../core/world.ts'
import { RepriseError } from '../errors.ts'
import { agentEnvironment } from './environment.ts'
import type { Agent, AgentConfig, Parts, ProjectSettings } from './parts.ts'

export async function findAgent(parts: Parts, name: string): Promise<Agent> {
  const config = configOf(parts, name)
  const fullEnv = agentEnvironment(config, parts.environment)
  const program = await locate(parts, config)
  return { ...config, fullEnv, runtime: await runtimeOf(parts, config, program) }
}

/** With the model that the project of the work dir chooses for it. */
export function inProject(agent: Agent, { models }: ProjectSettings): Agent {
  const model = Object.hasOwn(models, agent.name) ? models[agent.name] : undefined
  return model === undefined ? agent : { ...agent, model }
}

export function configOf(parts: Parts, name: string): AgentConfig {
  const config = parts.agents.get(name)
  if (config) return config
  const known = [...parts.agents.keys()].join(', ')
  throw new RepriseError(
    'not-found',
    `there is no agent named "${name}"`,
    `Known agents: ${known}. Add others under "agents" in config.yaml.`,
  )
}

export async function reportAgents(parts: Parts): Promise<readonly AgentReport[]> {
  return Promise.all([...parts.agents.values()].map(config => reportOn(parts, config)))
}

async function reportOn(parts: Parts, config: AgentConfig): Promise<AgentReport> {
  const base = { name: config.name, adapter: config.adapter.name }
  try {
    const { runtime } = await findAgent(parts, config.name)
    return {
      ...base,
      executable: runtime.executable,
      found: true,
      version: runtime.version,
      abilities: runtime.abilities,
      quirks: runtime.quirks,
      problem: null,
      hint: runtime.warning,
    }
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return {
      ...base,
      executable: config.executable,
      found: false,
      version: null,
      abilities: {},
      quirks: [],
      problem: error.message,
      hint: error.hint,
    }
  }
}

type Program = { readonly executable: string; readonly stat: FileStat }

/** The real path: two names for one program are one runtime. */
async function locate(parts: Parts, config: AgentConfig): Promise<Program> {
  const { executable } = config
  const places = isAbsolute(executable)
    ? [executable]
    : (parts.environment.PATH ?? '')
        .split(':')
        .filter(isAbsolute)
        .map(directory => join(directory, executable))
  for (const place of places) {
    const real = await parts.files.realpath(place)
    const stat = real === null ? null : await parts.files.stat(real)
    if (real !== null && stat?.kind === 'file') return { executable: real, stat }
  }
  throw new RepriseError(
    'agent-missing',
    `agent "${config.name}": its program "${executable}" was not found`,
    isAbsolute(executable)
      ? 'Check agents.<name>.executable in config.yaml.'
      : 'Install it, put its directory on PATH, or set agents.<name>.executable in config.yaml.',
  )
}

async function runtimeOf(
  parts: Parts,
  config: AgentConfig,
  { executable, stat }: Program,
): Promise<Runtime> {
  const key = [config.adapter.name, executable, stat.sizeBytes, stat.modifiedMs].join('|')
  const known = await parts.store.cachedRuntime(key)
  if (known) return { ...known, agent: config.name }
  const probed = await probe(parts, config, executable)
  await parts.store.cacheRuntime(key, probed)
  return probed
}

async function probe(parts: Parts, config: AgentConfig, executable: string): Promise<Runtime> {
  const env = agentEnvironment(config, parts.environment)
  const outputs: string[] = []
  for (const args of config.adapter.probes) {
    outputs.push(await parts.runner.probe(executable, args, env))
  }
  const recognised = config.adapter.recognise(outputs)
  if ('problem' in recognised) {
    throw new RepriseError(
      'agent-unusable',
      `agent "${config.name}": ${executable} is not usable: ${recognised.problem}`,
      'Check agents.<name>.executable and agents.<name>.adapter in config.yaml.',
    )
  }
  const { version, abilities, quirks, warning } = recognised
  const can = Object.entries(abilities).flatMap(([ability, has]) => (has ? [ability] : []))
  return {
    agent: config.name,
    executable,
    version,
    abilities,
    quirks,
    warning,
    fingerprint: `${executable} ${version} (${can.join(', ')})`,
  }
}
