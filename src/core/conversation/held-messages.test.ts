import { expect, test } from 'vitest'
import { entriesHolding } from './held-messages.ts'

const said = (...texts: readonly string[]) =>
  texts.map((text, index) => {
    const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const)
    return { role, text }
  })

const MESSAGES = said('one', 'two', 'three', 'four')

test.each([
  ['the same', ['one', 'two', 'three', 'four'], 4],
  ['other spaces', [' one', 'two\n', 'three', 'fo ur'], 4],
  ['a line of ours in front of a prompt', ['one', 'two', 'Focus on this: three', 'four'], 4],
  ['the beginning as a transcript', ['user: one. agent: two. three', 'four'], 2],
  ['more than the conversation', ['one', 'two', 'three', 'four', 'five'], 4],
  ['another answer', ['one', 'zwei', 'three', 'four'], null],
  ['another prompt', ['eins', 'two', 'three', 'four'], null],
  ['another beginning in its transcript', ['user: eins. agent: two. three', 'four'], null],
  ['less than the conversation', ['one', 'two'], null],
  ['the messages of its transcript in another order', ['two. one. three', 'four'], null],
  ['one message where the conversation has two that are the same', ['one. three', 'four'], null],
  ['nothing', [], null],
] as const)('L-4 a session that holds %s', (_, texts, entries) => {
  expect(entriesHolding(said(...texts), MESSAGES)).toBe(entries)
})

test('L-4 a session that begins with an answer, or in which the wrong one speaks, does not hold the conversation', () => {
  const [, ...fromAnswer] = said('zero', 'one', 'two')
  expect(entriesHolding(fromAnswer, said('one'))).toBeNull()
  const swapped = said('one', 'two').map(entry => ({ ...entry, role: 'user' as const }))
  expect(entriesHolding(swapped, said('one', 'two'))).toBeNull()
  const twice = said('again', 'ok', 'again', 'ok', 'go')
  expect(entriesHolding(said('again. ok. go'), twice)).toBeNull()
  expect(entriesHolding(said('again. ok. again. ok. go'), twice)).toBe(1)
})
