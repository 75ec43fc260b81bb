// The tests that run against mutants of a layer: those beside its files, and the pure ones that stand elsewhere.
import { defineConfig } from 'vitest/config'

const [layer = 'core'] = (process.env.MUTANTS ?? 'core').split('/')

const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  core: ['src/shell/*.test.ts', 'test/redaction/*.test.ts'],
  store: ['test/conformance/store.test.ts'],
}

export default defineConfig({
  test: {
    include: [`src/${layer}/**/*.test.ts`, ...(ELSEWHERE[layer] ?? [])],
    exclude: [
      // It needs thousands of cases to see every action.
      'src/core/decide/coupling.test.ts',
      // It measures time, and a mutant that is built in takes some.
      'src/shell/judging-time.test.ts',
      // It sets the umask, which a thread cannot, and Stryker runs tests in threads.
      'src/store/sqlite/sqlite.test.ts',
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
