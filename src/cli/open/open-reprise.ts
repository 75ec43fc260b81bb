// Creates a local Reprise from the config. Only verbs that need it load this file.

import { FOUND_AGENTS } from '../../agents/known-agents.ts'
import type { LocalReprise } from '../../api.ts'
import type { Config } from '../../config/config.ts'
import { createReprise } from '../../reprise.ts'
import type { RepriseOptions } from '../../reprise-options.ts'
import type { OpenStore } from '../../store/contract/store.ts'
import { postgres } from '../../store/postgres/postgres.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { Io } from '../start/io.ts'
import { agentOf } from './configured-agents.ts'

export function openReprise(
  config: Config,
  io: Io,
  more: Partial<
    Pick<
      RepriseOptions,
      | 'keepQueue'
      | 'workers'
      | 'worker'
      | 'projectSettings'
      | 'dependencies'
      | 'telemetry'
      | 'warm'
      | 'store'
    >
  > = {},
): LocalReprise {
  return createReprise(repriseOptions(config, io, more))
}

export function repriseOptions(
  config: Config,
  io: Pick<Io, 'env'>,
  more: Partial<RepriseOptions> = {},
): RepriseOptions {
  return {
    store: storeOf(config.database),
    agents: config.agents.map(agentOf),
    knownAgents: Object.values(FOUND_AGENTS).map(make => make({})),
    defaultAgent: config.defaultAgent,
    resume: config.resume,
    questions: config.questions,
    sessions: config.sessions,
    vault: config.vault,
    ...(config.maxRunning !== undefined && { maxRunning: config.maxRunning }),
    limits: config.limits,
    checkpoints: config.checkpoints,
    workspaces: config.workspaces,
    host: config.host,
    worker: { labels: config.worker.labels, sharedRoots: config.worker.sharedRoots },
    ...(config.telemetry && { telemetry: config.telemetry }),
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
  }
}

/** `postgres` loads its driver only when the store is opened. */
function storeOf(database: Config['database']): OpenStore {
  return database.kind === 'postgres' ? postgres(database.url) : sqlite(database.path)
}
