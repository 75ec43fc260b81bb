// The real programs of other agents: `npm run test:agents` installs them (1.8 GB) and runs these tests.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'other-agents',
    include: ['test/other-agents/*.test.ts'],
    globalSetup: 'test/hostile-environment.ts',
    // A test ends by itself. The limit is for one that hangs; some of these programs take half a minute to start on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Each program takes a core and up to half a gigabyte.
    maxWorkers: 2,
  },
})
