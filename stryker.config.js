// `MUTANTS=store npm run test:mutants`: one layer at a time, each with its own tests, as those of flows reach everything.
// `MUTANTS=core/money` names a room: its mutants, and the tests of the whole layer.
const part = process.env.MUTANTS ?? 'core'

export default {
  testRunner: 'in-process',
  // Only for a mutant that never gives the processor back: the runner gives up hanging tests by itself.
  timeoutMS: 60_000,
  // The first run of all tests of flows takes half a minute, and far longer beside other work.
  dryRunTimeoutMinutes: 60,
  plugins: ['./scripts/mutants/in-process-runner.ts'],
  incrementalFile: `reports/mutants-${part.replaceAll('/', '-')}.json`,
  mutate: [
    `src/${part}/**/*.ts`,
    '!src/**/*.test.ts',
    '!src/store/sql/migrations/**',
    '!src/core/job/retry-day.ts',
  ],
  ignorePatterns: [
    'dist',
    'reports',
    'test/real-agents/node_modules',
    'test/generated-client/node_modules',
    'test/other-nodes/node_modules',
  ],
  ignoreStatic: true,
  incremental: true,
  concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 2),
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { logTests: false, reportTests: false },
  // Stryker would read the real one with the API of TypeScript, which TypeScript 7 does not have.
  tsconfigFile: 'no-such-file.json',
}
