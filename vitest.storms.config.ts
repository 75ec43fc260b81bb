import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], env: Record<string, string>) => ({
  test: {
    name,
    include,
    env,
    globalSetup: 'test/hostile-environment.ts',
    testTimeout: 1_800_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 600_000,
  },
})

// The random programmes with large counts (`npm test` runs them with small ones), the scenarios of the real agents on the
// fake agent, in the dialects of both versions, those on the older real agent that `npm test` runs on the newest only, and those
// on the newest real agent that `npm test` runs on the fake one because Reprise decides them alone.
const STORMS = [
  'test/fakes/*.test.ts',
  'test/real-agents/*/*.test.ts',
  'test/real-agents/{doctored-sessions,warm}.test.ts',
  'src/adapters/claude-code/session/doctor.test.ts',
  'src/core/decide/coupling.test.ts',
  'src/flows/thread-files/hostile-files.test.ts',
  'src/core/conversation/data-block.test.ts',
  'src/daemon/events/event-stream.test.ts',
  'test/e2e/http/hostile.test.ts',
  'test/e2e/browser/browser-attacks.test.ts',
  'test/e2e/library/packed-package.test.ts',
  'test/e2e/daemon/kill.test.ts',
  'test/faults/{chaos,fence,lost-replies,sequences,swapped-work-dir,warm-sequences}.test.ts',
  'test/faults/kill-*.test.ts',
  'test/conformance/store-copy.test.ts',
]

// The scenarios of threads, chains and jobs, the tests of the HTTP API, and of the command line those about threads, chains and jobs,
// with a store in PostgreSQL. test/README.md says why the others are not here.
const ON_POSTGRES = [
  'test/fakes/{chains,jobs,threads}.test.ts',
  'test/e2e/http/{adopt,chains,job-events,jobs,socket,thread-files}.test.ts',
  'test/e2e/cli/{chains,job-logs,jobs,stop,thread-files,verbs}.test.ts',
  'test/e2e/library/{provider,threads-capture,threads-fallback}.test.ts',
]

export default defineConfig({
  test: {
    // Most of these wait for other processes most of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      project('storms', STORMS, { REPRISE_STORM: '1' }),
      project('postgres', ON_POSTGRES, { REPRISE_TEST_STORE: 'postgres' }),
    ],
  },
})
