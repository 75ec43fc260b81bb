import { describe, expect, test } from 'vitest'
import { createSanitiser, safeJson, sanitise, sanitiseLine } from './sanitise.ts'

const PAYLOADS = [
  '\x1b[31mred\x1b[0m',
  '\x1b]52;c;ZXZpbA==\x07',
  '\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\',
  '\x1bc',
  '\x1bP1$r0m\x1b\\',
  '\x9b31mred',
  '\x9d52;c;ZXZpbA==\x9c',
  '\x90payload\x9c',
  'safe\rrm -rf /',
  'a\b\b\bb',
  'bell\x07',
  'user\u202egnp.exe',
  'a\u2066b\u2069',
  'zero\u200bwidth\u200djoin\ufeff',
  'line\u2028separator',
  'tag\u{e0041}\u{e0042}',
  'del\x7f',
  'nul\x00',
  'lone \ud800 surrogate',
]
const HARMFUL =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

describe('sanitise', () => {
  test.each(PAYLOADS)('S25 lets no control character through: %j', payload => {
    expect(sanitise(payload)).not.toMatch(HARMFUL)
    expect(sanitise(payload).isWellFormed()).toBe(true)
  })

  test.each(PAYLOADS)('S25 lets none through when it is split anywhere: %j', payload => {
    for (let at = 0; at <= payload.length; at++) {
      const sanitiser = createSanitiser()
      const text =
        sanitiser.push(payload.slice(0, at)) + sanitiser.push(payload.slice(at)) + sanitiser.end()
      expect(text).toBe(sanitise(payload))
    }
  })

  test('keeps newlines, tabs, letters of all scripts and emoji, also when split inside one', () => {
    const text = 'ein\tZitat: „größer“\n日本語 🙂'
    const sanitiser = createSanitiser()
    const pieces = text.split('').map(unit => sanitiser.push(unit))
    expect(pieces.join('') + sanitiser.end()).toBe(text)
  })

  test('shows an escape instead of obeying it', () => {
    expect(sanitise('\x1b[2J')).toBe('␛[2J')
    expect(sanitise('\x9b2J\u202e')).toBe('<U+009B>2J<U+202E>')
  })

  test('puts several lines on one', () => {
    expect(sanitiseLine('ls\n  -la\tx')).toBe('ls ⏎ -la x')
  })
})

describe('safeJson', () => {
  test.each(PAYLOADS)('S25 escapes controls and stays the same value: %j', payload => {
    const json = safeJson({ text: payload })
    expect(json).not.toMatch(HARMFUL)
    expect(JSON.parse(json)).toEqual({ text: payload })
  })
})
