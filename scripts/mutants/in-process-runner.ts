// A test runner for Stryker that imports the tests once and then runs them for one mutant after another in the same process.
// Vitest starts a worker and imports everything anew for each mutant, which takes longer than most of our tests.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  type CompleteDryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import { type CollectedTest, collect, runFinishers, type Suite } from './in-process-vitest.ts'
import { testsOf } from './tests-of-layer.ts'

/** A test that hangs is given up after this much time and several times its own. */
const PATIENCE = { ms: 2_000, times: 5 }
const TICK_MS = 20
/** For a test that the first run did not know. */
const USUALLY_AT_MOST_MS = 2_000
/** How long the tests may take for one mutant, all in all: most of this time goes into mutants that survive. */
const ENOUGH_MS = Number(process.env.MUTANTS_ENOUGH_MS ?? 10_000)
/** The first run writes this for the other workers, into the copy of the project that Stryker makes and removes. */
const USUAL_TIMES = 'usual-times-of-tests.json'
const MUTATED = process.env.MUTANTS ?? 'core'

/** What tests get instead of these packages. */
const OURS: Readonly<Record<string, string>> = {
  vitest: new URL('./in-process-vitest.ts', import.meta.url).href,
  'fast-check': new URL('./fewer-cases.js', import.meta.url).href,
}

/** What instrumented code reads and writes. */
type Mutation = {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: CompleteDryRunResult['mutantCoverage']
}

type KnownTest = CollectedTest & { readonly id: string; readonly file: string }

class InProcessRunner implements TestRunner {
  #tests: readonly KnownTest[] = []
  readonly #usualMs = new Map<string, number>()
  readonly #kills = new Map<string, number>()
  readonly #mutation: Mutation = {}
  #restore: () => Promise<void> = async () => {}

  capabilities() {
    return { reloadEnvironment: false }
  }

