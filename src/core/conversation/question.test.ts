import { describe, expect, test } from 'vitest'
import { type AskedCall, fitAnswer, type GivenAnswer, isSameCall, replyText } from './question.ts'

const item = (question: string) => ({ question, header: 'h', options: [], multiSelect: false })
const ONE: AskedCall = {
  toolUseId: 'toolu_1',
  kind: 'question',
  tool: 'AskUserQuestion',
  input: '{}',
  items: [item('Which?')],
}
const TWO: AskedCall = { ...ONE, items: [item('Which?'), item('When?')] }
const MAY: AskedCall = { ...ONE, kind: 'permission', tool: 'Bash', input: '{"a":1}', items: [] }

describe('T-7 an answer', () => {
  const fitting: readonly [string, AskedCall, GivenAnswer, object][] = [
    ['text to the only question', ONE, { content: 'this' }, { choices: { 'Which?': 'this' } }],
    ['an object', TWO, { content: { 'Which?': 'a', 'When?': 'b' } }, { kind: 'choices' }],
    [
      'several of many',
      ONE,
      { content: { 'Which?': ['a', 'b'] } },
      { choices: { 'Which?': 'a, b' } },
    ],
    ['yes to a permission', MAY, { allow: true }, { kind: 'allow' }],
    ['no with words', MAY, { allow: false, message: 'not now' }, { message: 'not now' }],
    ['no without words', MAY, { allow: false }, { message: 'The user did not allow this.' }],
    ['no to a question', ONE, { allow: false }, { message: 'The user declined to answer.' }],
  ]
  test.each(fitting)('fits: %s', (_, asked, given, answer) => {
    expect(fitAnswer(asked, given)).toMatchObject({ fits: true, answer })
  })

  const misfits: readonly [string, AskedCall, GivenAnswer, RegExp][] = [
    ['text to several questions', TWO, { content: 'this' }, /object/],
    ['a question that was not asked', ONE, { content: { 'Why?': 'x' } }, /"Which\?"/],
    ['one question left out', TWO, { content: { 'Which?': 'x' } }, /"When\?"/],
    ['nothing', ONE, { content: '  ' }, /Choose/],
    ['yes to a question', ONE, { allow: true }, /content/],
    ['text to a permission', MAY, { content: 'yes' }, /allow/],
  ]
  test.each(misfits)('does not fit: %s', (_, asked, given, hint) => {
    expect(fitAnswer(asked, given)).toMatchObject({
      fits: false,
      hint: expect.stringMatching(hint),
    })
  })
})

describe('T-7a a reply', () => {
  test('says what was asked and what was answered, so that it is clear without the call', () => {
    const choices = { kind: 'choices', choices: { 'Which?': 'this' } } as const
    expect(replyText(ONE, choices)).toBe('In answer to your question:\n"Which?" this')
    expect(replyText(MAY, { kind: 'allow' })).toContain('Bash with {"a":1}')
    expect(replyText(MAY, { kind: 'deny', message: 'no!' })).toMatch(/may not: no!$/)
    expect(replyText(ONE, { kind: 'deny', message: 'no!' })).toBe('You asked "Which?". no!')
  })

  test('grants exactly the call that was asked for', () => {
    expect(isSameCall(MAY, { tool: 'Bash', input: '{"a":1}' })).toBe(true)
    expect(isSameCall(MAY, { tool: 'Bash', input: '{"a":2}' })).toBe(false)
    expect(isSameCall(MAY, { tool: 'Write', input: '{"a":1}' })).toBe(false)
  })
})
