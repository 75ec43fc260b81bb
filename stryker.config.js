// `MUTANTS=store npm run test:mutants`: one layer at a time, each with its own tests, as those of flows reach everything.
// `MUTANTS=core/money` names a room: its mutants, and the tests of the whole layer.
const part = process.env.MUTANTS ?? 'core'
const [layer] = part.split('/')

export default {
  testRunner: 'vitest-5',
  plugins: ['./scripts/mutants/vitest-5-runner.js'],
  vitest: { configFile: 'vitest.mutants.config.ts', related: true },
  mutate: [
    `src/${part}/**/*.ts`,
    '!src/**/*.test.ts',
    '!src/store/sql/migrations/**',
    '!src/core/job/retry-day.ts',
  ],
  ignorePatterns: ['dist', 'test/real-agents/node_modules', 'test/generated-client/node_modules'],
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `reports/mutants-${layer}.json`,
  concurrency: 2,
  reporters: ['clear-text', 'progress'],
  // Stryker would read the real one with the API of TypeScript, which TypeScript 7 does not have.
  tsconfigFile: 'no-such-file.json',
}
