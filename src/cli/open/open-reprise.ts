// Creates a local Reprise from the config. Only verbs that need it load this file.
import type { LocalReprise } from '../../api.ts'
import { claudeCode } from '../../claude-code.ts'
import type { AgentSettings, Config } from '../../config/config.ts'
import { RepriseError } from '../../errors.ts'
import { createReprise } from '../../reprise.ts'
import type { RepriseOptions } from '../../reprise-options.ts'
import type { OpenStore } from '../../store/contract/store.ts'
import { postgres } from '../../store/postgres/postgres.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { Io } from '../start/io.ts'

/** The name of an adapter in the config → the function that makes an agent of it. */
const ADAPTERS: Readonly<Record<string, typeof claudeCode>> = { 'claude-code': claudeCode }

export function openReprise(
  config: Config,
  io: Io,
  more: Pick<RepriseOptions, 'keepQueue' | 'workers' | 'projectSettings' | 'dependencies'> = {},
): LocalReprise {
  return createReprise({
    store: storeOf(config.database),
    agents: config.agents.map(agentOf),
    defaultAgent: config.defaultAgent,
    resume: config.resume,
    questions: config.questions,
    sessions: config.sessions,
    ...(config.maxRunning !== undefined && { maxRunning: config.maxRunning }),
    checkpoints: config.checkpoints,
    dataDir: config.home,
    environment: io.env,
    // By default, a verb leaves jobs to the daemon.
    workers: 0,
    findPolicy: async name => {
      const { readNamedPolicy } = await import('../../config/read-policy.ts')
      return readNamedPolicy(config.policies, name)
    },
    listPolicies: async () => {
      const { listNamedPolicies } = await import('../../config/read-policy.ts')
      return listNamedPolicies(config.policies)
    },
    ...more,
  })
}

/** `postgres` loads its driver only when the store is opened. */
function storeOf(database: Config['database']): OpenStore {
  return database.kind === 'postgres' ? postgres(database.url) : sqlite(database.path)
}

function agentOf({ adapter, ...settings }: AgentSettings) {
  const make = Object.hasOwn(ADAPTERS, adapter) ? ADAPTERS[adapter] : undefined
  if (make) return make(settings)
  throw new RepriseError(
    'bad-config',
    `agent \`${settings.name}\`: there is no adapter \`${adapter}\``,
    `adapters: ${Object.keys(ADAPTERS).join(', ')}; set agents.${settings.name}.adapter in config.yaml`,
  )
}
