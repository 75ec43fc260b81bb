// S21 on a corpus: how much is found, how much is left alone. docs/reliability.md publishes the figures and these floors.

import { describe, expect, test } from 'vitest'
import { createParser } from '../../src/adapters/claude-code/stream/parser.ts'
import { redact, secretValues } from '../../src/core/secrets/redact.ts'
import { fc } from '../properties.ts'
import { benignLines } from './benign.ts'
import { isLeft } from './left-over.ts'
import { plantedSecrets } from './planted.ts'

const LEAST_RECALL = 0.99
const MOST_CHANGED = 0.001

const planted = plantedSecrets()
const benign = benignLines()

test('S21 of 500 planted secrets, base64, JSON-escaped and coloured among them, at least 99 % are left out', () => {
  const missed = planted.filter(({ text, secret }) => isLeft(secret, redact(text)))
  const names = missed.map(({ kind, wrapping }) => `${kind} ${wrapping}`)
  expect(planted.every(({ text, secret }) => isLeft(secret, text))).toBe(true)
  expect(names.slice(0, planted.length * (1 - LEAST_RECALL))).toEqual(names)
})

test('S21 of 5,000 lines without a secret at most 0.1 % are changed', () => {
  const changed = benign.filter(line => redact(line) !== line)
  expect(benign).toHaveLength(5_000)
  expect(changed.slice(0, benign.length * MOST_CHANGED)).toEqual(changed)
})

describe('S21 a secret that is split over two chunks', () => {
  const tokens = planted.filter(({ wrapping }) => wrapping === 'in prose')

  test.each([1, 5, 12, 20])('is left out when a long output is cut %i characters into it', into => {
    for (const { secret } of tokens) {
      const before = 'word '.repeat(3_200).slice(0, 16_000 - into - 1)
      const text = toolText(`${before} ${secret} and more`)
      expect(text.length).toBeGreaterThan(15_000)
      expect(text.endsWith('…')).toBe(true)
      expect(redact(text)).toMatch(/^[word ]*…$/)
    }
  })

  test('is left out where the pieces of a very long text meet', () => {
    for (const { secret } of tokens) {
      for (const into of [1, 7, secret.length - 1]) {
        const before = 'word '.repeat(13_200).slice(0, 65_536 - into - 1)
        expect(isLeft(secret, redact(`${before} ${secret} ${before}`))).toBe(false)
      }
    }
  })

  test('leaves everything else of a very long text as it is', () => {
    const text = benign.join('\n')
    expect(text.length).toBeGreaterThan(200_000)
    expect(redact(text)).toBe(text)
  })
})

/** As the adapter hands on what a tool gave. */
function toolText(content: string): string {
  const block = { type: 'tool_result', tool_use_id: 't', content }
  const line = JSON.stringify({ type: 'user', message: { role: 'user', content: [block] } })
  const [event] = createParser().parse(line)
  return event?.type === 'tool-result' ? event.text : ''
}

test('S21 JSON stays JSON with the same fields, and nothing is left out twice', () => {
  const name = fc.constantFrom('password', 'apiKey', 'token', 'cookie', 'Authorization', 'note')
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(...planted.map(({ text }) => text)),
    fc.constantFrom(
      'Bearer abcdef0123456789',
      'pa\\ss"wo\'rd12',
      '"token=abc12345\\',
      '\\\\n\\u001b[',
    ),
  )
  const fields = fc.dictionary(name, fc.oneof(value, fc.array(value)))
  fc.assert(
    fc.property(fields, fc.boolean(), (object, isNested) => {
      const json = JSON.stringify(isNested ? { input: JSON.stringify(object) } : object)
      const clean = redact(json)
      expect(Object.keys(JSON.parse(clean))).toEqual(isNested ? ['input'] : Object.keys(object))
      expect(redact(clean)).toBe(clean)
    }),
    { numRuns: 2_000 },
  )
})

test('S21 values of secret variables of the environment are left out whatever they look like', () => {
  const known = secretValues({
    GH_TOKEN: 'plain-words-only',
    DATABASE_PASSWORD: 'correct horse',
    HOME: '/home/somebody',
    SHORT_TOKEN: 'abc',
  })
  expect(known).toEqual(['plain-words-only', 'correct horse'])
  const encoded = Buffer.from('it was plain-words-only, I think').toString('base64')
  expect(redact(`x plain-words-only y ${encoded}`, known)).toBe('x [redacted] y [redacted]')
  expect(redact('{"a":"correct horse"}', known)).toBe('{"a":"[redacted]"}')
})

test.each([
  ['{"password":12345678,"n":1}', '{"password":"[redacted]","n":1}'],
  ['{\\"password\\":12345678}', '{\\"password\\":\\"[redacted]\\"}'],
  ['{"password":"pa\\"ss12","n":1}', '{"password":"[redacted]","n":1}'],
  ['PASSWORD=correct-horse', 'PASSWORD=[redacted]'],
  ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer [redacted]'],
  ['\x1b[31mTOKEN=abc12345\x1b[0m', '\x1b[31mTOKEN=[redacted]\x1b[0m'],
])('S21 the name stays, the value goes: %j', (text, clean) => {
  expect(redact(text)).toBe(clean)
})

test.each(['abc%2Fdef123zz', 'C:\\temp\\new-secret', 'line\\nline-secret'])(
  'S21 the value %s of a secret variable is found as it is written',
  value => {
    expect(redact(`value ${value} end`, [value])).toBe('value [redacted] end')
  },
)
