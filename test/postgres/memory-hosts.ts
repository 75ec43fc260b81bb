// Hosts in the test's own process that share one PostgreSQL: each has agents and an id of its own. Files that are simulated have no
// vault, so hosts that shall find each other's sessions share their files. Other tests show that sessions travel.
import type { LocalReprise } from '../../src/api.ts'
import { claudeCode, createReprise, type OpenStore, postgres } from '../../src/index.ts'
import type { RepriseOptions } from '../../src/reprise-options.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { createFakeRunner } from '../../src/testing/fake-runner.ts'
import { smallWorld } from '../../src/testing/in-process-agent.ts'
import type { MemoryFiles } from '../../src/testing/memory-files.ts'

export type MemoryHostOptions = Pick<RepriseOptions, 'workers' | 'keepQueue' | 'maxRunning'> & {
  readonly script: FakeScript
  /** What the host reaches; default: the database itself. */
  readonly store?: OpenStore
  /** Default: its own. */
  readonly files?: MemoryFiles
}

/** `/project` is a directory that all hosts have under the same path. */
export async function memoryHost(
  url: string,
  name: string,
  { script, store = postgres(url), files: shared, ...options }: MemoryHostOptions,
): Promise<LocalReprise> {
  const files = shared ?? (await smallWorld())
  return createReprise({
    store,
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    host: name,
    worker: { sharedRoots: ['/project'], labels: [] },
    timing: { renewMs: 50, queuePollMs: 5, eventBatchMs: 2, followPollMs: 20 },
    dependencies: { files, runner: createFakeRunner({ files, script, hangs: 'until-stopped' }) },
    workers: 0,
    ...options,
  })
}
