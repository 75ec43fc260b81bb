import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  checkRequirements,
  idsInTitles,
  requirementsOf,
  requirementsPage,
} from '../../scripts/requirements.ts'

const PAGE = [
  '# Requirements',
  '',
  '- **Q-1** Every turn is stored.',
  '- **Q-2** For later: turns on the moon.',
  '',
].join('\n')
/** Titles in here are written with an underscore: the check reads this file as well. */
const withIds = (text: string) => text.replaceAll('Q_', 'Q-')
const titled = (title: string) => ({
  path: 'test/a.test.ts',
  text: withIds(`test('${title}', () => {})`),
})

test('docs/requirements.md names requirements', () => {
  const path = fileURLToPath(new URL('../../docs/requirements.md', import.meta.url))
  expect(requirementsOf(readFileSync(path, 'utf8')).length).toBeGreaterThan(100)
})

describe('the check of requirements', () => {
  test('finds nothing when every line has its test', () => {
    expect(checkRequirements(PAGE, [titled('Q_1 stores a turn')])).toEqual([])
  })

  test.each([
    [
      'an id in a title that the page does not name',
      PAGE,
      [titled('Q_1 Q_3 stores a turn')],
      'Q_3 in a test title of test/a.test.ts is not in docs/requirements.md',
    ],
    [
      'a line without a test',
      PAGE,
      [titled('stores a turn')],
      'Q_1 has no test with its id in the title, and its line does not begin with "For later:"',
    ],
    [
      'a line for later that has a test',
      PAGE,
      [titled('Q_1 Q_2 stores a turn')],
      'Q_2 is marked "For later:", but a test carries its id',
    ],
    [
      'a line that stands twice',
      `${PAGE}- **Q-1** Every turn is stored once.\n`,
      [titled('Q_1 stores a turn')],
      'Q_1 stands twice in docs/requirements.md',
    ],
  ])('finds %s', (_, page, files, complaint) => {
    expect(checkRequirements(page, files)).toEqual([withIds(complaint)])
  })

  test.each([
    ['a test', "test('Q_1 stores', () => {})"],
    ['a group with a type', "describe.each<Kind>(KINDS)('Q_1 Q_2 on %s', kind => {})"],
    ['a title on its own line', "])(\n  'Q_1 %s is stored',\n"],
    ['a title in a table', "  ['3a. Q_1 Q_2 a forged note', 1],"],
    ['a case of a suite, at its end', "storeCase('stores a turn (Q_1)', run)"],
    ['a template', 'test(`Q_1 turns`, run)'],
  ])('reads the ids of %s', (_, text) => {
    expect([...idsInTitles(withIds(text))][0]).toBe(withIds('Q_1'))
  })

  test('takes nothing else for an id', () => {
    const text = "test('UTF-8 and SHA-256 on Node v24 with 2.1.197', () => expect('Q-1').toBe(1))"
    expect([...idsInTitles(text)]).toEqual([])
  })
})

test('the list of tests holds each file once and keeps what people wrote', () => {
  const page = requirementsPage(PAGE, [titled('Q_1 stores a turn')])
  expect(page.startsWith(PAGE)).toBe(true)
  expect(page.endsWith('\n- Q-1: test/a.test.ts\n')).toBe(true)
  expect(requirementsPage(page, [titled('Q_1 stores a turn')])).toBe(page)
})
