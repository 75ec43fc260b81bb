import { describe, expect, test } from 'vitest'
import { brokenRule } from './message-rules.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (rest: object = {}) => ({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'Bash',
  input: {},
  ...rest,
})
const result = (rest: object = {}) => ({
  type: 'tool_result',
  tool_use_id: 'toolu_1',
  content: 'ok',
  ...rest,
})

describe('the rules of the Messages API', () => {
  test.each([
    ['a prompt', [user('hello')]],
    ['a call with its result', [user('go'), assistant([call()]), user([result()])]],
    [
      'results before text',
      [user('go'), assistant([call()]), user([result(), { type: 'text', text: 'and' }])],
    ],
    ['two users in a row', [user('one'), user('two')]],
  ])('take %s', (_, messages) => {
    expect(brokenRule({ messages })).toBeNull()
  })

  test.each([
    ['nothing', []],
    ['an answer at the beginning', [assistant('hello')]],
    ['an empty message', [user('')]],
    ['an empty list', [user([])]],
    ['a call without a result', [user('go'), assistant([call()]), user('next')]],
    ['a call at the end', [user('go'), assistant([call()])]],
    ['a result without a call', [user([result()])]],
    [
      'a result that comes late',
      [user('go'), assistant([call()]), assistant('x'), user('y'), user([result()])].toSpliced(
        2,
        1,
        user('y'),
        assistant('x'),
      ),
    ],
    ['two results', [user('go'), assistant([call()]), user([result(), result()])]],
    [
      'a result behind a text',
      [user('go'), assistant([call()]), user([{ type: 'text', text: 'and' }, result()])],
    ],
    [
      'the same call twice',
      [user('go'), assistant([call()]), user([result()]), assistant([call()]), user([result()])],
    ],
    ['a bad name', [user('go'), assistant([call({ name: 'two words' })]), user([result()])]],
    [
      'an input that is no object',
      [user('go'), assistant([call({ input: 'ls' })]), user([result()])],
    ],
    ['a result in an answer', [user('go'), assistant([result()])]],
  ])('refuse %s', (_, messages) => {
    expect(brokenRule({ messages })).not.toBeNull()
  })
})
