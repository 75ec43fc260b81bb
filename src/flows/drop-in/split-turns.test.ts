// Which prompt of a caller begins a turn, and which words of the agent belong to which turn.
import { expect, test } from 'vitest'
import { SplitTurns } from './split-turns.ts'

const RESULT = { type: 'result', unasked: false }
const UNASKED = { type: 'result', unasked: true }

/** A prompt is a text, what the agent says an event; `null` is the end. Gives the steps in short. */
function split(...happened: readonly (string | null | { readonly type: string })[]) {
  const turns = new SplitTurns()
  return happened
    .flatMap(one => {
      if (one === null) return turns.ended()
      return typeof one === 'string' ? turns.heard(one) : turns.said([one as never])
    })
    .map(step => (step.do === 'note' ? step.event.type : `${step.do}: ${step.prompt}`))
}
const say = (type: string) => ({ type })

test.each<[string, readonly unknown[], readonly string[]]>([
  ['nothing happened', [null], []],
  ['a prompt and its answer are a turn', ['one', RESULT, null], ['begin: one', 'result']],
  [
    'what the agent says before its prompt is known belongs to the first turn',
    [say('session'), 'one', RESULT],
    ['begin: one', 'session', 'result'],
  ],
  [
    'what the agent says without any prompt is a turn too',
    [say('session'), RESULT, null],
    ['begin: (the caller sent no prompt)', 'session', 'result'],
  ],
  ['a turn that has begun does not begin again at the end', ['one', null], ['begin: one']],
  [
    'what the agent asks its caller is not on record',
    ['one', say('call-asked'), say('question'), say('text')],
    ['begin: one', 'text'],
  ],
  ['questions alone are no turn', [say('call-asked'), say('question'), null], []],
  [
    'a prompt during a turn waits for the answer, and begins a turn when the agent works again',
    ['one', 'two', say('text'), RESULT, say('session'), say('text'), RESULT],
    ['begin: one', 'text', 'result', 'session', 'next: two', 'text', 'result'],
  ],
  [
    'a prompt after an answer begins a turn when the agent works again',
    ['one', RESULT, 'two', RESULT, 'three', say('usage'), RESULT],
    ['begin: one', 'result', 'next: two', 'result', 'next: three', 'usage', 'result'],
  ],
  [
    'prompts that wait together are one turn',
    ['one', 'two', 'three', RESULT, say('block')],
    ['begin: one', 'result', 'next: two\n\nthree', 'block'],
  ],
  [
    'more words after an answer belong to it while nobody has asked anything else',
    ['one', RESULT, say('text'), 'two', say('tool')],
    ['begin: one', 'result', 'text', 'next: two', 'tool'],
  ],
  [
    'a result that nobody asked for neither answers a prompt nor begins a turn',
    ['one', UNASKED, 'two', say('text'), RESULT, UNASKED, say('text')],
    ['begin: one', 'result', 'text', 'result', 'result', 'next: two', 'text'],
  ],
])('W-2 %s', (_, happened, steps) => {
  expect(split(...(happened as never[]))).toEqual(steps)
})