  async init(): Promise<void> {
    Object.assign(globalThis, { __stryker__: this.#mutation })
    // What a mutant has left running may fail later, while another mutant is tested: that says nothing about either.
    process.on('unhandledRejection', () => {})
    process.on('uncaughtException', () => {})
    registerHooks({
      resolve: (name, context, next) =>
        OURS[name] !== undefined && context.parentURL !== OURS[name]
          ? { url: OURS[name], shortCircuit: true }
          : next(name, context),
    })
    const environment = await import(urlOf('test/hostile-environment.ts'))
    this.#restore = await environment.setup()
    const [layer = ''] = MUTATED.split('/')
    const { include: all, exclude = [], env, slow } = testsOf(layer)
    const include = process.env.MUTANTS_TESTS?.split(' ') ?? all
    Object.assign(process.env, env)
    // Stryker then sees which mutants are evaluated once, by an import: no later activation changes those.
    for (const file of globSync(`src/${layer}/**/*.ts`, { exclude: ['**/*.test.ts'] }))
      await import(urlOf(file))
    const tests: KnownTest[] = []
    for (const file of globSync([...include], { exclude: [...exclude] }).toSorted()) {
      const collected = await collect(() => import(urlOf(file)))
      const quick = collected.filter(({ name }) => !slow.some(words => name.includes(words)))
      tests.push(...quick.map(test => ({ ...test, file, id: `${file}#${nameOf(test)}` })))
    }
    this.#tests = tests
  }

  async dryRun(): Promise<CompleteDryRunResult> {
    const results = await this.#run(this.#tests, 'to-the-end')
    const tests = results.filter(({ status }) => status === TestStatus.Success)
    const failed = results.filter(test => !tests.includes(test))
    // A scenario may need an agent that is a program. `npm test` is the place where a test must not fail.
    if (failed.length > 0) console.error(`left out, because they fail here:\n${wordsOf(failed)}`)
    writeFileSync(
      USUAL_TIMES,
      JSON.stringify(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs])),
    )
    const { mutantCoverage } = this.#mutation
    for (const { id } of failed) delete mutantCoverage?.perTest[id]
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const chosen = new Set(options.testFilter ?? this.#tests.map(({ id }) => id))
    const mutation = this.#mutation
    mutation.activeMutant = options.activeMutant.id
    mutation.hitCount = 0
    mutation.hitLimit = options.hitLimit
    const covering = this.#tests.filter(({ id }) => chosen.has(id))
    const tests = await this.#run(this.#worthRunning(covering), 'until-one-fails')
    mutation.activeMutant = undefined
    const last = tests.at(-1)
    if (last?.status === TestStatus.Failed)
      this.#kills.set(last.id, (this.#kills.get(last.id) ?? 0) + 1)
    const limit = determineHitLimitReached(mutation.hitCount, options.hitLimit)
    return toMutantRunResult(limit ?? { status: DryRunStatus.Complete, tests })
  }

  async dispose(): Promise<void> {
    await this.#restore()
  }

  /** As many tests as there is time for. Quick ones come first, and those that killed mutants before: most mutants die soon. */
  #worthRunning(tests: readonly KnownTest[]): readonly KnownTest[] {
    if (this.#usualMs.size === 0) {
      const times: [string, number][] = JSON.parse(readFileSync(USUAL_TIMES, 'utf8'))
      for (const [id, ms] of times) this.#usualMs.set(id, ms)
    }
    const usualMs = ({ id }: KnownTest) => this.#usualMs.get(id) ?? USUALLY_AT_MOST_MS
    const isBeside = ({ file }: KnownTest) => file.startsWith(`src/${MUTATED}/`)
    const cost = (test: KnownTest) =>
      usualMs(test) / (1 + (this.#kills.get(test.id) ?? 0) + (isBeside(test) ? 1 : 0))
    let totalMs = 0
    return tests
      .toSorted((a, b) => cost(a) - cost(b))
      .filter(test => {
        totalMs += usualMs(test)
        return totalMs <= ENOUGH_MS
      })
  }

  async #run(tests: readonly KnownTest[], how: 'to-the-end' | 'until-one-fails') {
    const results: TestResult[] = []
    const open: Suite[] = []
    let failure: unknown = null
    for (const test of tests) {
      const suites = suitesOf(test.suite)
      failure = await failureOf(async () => {
        for (const suite of suites.filter(one => !open.includes(one))) {
          open.push(suite)
          for (const run of suite.beforeAll) await run()
        }
      })
      results.push(await this.#result(test, failure))
      if (how === 'until-one-fails' && results.at(-1)?.status === TestStatus.Failed) break
    }
    await failureOf(() => close(open))
    return results
  }

  async #result(test: KnownTest, before: unknown): Promise<TestResult> {
    const { id, file, name } = test
    const startedMs = performance.now()
    this.#mutation.currentTestId = id
    const usualMs = this.#usualMs.get(id) ?? USUALLY_AT_MOST_MS
    const isFirst = this.#mutation.activeMutant === undefined
    const limitMs = isFirst ? Number.POSITIVE_INFINITY : PATIENCE.ms + PATIENCE.times * usualMs
    const failure = before ?? (await failureOf(() => within(limitMs, runOne(test))))
    this.#mutation.currentTestId = undefined
    const timeSpentMs = performance.now() - startedMs
    const result = { id, name, fileName: resolve(file), timeSpentMs }
    return failure === null
      ? { ...result, status: TestStatus.Success }
      : { ...result, status: TestStatus.Failed, failureMessage: String(failure) }
  }
}

function wordsOf(failed: readonly TestResult[]): string {
  return failed
    .map(test => `${test.name}: ${'failureMessage' in test ? test.failureMessage : ''}`)
    .join('\n')
}

async function runOne({ suite, run }: KnownTest): Promise<void> {
  const suites = suitesOf(suite)
  let failure: unknown = await failureOf(async () => {
    for (const before of suites.flatMap(one => one.beforeEach)) await before()
    await run()
  })
  for (const after of [...suites.toReversed().flatMap(one => one.afterEach), runFinishers])
    failure ??= await failureOf(async () => after())
  if (failure !== null) throw failure
}

/** Counts ticks of this process instead of time, which also passes while a busy machine does not run us. */
async function within(limitMs: number, running: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks * TICK_MS > limitMs) late.reject(new Error('the test hangs'))
  }, TICK_MS)
  await Promise.race([running, late.promise]).finally(() => clearInterval(timer))
}

/** A suite that only cleans up at its end made its things when it was imported, and needs them for the next mutant. */
async function close(open: readonly Suite[]): Promise<void> {
  for (const suite of open.toReversed())
    if (suite.beforeAll.length > 0) for (const run of suite.afterAll) await run()
}

async function failureOf(act: () => Promise<unknown>): Promise<unknown> {
  try {
    await act()
    return null
  } catch (error) {
    return error ?? 'undefined was thrown'
  }
}

function suitesOf(suite: Suite): readonly Suite[] {
  return suite.parent ? [...suitesOf(suite.parent), suite] : [suite]
}

function nameOf({ suite, name }: CollectedTest): string {
  return [...suitesOf(suite).map(one => one.name), name].filter(part => part !== '').join(' > ')
}

function urlOf(path: string): string {
  return pathToFileURL(resolve(path)).href
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner),
]
