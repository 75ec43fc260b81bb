// The tests that the in-process runner runs against mutants of a layer: those beside its files, and those of `test` that start no
// program. Random programmes draw few cases, always the same.

type LayerTests = {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Words in the titles of tests that take too long. */
  readonly slow: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const LAYERS: Readonly<Record<string, LayerTests>> = {
  core: {
    include: ['src/core/**/*.test.ts', 'src/shell/*.test.ts', 'test/redaction/*.test.ts'],
    exclude: [
      // It needs thousands of cases to see every action.
      'src/core/decide/coupling.test.ts',
      // It measures time, and a mutant that is built in takes some.
      'src/shell/judging-time.test.ts',
    ],
    slow: [],
    env: { REPRISE_HOSTILE_TEXTS: '50', REPRISE_FORGED_CONVERSATIONS: '2' },
  },
  store: {
    include: ['src/store/**/*.test.ts', 'test/conformance/store-file.test.ts'],
    slow: [],
    env: {},
  },
  flows: {
    include: [
      'src/flows/**/*.test.ts',
      'src/provider/execute-query.test.ts',
      'test/faults/late-answers.test.ts',
      'test/simulated/*-scenarios.ts',
    ],
    slow: [
      'removed in the moment its run ends',
      'holds for 100 turns at once',
      // These scenarios wait for an agent that is a program.
      'by its time limit',
      'a schedule starts chains again and again',
      'attempts that worked and did not finish are capped',
      'a question that is cancelled is never answered by accident',
    ],
    env: {},
  },
}

export function testsOf(layer: string): LayerTests {
  const tests = LAYERS[layer]
  if (tests) return tests
  throw new Error(`no tests are named for mutants of ${layer}`)
}
