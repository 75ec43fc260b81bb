import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { join, raw, type Statement, sql } from './statement.ts'

const textOf = ({ texts }: Statement) => texts.join('?')

test('values stay out of the text', () => {
  const statement = sql`select * from runs where id = ${'run_1'} and place > ${3}`
  expect(textOf(statement)).toBe('select * from runs where id = ? and place > ?')
  expect(statement.values).toEqual(['run_1', 3])
})

test('what is a statement itself becomes part of the text, wherever it stands', () => {
  const condition = sql`id = ${1} or ${raw('true')}`
  const statement = sql`${raw('select')} * from t where ${condition} limit ${2}${raw(';')}`
  expect(textOf(statement)).toBe('select * from t where id = ? or true limit ?;')
  expect(statement.values).toEqual([1, 2])
})

test('a list is joined, of values and of statements; an empty one is nothing', () => {
  expect(join(['a', sql`b + ${1}`])).toEqual(sql`${'a'}, b + ${1}`)
  expect(textOf(join([sql`a = ${1}`, sql`b = ${2}`], ' and '))).toBe('a = ? and b = ?')
  expect(join([])).toEqual(raw(''))
})

test('however statements are nested, every gap has its value, in order', () => {
  type Part = { readonly text: string; readonly inner: readonly Part[] | null }
  const { part } = fc.letrec<{ part: Part }>(tie => ({
    part: fc.record({
      text: fc.string(),
      inner: fc.option(fc.array(tie('part'), { maxLength: 3 }), { depthSize: 'small' }),
    }),
  }))
  fc.assert(
    fc.property(part, whole => {
      const expected: { text: string; values: string[] } = { text: '', values: [] }
      const build = ({ text, inner }: Part): Statement | string => {
        if (inner === null) {
          expected.text += '?'
          expected.values.push(text)
          return text
        }
        expected.text += '('
        const parts = inner.map(build)
        expected.text += ')'
        return sql`(${join(parts, '')})`
      }
      const statement = sql`${build(whole)}`
      expect(textOf(statement)).toBe(expected.text)
      expect(statement.values).toEqual(expected.values)
    }),
  )
})
