import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// The random programmes with large counts (`npm test` runs them with small ones), the scenarios of the real agents on the
// fake agent, in the dialects of both versions, and those on the older real agent that `npm test` runs on the newest only.
export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    globalSetup: 'test/hostile-environment.ts',
    env: { REPRISE_STORM: '1' },
    include: [
      'test/fakes/*.test.ts',
      'test/real-agents/older-version/*.test.ts',
      'src/core/decide/coupling.test.ts',
      'src/core/conversation/data-block.test.ts',
      'src/daemon/events/event-stream.test.ts',
      'test/e2e/http/hostile.test.ts',
      'test/e2e/daemon/kill.test.ts',
      'test/faults/{fence,lost-replies,sequences,swapped-work-dir}.test.ts',
      'test/faults/kill-*.test.ts',
    ],
    testTimeout: 1_800_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 600_000,
  },
})
