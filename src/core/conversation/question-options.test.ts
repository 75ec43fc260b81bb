import { describe, expect, test } from 'vitest'
import { readChoice } from './question-options.ts'

const item = (labels: readonly string[], multiSelect = false) => ({
  question: 'Which?',
  header: 'h',
  options: labels.map(label => ({ label, description: '' })),
  multiSelect,
})
const ONE = item(['Postgres', 'SQLite'])
const MANY = item(['Postgres', 'SQLite'], true)
const PORTS = item(['3000', '8080'])

describe('T-7 what is typed at a question with options', () => {
  const chosen: readonly (readonly [string, typeof ONE, string, string])[] = [
    ['a number is its option', ONE, '2', 'SQLite'],
    ['spaces do not matter', ONE, ' 2 ', 'SQLite'],
    ['several numbers are several options', MANY, '1, 2', 'Postgres, SQLite'],
    ['words are words', ONE, 'neither of 2', 'neither of 2'],
    ['a list with words is words', MANY, '1, and MySQL', '1, and MySQL'],
    ['a label that is a number can be typed', PORTS, '8080', '8080'],
    ['a number comes before a label', item(['2', '1']), '2', '1'],
    ['numbers in quotes are words', ONE, '"7"', '7'],
    ['several numbers in quotes are words', ONE, '"1, 2"', '1, 2'],
    ['words in quotes stay as they are', ONE, '"both"', '"both"'],
    ['without options, a number is an answer', item([]), '7', '7'],
  ]
  test.each(chosen)('%s', (_, asked, typed, text) => {
    expect(readChoice(asked, typed)).toEqual({ kind: 'chosen', text })
  })

  const again: readonly (readonly [string, typeof ONE, string, string])[] = [
    [
      'a number that is too large',
      ONE,
      '3',
      '3 is not an option: choose 1 to 2, or write "3" in quotes',
    ],
    ['zero', ONE, '0', '0 is not an option: choose 1 to 2, or write "0" in quotes'],
    ['a negative number', ONE, '-1', '-1 is not an option: choose 1 to 2, or write "-1" in quotes'],
    [
      'a part of a number',
      ONE,
      '1.5',
      '1.5 is not an option: choose 1 to 2, or write "1.5" in quotes',
    ],
    [
      'one wrong number among right ones',
      MANY,
      '1,9',
      '9 is not an option: choose 1 to 2, several with commas, or write "1,9" in quotes',
    ],
    [
      'two where one can be chosen',
      ONE,
      '1,2',
      'only one option can be chosen: choose 1 to 2, or write "1,2" in quotes',
    ],
    [
      'beside a single option',
      item(['yes']),
      '2',
      '2 is not an option: choose 1, or write "2" in quotes',
    ],
  ]
  test.each(again)('%s is asked again', (_, asked, typed, why) => {
    expect(readChoice(asked, typed)).toEqual({ kind: 'again', why })
  })
})
