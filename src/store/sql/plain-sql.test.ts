import { expect, test } from 'vitest'
import { allOf, equal } from './plain-sql.ts'
import { raw, sql } from './statement.ts'

test('a filter has one condition for each value that is given', () => {
  const conditions = equal<'runs'>({ thread_id: 'th_1', chain_id: undefined, tier: 2 })
  expect(conditions).toEqual([sql`"thread_id" = ${'th_1'}`, sql`"tier" = ${2}`])
})

test('conditions hold together; without any, everything is meant', () => {
  const both = allOf([sql`a = ${1}`, sql`b = ${2}`])
  expect(both).toEqual(sql`a = ${1} and b = ${2}`)
  expect(allOf([])).toEqual(raw('true'))
})
