// Properties draw few cases while mutants are tested: each mutant costs one run of the tests.
import { vi } from 'vitest'

vi.mock('fast-check', async original => {
  const real = await original<typeof import('fast-check')>()
  const assert = (...[property, options]: Parameters<typeof real.assert>) =>
    real.assert(property, { ...options, numRuns: Math.min(200, options?.numRuns ?? 100) })
  return { ...real, assert, default: { ...real.default, assert } }
})
