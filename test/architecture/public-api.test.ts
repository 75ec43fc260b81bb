import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkComments, exportsOf } from './public-api.ts'

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)), 'utf8')

test.each([
  ['index.ts', 60],
  ['testing/index.ts', 40],
])('everything that %s exports has a doc comment without ids of requirements', (index, atLeast) => {
  const exported = exportsOf(index, read)
  expect(exported.length).toBeGreaterThan(atLeast)
  expect(checkComments(exported)).toEqual([])
})

test('the check finds a missing comment and an id, also behind another file', () => {
  const sources: Record<string, string> = {
    'index.ts':
      "export type * from './all.ts'\nexport { make, type Made as Thing } from './make.ts'\n",
    'all.ts': '/** Fine. */\nexport type Fine = 1\n\nexport type Bare = 2\n',
    'make.ts':
      "export type { Made } from './made.ts'\n\n/** Makes it (Q-1). */\nexport function make() {}\n",
    'made.ts': '/** Of another. */\nconst other = 1\n\nexport type Made = typeof other\n',
  }
  expect(checkComments(exportsOf('index.ts', path => sources[path] ?? ''))).toEqual([
    'Bare in all.ts is exported without a doc comment',
    'the doc comment of make in make.ts names Q-1',
    'Made in made.ts is exported without a doc comment',
  ])
})
