// The tests that the in-process runner runs against mutants of a layer: those beside its files, and those of `test` that start no
// program. Random programmes draw few cases, always the same.

type LayerTests = {
  readonly include: readonly string[]
  /** Words in the titles of tests that take too long for each mutant. */
  readonly slow: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const LAYERS: Readonly<Record<string, LayerTests>> = {
  store: {
    include: ['src/store/**/*.test.ts', 'test/conformance/store-file.test.ts'],
    slow: [],
    env: {},
  },
  flows: {
    include: [
      'src/flows/**/*.test.ts',
      'src/provider/execute-query.test.ts',
      'test/faults/sequences.test.ts',
    ],
    slow: ['the fake agent as a program', 'removed in the moment its run ends'],
    env: { REPRISE_SEQUENCES: '40', REPRISE_PROGRAM_SEQUENCES: '0', REPRISE_SEED: '1' },
  },
}

export function testsOf(layer: string): LayerTests {
  const tests = LAYERS[layer]
  if (tests) return tests
  throw new Error(`no tests are named for mutants of ${layer}`)
}
