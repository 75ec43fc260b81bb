// Finds an agent on this machine: executable, version, abilities. Reprise probes each binary once and caches the result.
import { isAbsolute, join } from 'node:path'
import type { Runtime } from '../../adapters/adapter.ts'
import type { AgentReport } from '../../api.ts'
import type { ProjectSettings } from '../../core/decide/settings.ts'
import { secretValues } from '../../core/secrets/redact.ts'
import type { FileStat } from '../../core/world.ts'
import { RepriseError } from '../../errors.ts'
import type { ProbeOutput } from '../../runner/runner.ts'
import type { Store } from '../../store/contract/store.ts'
import type { Agent, AgentConfig, Dependencies } from '../dependencies.ts'
import { canTrim } from '../sessions/can-trim.ts'
import { agentEnvironment, passedNames } from './environment.ts'

export async function findAgent(dependencies: Dependencies, name: string): Promise<Agent> {
  return findConfigured(dependencies, configOf(dependencies, name))
}

async function findConfigured(dependencies: Dependencies, config: AgentConfig): Promise<Agent> {
  const fullEnv = agentEnvironment(config, dependencies.environment)
  const program = await locate(dependencies, config)
  const secrets = secretValues({ ...dependencies.environment, ...config.env })
  return { ...config, fullEnv, secrets, runtime: await runtimeOf(dependencies, config, program) }
}

/** Gives the agent with the model that the project of the work dir chooses for it. */
export function inProject(agent: Agent, { models }: ProjectSettings): Agent {
  const model = Object.hasOwn(models, agent.name) ? models[agent.name] : undefined
  return model === undefined ? agent : { ...agent, model }
}

export function configOf(dependencies: Dependencies, name: string): AgentConfig {
  const config = dependencies.agents.get(name)
  if (config) return config
  const known = [...dependencies.agents.keys()].join(', ')
  throw new RepriseError(
    'not-found',
    `there is no agent named "${name}"`,
    `Known agents: ${known}. Add others under "agents" in config.yaml.`,
  )
}

export async function reportAgents(dependencies: Dependencies): Promise<readonly AgentReport[]> {
  const { agents, knownAgents } = dependencies
  const configured = new Set([...agents.values()].map(({ adapter }) => adapter.name))
  const others = knownAgents.filter(({ adapter }) => !configured.has(adapter.name))
  return Promise.all([
    ...[...agents.values()].map(config => reportOn(dependencies, config, true)),
    ...others.map(config => reportOn(dependencies, config, false)),
  ])
}

async function reportOn(
  dependencies: Dependencies,
  config: AgentConfig,
  configured: boolean,
): Promise<AgentReport> {
  const env = passedNames(config, dependencies.environment)
  const base = { name: config.name, adapter: config.adapter.name, configured, env }
  try {
    const agent = await findConfigured(dependencies, config)
    const { runtime, fullEnv } = agent
    const login = await config.adapter.findLogin?.(fullEnv, dependencies.files)
    return {
      ...base,
      executable: runtime.executable,
      found: true,
      version: runtime.version,
      abilities: runtime.abilities,
      quirks: runtime.quirks,
      writesSessions: canTrim(dependencies, agent),
      install: null,
      login: { state: login?.state ?? 'unknown', how: login?.how ?? null },
      problem: null,
      hint: configured ? (login?.hint ?? runtime.warning) : hintToConfigure(config),
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
      writesSessions: false,
      install: error.code === 'agent-missing' ? config.adapter.install : null,
      login: { state: 'unknown', how: null },
      problem: error.message,
      hint: error.hint,
    }
  }
}

/** The name of an agent that nobody configured is the name of its adapter. */
function hintToConfigure({ name, adapter }: AgentConfig): string {
  return `To use it, add it to config.yaml: agents: { ${name}: { adapter: ${adapter.name} } }`
}

type Program = { readonly executable: string; readonly stat: FileStat }

