// The usual work of an agent in the shop: it reads, searches and tests. The full demo draws from these calls.
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import type { SeededRandom } from '../full/seeded-random.ts'
import { bashCall, failedCall, grepCall, readCall } from '../full/steps.ts'
import { numbered, SHOP_FILES, type ShopFile } from './shop-files.ts'

const FILES = Object.keys(SHOP_FILES) as readonly ShopFile[]
const SUITES = ['orders', 'products', 'outbox', 'health', 'prices', 'baskets', 'refunds', 'stock']

/** So many calls, of which about one in twelve fails. */
export function usualWork(random: SeededRandom, count: number): readonly ScriptStep[] {
  return Array.from({ length: count }, () => oneCall(random))
}

function oneCall(random: SeededRandom): ScriptStep {
  const dice = random.between(1, 12)
  if (dice <= 5) return readFile(random)
  if (dice <= 7) return search(random)
  if (dice === 8) return bashCall('git log --oneline -8', log(random))
  if (dice === 9)
    return bashCall('git status --short', ' M src/orders/routes.ts\n M test/orders.test.ts')
  if (dice <= 11) return bashCall('npx vitest run', testReport(random, 0))
  return failedCall('npx vitest run', testReport(random, random.between(1, 3)))
}

function readFile({ between }: SeededRandom): ScriptStep {
  const file = FILES[between(0, FILES.length - 1)] ?? 'package.json'
  return readCall(file, numbered(file))
}

const SEARCHES = ['totalCents', 'saveOrder', 'cache-control', 'pool.query', 'addOrderRoutes', 'sku']

function search({ between }: SeededRandom): ScriptStep {
  const word = SEARCHES[between(0, SEARCHES.length - 1)] ?? 'sku'
  return grepCall(word, linesWith(word))
}

function linesWith(word: string): string {
  return FILES.flatMap(file =>
    SHOP_FILES[file]
      .split('\n')
      .map((line, index) => `${file}:${index + 1}:${line}`)
      .filter(line => line.includes(word)),
  ).join('\n')
}

const CHANGES = [
  'Answer 404 for an unknown product',
  'Send the outbox in batches of 50',
  'Count stock in the same transaction',
  'Log the id of the customer with each order',
  'Drop the old price table',
  'Round totals once, at the end',
  'Test orders without lines',
  'Close the pool on SIGTERM',
  'Name the columns in every select',
  'Refuse orders of more than 99 pieces',
]

function log({ between }: SeededRandom): string {
  const first = between(0, CHANGES.length - 1)
  const hash = () => between(0x1000000, 0xfffffff).toString(16)
  return Array.from(
    { length: 8 },
    (_, index) => `${hash()} ${CHANGES[(first + index) % CHANGES.length]}`,
  ).join('\n')
}

/** The output of the tests, `failures` of which fail. */
export function testReport({ between }: SeededRandom, failures: number): string {
  const counts = SUITES.map(() => between(8, 46))
  const lines = SUITES.map((suite, index) => {
    const fails = index < failures
    const mark = fails ? '❯' : '✓'
    const tests = `${counts[index]} tests${fails ? ' | 1 failed' : ''}`
    return ` ${mark} test/${suite}.test.ts (${tests}) ${between(12, 840)}ms`
  })
  const all = counts.reduce((sum, count) => sum + count, 0)
  const failed = failures > 0 ? `${failures} failed | ` : ''
  return [
    ...lines,
    '',
    ` Test Files  ${failed}${SUITES.length - failures} passed (${SUITES.length})`,
    `      Tests  ${failed}${all - failures} passed (${all})`,
    `   Duration  ${(between(180, 690) / 100).toFixed(2)}s`,
  ].join('\n')
}
