import { describe, expect, test } from 'vitest'
import { permissionRule } from '../calls/permission-rule.ts'
import {
  type AskedCall,
  fitAnswer,
  type GivenAnswer,
  isSameCall,
  lateReplyText,
  replyText,
} from './question.ts'

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
const RULE = permissionRule({ kind: 'call', tool: 'Bash', value: '{"a":1}' })
const MAY_FOR_RUN: AskedCall = { ...MAY, rule: RULE }

/** As a program in JavaScript may give it: no more than this call is allowed. */
const ONCE = { allow: true, for: undefined } as unknown as GivenAnswer

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
    [
      'yes for the run',
      MAY_FOR_RUN,
      { allow: true, for: 'run' },
      { kind: 'allow', forRun: { rule: RULE, by: 'user' } },
    ],
    ['yes once, with an option that is undefined', MAY_FOR_RUN, ONCE, { kind: 'allow' }],
    ['no with words', MAY, { allow: false, message: 'not now' }, { message: 'not now' }],
    ['no without words', MAY, { allow: false }, { message: 'The user did not allow this.' }],
    ['no to a question', ONE, { allow: false }, { message: 'The user declined to answer.' }],
  ]
  test.each(fitting)('fits: %s', (_, asked, given, answer) => {
    expect(fitAnswer(asked, given)).toMatchObject({ fits: true, answer })
  })

  test('that a user wrote keeps its words, and a no is trimmed', () => {
    const both = { 'Which?': 'a', 'When?': ['b', 'c'] }
    expect(fitAnswer(TWO, { content: both })).toEqual({
      fits: true,
      answer: { kind: 'choices', choices: { 'Which?': 'a', 'When?': 'b, c' } },
    })
    const no = { allow: false, message: ' not now ' }
    const answer = { kind: 'deny', message: 'not now' }
    expect(fitAnswer(MAY, no)).toEqual({ fits: true, answer })
    expect(fitAnswer(ONE, { allow: false, message: '  ' })).toMatchObject({
      answer: { message: 'The user declined to answer.' },
    })
  })

  test('that is a plain yes allows one call, also where the run could be allowed', () => {
    const once = { fits: true, answer: { kind: 'allow' } }
    expect(fitAnswer(MAY_FOR_RUN, { allow: true })).toEqual(once)
  })

  test('to a call that asks without a question belongs to its tool', () => {
    expect(fitAnswer({ ...ONE, items: [] }, { content: 'yes' })).toMatchObject({
      answer: { choices: { AskUserQuestion: 'yes' } },
    })
  })

  const misfits: readonly [string, AskedCall, GivenAnswer, string, string][] = [
    [
      'text to several questions',
      TWO,
      { content: 'this' },
      'toolu_1 asks 2 questions: "Which?", "When?"',
      'Give content as an object: the text of each question with its answer.',
    ],
    [
      'a question that was not asked',
      TWO,
      { content: { 'Which?': 'x', 'Why?': 'x' } },
      'toolu_1 does not ask "Why?"',
      'It asks "Which?", "When?".',
    ],
    [
      'one question left out',
      TWO,
      { content: { 'Which?': 'x' } },
      'there is no answer to "When?"',
      'It asks "Which?", "When?".',
    ],
    [
      'nothing',
      ONE,
      { content: '  ' },
      'the answer to "Which?" is empty',
      'Choose or write something.',
    ],
    [
      'yes to a question',
      ONE,
      { allow: true },
      'toolu_1 asks "Which?"',
      'Run `reprise runs answer RUN toolu_1 ANSWER`; programs give `content`: what you choose.',
    ],
    [
      'yes for the run to a call without a rule',
      MAY,
      { allow: true, for: 'run' },
      'toolu_1 can be allowed only once',
      'Run `reprise runs answer RUN toolu_1 --allow`; programs leave `for` out.',
    ],
    [
      'yes for something else than the run',
      MAY_FOR_RUN,
      { allow: true, for: 'once' } as unknown as GivenAnswer,
      'nothing can be allowed for once',
      "Answer with for: 'run', or leave it out to allow this call once.",
    ],
    [
      'yes for the run to a question',
      ONE,
      { allow: true, for: 'run' },
      'toolu_1 asks "Which?"',
      'Run `reprise runs answer RUN toolu_1 ANSWER`; programs give `content`: what you choose.',
    ],
    [
      'text to a permission',
      MAY,
      { content: 'yes' },
      'toolu_1 asks for permission to use Bash',
      'Run `reprise runs answer RUN toolu_1 --allow`, or with --deny; programs give `allow`: true or false.',
    ],
  ]
  test.each(misfits)('does not fit: %s', (_, asked, given, why, hint) => {
    expect(fitAnswer(asked, given)).toEqual({ fits: false, why, hint })
  })
})

describe('T-7a a reply', () => {
  test('says what was asked and what was answered, so that it is clear without the call', () => {
    const choices = { kind: 'choices', choices: { 'Which?': 'this' } } as const
    expect(replyText(ONE, choices)).toBe('In answer to your question:\n"Which?" this')
    expect(replyText(TWO, { ...choices, choices: { 'Which?': 'a', 'When?': 'b' } })).toBe(
      'In answer to your question:\n"Which?" a\n"When?" b',
    )
    expect(replyText(MAY, { kind: 'allow' })).toBe(
      'You asked to use Bash with {"a":1}. You may: do it now.',
    )
    expect(replyText(MAY, { kind: 'deny', message: 'no!' })).toBe(
      'You asked to use Bash with {"a":1}. You may not: no!',
    )
    expect(replyText(ONE, { kind: 'deny', message: 'no!' })).toBe('You asked "Which?". no!')
  })

  test('that comes after the process died says that the call may have run', () => {
    expect(lateReplyText(MAY, { kind: 'allow' })).toBe(
      'You asked to use Bash with {"a":1}. You may. It is not known whether it was done before you were interrupted: look first.',
    )
    const no = { kind: 'deny', message: 'no!' } as const
    expect(lateReplyText(MAY, no)).toBe(replyText(MAY, no))
  })

  test('repeats at most 1,000 characters of the call, on one line', () => {
    const reply = (input: string) => replyText({ ...MAY, input }, { kind: 'allow' })
    expect(reply(`a\n${'x'.repeat(998)}`)).toContain(`with a ${'x'.repeat(998)}. You may`)
    expect(reply('x'.repeat(1_001))).toContain(`with ${'x'.repeat(1_000)}…. You may`)
  })

  test('grants exactly the call that was asked for', () => {
    expect(isSameCall(MAY, { tool: 'Bash', input: '{"a":1}' })).toBe(true)
    expect(isSameCall(MAY, { tool: 'Bash', input: '{"a":2}' })).toBe(false)
    expect(isSameCall(MAY, { tool: 'Write', input: '{"a":1}' })).toBe(false)
  })
})
