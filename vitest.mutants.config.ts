// The tests that run against mutants of core: those beside its files, and the pure ones that stand elsewhere.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/core/**/*.test.ts', 'src/shell/*.test.ts', 'test/redaction/*.test.ts'],
    exclude: [
      // It needs thousands of cases to see every action.
      'src/core/decide/coupling.test.ts',
      // It measures time, and a mutant that is built in takes some.
      'src/shell/judging-time.test.ts',
    ],
    // Each mutant costs one run of the tests, so the random programmes draw few cases.
    env: {
      REPRISE_HOSTILE_TEXTS: '50',
      REPRISE_FORGED_CONVERSATIONS: '2',
    },
    globalSetup: 'test/hostile-environment.ts',
    setupFiles: ['./scripts/mutants/fewer-cases.ts'],
    testTimeout: 60_000,
  },
})
