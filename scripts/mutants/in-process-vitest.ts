// What test files get as `vitest` while mutants are tested: it collects tests instead of running them, so that one process
// can run them many times. `expect` is the real one.
import { format } from 'node:util'
import { expect as realExpect } from 'vitest'

type Run = () => unknown
type Body = (...args: never[]) => unknown

export type Suite = {
  readonly name: string
  readonly parent: Suite | null
  readonly beforeAll: Run[]
  readonly afterAll: Run[]
  readonly beforeEach: Run[]
  readonly afterEach: Run[]
}

export type CollectedTest = {
  readonly name: string
  readonly suite: Suite
  readonly run: Run
}

const POLL_MS = 10
const POLL_LIMIT_MS = 1_000

let suite: Suite = newSuite('', null)
let collected: CollectedTest[] = []
let finishers: Run[] = []

/** The tests that a file defines while `load` imports it. */
export async function collect(load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  suite = newSuite('', null)
  collected = []
  await load()
  return collected
}

export async function runFinishers(): Promise<void> {
  const due = finishers.reverse()
  finishers = []
  for (const finish of due) await finish()
}

export const beforeAll = (run: Run) => void suite.beforeAll.push(run)
export const afterAll = (run: Run) => void suite.afterAll.unshift(run)
export const beforeEach = (run: Run) => void suite.beforeEach.push(run)
export const afterEach = (run: Run) => void suite.afterEach.unshift(run)
export const onTestFinished = (run: Run) => void finishers.push(run)

export const describe = Object.assign(group, { each: each(group) })
export const test = Object.assign(addTest, { each: each(addTest) })
export const it = test

export const expect = new Proxy(realExpect, {
  get: (target, key) => (key === 'poll' ? poll : Reflect.get(target, key)),
})

function group(name: string, define: Body): void {
  const outer = suite
  suite = newSuite(name, outer)
  define()
  suite = outer
}

/** Options and a limit of time may come before or after the body; Stryker has a limit of its own. */
function addTest(name: string, ...rest: readonly unknown[]): void {
  const body = rest.find(part => typeof part === 'function') as Body
  const same = collected.filter(other => other.suite === suite && other.name.startsWith(name))
  const unique = same.length === 0 ? name : `${name} (${same.length + 1})`
  collected.push({ name: unique, suite, run: () => body() })
}

function each(define: (name: string, body: Body) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, ...rest: readonly unknown[]): void => {
      const body = rest.find(part => typeof part === 'function') as (...args: unknown[]) => unknown
      for (const [index, row] of rows.entries()) {
        const args = Array.isArray(row) ? row : [row]
        define(titleOf(name, args, index), () => body(...args))
      }
    }
}

function titleOf(name: string, args: readonly unknown[], index: number): string {
  const places = name.match(/%[sdifjoO]/g)?.length ?? 0
  const title = format(name.replaceAll('%#', String(index)), ...args.slice(0, places))
  return title === name ? `${name} [${index}]` : title
}

/** `expect.poll`: asks again until the matcher holds. */
function poll(ask: () => unknown, options: { readonly timeout?: number } = {}): unknown {
  const build = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, key) => (typeof key === 'string' ? build([...path, key]) : undefined),
      apply: (_, __, args) => untilHolds(ask, path, args, options.timeout ?? POLL_LIMIT_MS),
    })
  return build([])
}

async function untilHolds(
  ask: () => unknown,
  path: readonly string[],
  args: readonly unknown[],
  limitMs: number,
): Promise<void> {
  const endMs = performance.now() + limitMs
  for (;;) {
    try {
      let matcher = realExpect(await ask()) as unknown as Record<string, unknown>
      for (const step of path.slice(0, -1)) matcher = matcher[step] as Record<string, unknown>
      const last = path.at(-1) ?? ''
      return void (await (matcher[last] as (...args: readonly unknown[]) => unknown)(...args))
    } catch (error) {
      if (performance.now() > endMs) throw error
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
    }
  }
}

function newSuite(name: string, parent: Suite | null): Suite {
  return { name, parent, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }
}