/** Gives the real path, so that two names for one program are one runtime. */
async function locate(dependencies: Dependencies, config: AgentConfig): Promise<Program> {
  const { executable } = config
  const places = isAbsolute(executable)
    ? [executable]
    : (dependencies.environment.PATH ?? '')
        .split(':')
        .filter(isAbsolute)
        .map(directory => join(directory, executable))
  for (const place of places) {
    const real = await dependencies.files.realpath(place)
    const stat = real === null ? null : await dependencies.files.stat(real)
    if (real === null || stat?.kind !== 'file') continue
    const program = (await config.adapter.programBehind?.(real, dependencies.files)) ?? real
    return { executable: program, stat: (await dependencies.files.stat(program)) ?? stat }
  }
  throw new RepriseError(
    'agent-missing',
    `agent "${config.name}": its program "${executable}" was not found`,
    isAbsolute(executable)
      ? `Check agents.${config.name}.executable in config.yaml.`
      : `Install it (${config.adapter.install}), put its directory on PATH, or set agents.${config.name}.executable in config.yaml.`,
  )
}

async function runtimeOf(
  dependencies: Dependencies,
  config: AgentConfig,
  { executable, stat }: Program,
): Promise<Runtime> {
  const { name, greeting } = config.adapter
  // Arguments may name the program that matters, such as a script of Node.
  const args = greeting ? [JSON.stringify(greeting.args)] : []
  const key = [name, executable, stat.sizeBytes, stat.modifiedMs, ...args].join('|')
  const known = await dependencies.store.cachedRuntime(key)
  // Parses the cached output each time: an earlier version of Reprise may have read other abilities and quirks from it.
  if (known?.printed) {
    return recognised(config, executable, { printed: known.printed, isWhole: true })
  }
  const runtime = await probedOnce(dependencies, key, () =>
    probe(dependencies, config, { executable, key }),
  )
  return { ...runtime, agent: config.name }
}

/** Probes under way, per store: a Reprise instance that closes must not break the probes of another one. */
const probing = new WeakMap<Store, Map<string, Promise<Runtime>>>()

/** Callers that ask for the same program share one probe: fifty callers start one, not fifty. */
function probedOnce(
  { store }: Dependencies,
  key: string,
  start: () => Promise<Runtime>,
): Promise<Runtime> {
  const ofStore = probing.get(store) ?? new Map<string, Promise<Runtime>>()
  probing.set(store, ofStore)
  const underWay = ofStore.get(key) ?? start().finally(() => ofStore.delete(key))
  ofStore.set(key, underWay)
  return underWay
}

async function probe(
  dependencies: Dependencies,
  config: AgentConfig,
  { executable, key }: { readonly executable: string; readonly key: string },
): Promise<Runtime> {
  const env = agentEnvironment(config, dependencies.environment)
  const outputs: ProbeOutput[] = []
  for (const args of config.adapter.probes) {
    outputs.push(await dependencies.runner.probe(executable, args, env))
  }
  const { greeting } = config.adapter
  if (greeting)
    outputs.push(await dependencies.runner.probe(executable, greeting.args, env, greeting))
  const isWhole = outputs.every(output => !output.outputCut)
  const printed = outputs.map(output => output.text)
  const runtime = recognised(config, executable, { printed, isWhole })
  // Does not cache a truncated output: an ability may be missing only because its line was cut off.
  if (isWhole) await dependencies.store.cacheRuntime(key, { ...runtime, printed })
  return runtime
}

type Printed = { readonly printed: readonly string[]; readonly isWhole: boolean }

function recognised(
  config: AgentConfig,
  executable: string,
  { printed, isWhole }: Printed,
): Runtime {
  const recognisedAs = config.adapter.recognise(printed)
  if ('problem' in recognisedAs) {
    const cut = isWhole ? '' : ' (a process that it left behind held its output, so it was cut off)'
    const line = [executable, ...(config.adapter.greeting?.args ?? [])].join(' ')
    const setting = `agents.${config.name}`
    throw new RepriseError(
      'agent-unusable',
      `agent "${config.name}": ${line} is not usable: ${recognisedAs.problem}${cut}`,
      `Check ${setting}.executable (or ${setting}.command) and ${setting}.adapter in config.yaml.`,
    )
  }
  const { version, abilities, quirks, warning } = recognisedAs
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
