import { expect, test } from 'vitest'
import { mapStrings, parsedJson } from './json-strings.ts'
import { plainView } from './plain-view.ts'
import { redact } from './redact.ts'
import { looksRandom } from './tokens.ts'

test('S21 every string and number of a document is searched under the name of its field', () => {
  const seen: [string, string | null][] = []
  const document = { a: 'x', b: [1, 'y', { c: true, d: null }], e: 2 }
  const clean = mapStrings(document, (value, name) => {
    seen.push([value, name])
    return value === 'y' || value === '2' ? '-' : value
  })
  expect(seen).toEqual([
    ['x', 'a'],
    ['1', 'b'],
    ['y', 'b'],
    ['2', 'e'],
  ])
  expect(clean).toBe('{"a":"x","b":[1,"-",{"c":true,"d":null}],"e":"-"}')
  expect(mapStrings('x', (value, name) => `${value} ${name}`)).toBe('"x null"')
  expect([parsedJson('{"a":1}'), parsedJson('{')]).toEqual([{ a: 1 }, undefined])
})

test('S21 a document that is nested too deeply to search is left out as a whole', () => {
  let deep: unknown = 'x'
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  expect(mapStrings(deep, value => value)).toBe('"[redacted]"')
})

test.each([
  ['a\\nb', 'a\nb'],
  ['a\\tb\\rc', 'a\tb\rc'],
  ['a\\bb\\fc', 'a b c'],
  ['a\\"b', 'a"b'],
  ["a\\'b\\`c", "a'b`c"],
  ['a\\\\"b', 'a\\\\"b'],
  ["a\\\\'b", "a\\\\'b"],
  ['a\\\\`b', 'a\\\\`b'],
  ['a\\\\\\"b', 'a"b'],
  ['a\\/b', 'a/b'],
  ['a%20b%41%7Fc', 'a bA c'],
  ['a\\u0041\\u0000b', 'aA b'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['plain', 'plain'],
])('S21 %j is read as %j', (text, plain) => {
  const view = plainView(text)
  expect(view.text).toBe(plain)
})

test('S21 places in the plain view lead back to whole escapes of the text', () => {
  const text = 'a\\nb\x1b[1mc%41'
  const view = plainView(text)
  expect(view.text).toBe('a\nbcA')
  const back = (start: number, end: number) => {
    const span = view.original({ start, end })
    return text.slice(span.start, span.end)
  }
  expect([back(0, 1), back(1, 2), back(2, 3), back(3, 4), back(4, 5)]).toEqual([
    ...['a', '\\n', 'b', 'c', '%41'],
  ])
  expect([0, 1, 2, 4].map(index => view.written(index))).toEqual(['a', '\\n', 'b', '%41'])
  expect(plainView('abc').written(1)).toBe('b')
})

test.each([
  ['abcdefghijklmno1', true],
  ['abcdefghijklmn1', false],
  ['1234567890123456', false],
  ['abcdefghijklmnop', false],
  ['abcdefgh-ijklmno1', false],
  [`${'aB1-'.repeat(15)}`, true],
  [`${'aB1-'.repeat(14)}aB1`, false],
  [`${'ab1-'.repeat(15)}`, false],
  [`${'AB1-'.repeat(15)}`, false],
  [`${'aBc-'.repeat(15)}`, false],
])('S21 %s looks random: %s', (text, expected) => {
  expect(looksRandom(text)).toBe(expected)
})

test.each([
  ['\\"password\\":12345678', '\\"password\\":\\"[redacted]\\"'],
  ['x "password": 12345678, y', 'x "password": "[redacted]", y'],
  ["x 'password': 12345678, y", "x 'password': [redacted], y"],
  ['x "password: 12345678', 'x "password: [redacted]'],
  ['  [{"password":"a\\"b\\\\"}]', '[{"password":"[redacted]"}]'],
  ['x[1].password=hunter2', 'x[1].password=[redacted]'],
  // A search of the whole text takes what follows the tag for its content.
  ['{"usage":"login <password>","n":1,"ok":true}', '{"usage":"login <password>","n":1,"ok":true}'],
  [
    '{"usage":"login <password>","password":"hunter2","n":1}',
    '{"usage":"login <password>","password":"[redacted]","n":1}',
  ],
  [
    '{"usage":"login <password>","list":["TOKEN=abc12345",null]}',
    '{"usage":"login <password>","list":["TOKEN=[redacted]",null]}',
  ],
  ['["login <password>","abc"]', '["login <password>","abc"]'],
  ['x ["login <password>","abc12345"]', 'x ["login <password>[redacted]'],
])('S21 %j becomes %j', (text, clean) => {
  const redacted = redact(text)
  expect(redacted.trim()).toBe(clean)
})

test('S21 a secret is found in every piece of a long text, and a word that begins before a piece counts whole', () => {
  const filler = 'word '.repeat(20_000)
  expect(redact(`${filler}password=hunter2 ${filler}`)).toBe(
    `${filler}password=[redacted] ${filler}`,
  )
  expect(redact(`${filler}${filler}TOKEN=abc12345`)).toBe(`${filler}${filler}TOKEN=[redacted]`)
  const upTo = 'word '.repeat(14_000).slice(0, 65_530)
  const whole = `xxxxxsk-ant-${'a'.repeat(30)}`
  expect(redact(`${upTo} ${whole}`)).toBe(`${upTo} ${whole}`)
})

test('S21 a value is found although a piece of a long text begins with it', () => {
  const upTo = 'word '.repeat(14_000).slice(0, 65_526)
  const text = `${upTo}password: `
  expect(text).toHaveLength(65_536)
  expect(redact(`${text}hunter2 x`)).toBe(`${text}[redacted] x`)
})

test('S21 a known value that is a JSON document is left out of a larger one, even though that one is no longer JSON then', () => {
  const credentials = '{"type": "service_account", "id": "abc"}'
  expect(redact(`{"of": ${credentials}, "n": 1}`, [credentials])).toBe('{"of": [redacted], "n": 1}')
  expect(redact('{"password":12345678,"n":1}', ['12345678'])).toBe(
    '{"password":"[redacted]","n":1}',
  )
  const json = '{"usage":"login <password>","a":"x plain-words y"}'
  expect(redact(json, ['plain-words', 'say "hello"'])).toBe(
    '{"usage":"login <password>","a":"x [redacted] y"}',
  )
})

test.each([
  'password=hunter2, and more',
  'password=hunter2, and mo',
  'password=hunter2, and mor',
  'password=hunter2 ~~~??? ~~~???',
])('S21 base64 of %j is left out, as it is written and for URLs, whole and cut off', text => {
  const standard = Buffer.from(text).toString('base64')
  const forms = [standard, Buffer.from(text).toString('base64url'), standard.slice(0, 29)]
  for (const form of forms) expect(redact(`x ${form} y`)).toBe('x [redacted] y')
})

test('S21 lines of base64 belong together when the first one has at least 60 characters', () => {
  const wrapped = (chars: number, newline: string) => {
    const base64 = Buffer.from(`${'x'.repeat(chars * 0.75 - 9)}password=hunter2 and more`)
    return base64.toString('base64').replaceAll(new RegExp(`.{${chars}}(?=.)`, 'g'), `$&${newline}`)
  }
  expect(redact(wrapped(60, '\n'))).toBe('[redacted]')
  expect(redact(wrapped(60, '\r\n'))).toBe('[redacted]')
  expect(redact(wrapped(56, '\n'))).toBe(wrapped(56, '\n'))
  const encoded = Buffer.from('password=hunter2').toString('base64')
  expect(redact(`${encoded}\r\n${encoded}\r\n`)).toBe('[redacted]\r\n[redacted]\r\n')
})

test('S21 base64 hides neither a token, a password in a URL, nor a known value', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const hidden = [`my key is ghp_${'a'.repeat(20)}`, 'see https://me:hunter2@example.org']
  for (const text of hidden) expect(redact(encoded(text))).toBe('[redacted]')
  const known = encoded('it was plain-words, I think')
  expect(redact(known, ['plain-words'])).toBe('[redacted]')
  expect(redact(known)).toBe(known)
})
