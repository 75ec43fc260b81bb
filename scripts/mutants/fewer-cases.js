// What test files get as `fast-check` while mutants are tested: properties draw few cases, because each mutant costs one run of the tests.
import * as real from 'fast-check'

const MOST_CASES = 200

function assert(property, options) {
  const numRuns = Math.min(MOST_CASES, options?.numRuns ?? 100)
  return real.assert(property, { ...options, numRuns })
}

export * from 'fast-check'
export { assert }
// biome-ignore lint/style/noDefaultExport: tests import fast-check by its default export
export default { ...real.default, assert }
