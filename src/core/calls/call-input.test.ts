import { describe, expect, test } from 'vitest'
import { inputLines, readInput } from './call-input.ts'

const lines = (json: string) => {
  const input = readInput(json)
  return input && [...inputLines(input), ...(input.isCut ? ['(cut)'] : [])]
}

describe('the input of a call as lines', () => {
  const cases: readonly (readonly [string, string, readonly string[] | null])[] = [
    ['texts and numbers', '{"query":"a b","limit":3}', ['query: a b', 'limit: 3']],
    ['nothing', '{"is":null,"not":false}', ['is: null', 'not: false']],
    ['a text of several lines', '{"plan":"one\\ntwo"}', ['plan: one', '  two']],
    ['lists', '{"tags":["a","b",3]}', ['tags: a, b, 3']],
    [
      'lists with a text of several lines',
      '{"tags":["a","b\\nc"]}',
      ['tags.1: a', 'tags.2: b', '  c'],
    ],
    ['lists of different things', '{"tags":[1,{"a":2}]}', ['tags.1: 1', 'tags.2.a: 2']],
    ['empty values', '{"tags":[],"more":{}}', ['tags: none', 'more: none']],
    [
      'nested values',
      '{"where":{"id":7,"in":[{"a":"x"},{"a":"y\\nz"}]}}',
      ['where.id: 7', 'where.in.1.a: x', 'where.in.2.a: y', '  z'],
    ],
    [
      'no more than six levels',
      '{"a":{"b":{"c":{"d":{"e":{"f":{"g":1}}}}}}}',
      ['a.b.c.d.e.f.g: 1'],
    ],
    [
      'a mark below six levels',
      '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}',
      ['a.b.c.d.e.f.g: …'],
    ],
    ['no input', '{}', []],
    ['a list', '[1]', null],
    ['null', 'null', null],
    ['a text', '"nonsense"', null],
    ['a number', '7', null],
    ['no JSON', 'nonsense', null],
    ['an empty text', '', null],
  ]
  test.each(cases)('%s', (_, json, shown) => {
    expect(lines(json)).toEqual(shown)
  })
})

describe('an input that was cut is read up to the cut', () => {
  const cases: readonly (readonly [string, string, readonly string[] | null])[] = [
    ['in a text', '{"command":"npm te…', ['command: npm te…', '(cut)']],
    [
      'in a later text',
      '{"a":1,"b":"x","content":"one\\ntw',
      ['a: 1', 'b: x', 'content: one', '  tw', '(cut)'],
    ],
    ['in an escape', '{"a":"one\\', ['a: one', '(cut)']],
    ['in an escape of a letter', '{"a":"one\\u00', ['a: one', '(cut)']],
    ['in an escape, after a line break', '{"a":"one\\ntwo\\u0', ['a: one', '  two', '(cut)']],
    ['in a text that is no JSON', '{"a":"one\ntwo', ['a: one', '  two', '(cut)']],
    ['after an escaped quote', '{"a":"say \\"hi\\" t', ['a: say "hi" t', '(cut)']],
    ['in a number, which is left out', '{"a":"x","b":12', ['a: x', '(cut)']],
    ['in a nested value, which is left out', '{"a":"x","b":{"c":1', ['a: x', '(cut)']],
    ['in a name', '{"a":"x","b', ['a: x', '(cut)']],
    ['before the first value', '{"a":', ['(cut)']],
    ['before the first name', '{"a', null],
  ]
  test.each(cases)('%s', (_, json, shown) => {
    expect(lines(json)).toEqual(shown)
  })
})
