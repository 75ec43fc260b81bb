// The tests that run against mutants of a layer: those beside its files, and for the store its conformance suite.
import { defineConfig } from 'vitest/config'

const layer = process.env.MUTANTS ?? 'core'

export default defineConfig({
  test: {
    include: [
      `src/${layer}/**/*.test.ts`,
      ...(layer === 'store' ? ['test/conformance/store.test.ts'] : []),
    ],
    // Two take seconds for each mutant; the last sets the umask, which a thread cannot, and Stryker runs tests in threads.
    exclude: [
      'src/core/decide/coupling.test.ts',
      'src/core/conversation/data-block.test.ts',
      'src/store/sqlite/sqlite.test.ts',
    ],
    globalSetup: 'test/hostile-environment.ts',
    setupFiles: ['./scripts/mutants/fewer-cases.ts'],
    testTimeout: 60_000,
  },
})
