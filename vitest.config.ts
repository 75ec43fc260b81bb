import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// unit: seconds, beside their files. The rest starts real programs and takes minutes.
const project = (name: string, include: string[], timeoutMs: number) => ({
  test: {
    name,
    include,
    globalSetup: 'test/hostile-environment.ts',
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
})

export default defineConfig({
  test: {
    // Vitest would leave one core free, which is half of a machine with two.
    maxWorkers: availableParallelism(),
    projects: [
      project(
        'unit',
        ['{src,web}/**/*.test.ts', 'test/{architecture,patterns,redaction}/*.test.ts'],
        60_000,
      ),
      project('conformance', ['test/conformance/**/*.test.ts'], 60_000),
      project('e2e', ['test/e2e/**/*.test.ts'], 120_000),
      project('faults', ['test/{faults,upgrades}/**/*.test.ts'], 600_000),
      project('real-agents', ['test/real-agents/*.test.ts'], 180_000),
    ],
  },
})
