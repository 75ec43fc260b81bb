import { expect, test } from 'vitest'
import { defaultMaxRunning } from './max-running.ts'

const GB = 1024 ** 3

test.each([
  { cores: 2, memoryBytes: 24 * GB, running: 8, why: 'four per core' },
  { cores: 64, memoryBytes: 16 * GB, running: 27, why: 'as many as fit into half of the memory' },
  { cores: 1, memoryBytes: GB / 2, running: 2, why: 'two on the smallest machine' },
])('U-3 by default $running turns run at a time on $cores cores: $why', machine => {
  expect(defaultMaxRunning(machine)).toBe(machine.running)
})
