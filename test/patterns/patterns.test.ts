// No pattern takes more than linear time. One long text takes as long as eight texts of an eighth of its length; for a quadratic
// pattern it takes eight times as long. Both are about the same work, so a busy machine slows both down.
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createParser } from '../../src/adapters/claude-code/stream/parser.ts'
import { readVerdict } from '../../src/core/chain/verdict.ts'
import { redact } from '../../src/core/secrets/redact.ts'
import { readSources } from '../architecture/imports.ts'
import { hostileTexts, patternsOf } from './patterns.ts'

const SHORT = 1_000
const TIMES = 8
/** Before a growth is believed: on a busy machine few tries are undisturbed. */
const MOST_TRIES = 40
/** Between 1 and 8. */
const TOO_MUCH_GROWTH = 3
/** Nanoseconds per character below which nobody has to look closer: a quadratic search of this length takes far more. */
const SUSPICIOUS_NS = 60

const sources = readSources(fileURLToPath(new URL('../../src', import.meta.url))).filter(
  ({ path }) => !path.endsWith('.test.ts') && !path.startsWith('testing/'),
)

test('U-3 no pattern anywhere in the product is super-linear: time grows like the text, 1× → 8×', () => {
  const patterns = patternsOf(sources)
  expect(patterns.length).toBeGreaterThan(80)
  const slow = patterns.flatMap(({ path, regex }) => {
    const text = superLinear(regex)
    return text === null ? [] : [`${path}: ${regex} on ${JSON.stringify(text.slice(0, 40))}…`]
  })
  expect(slow).toEqual([])
})

test.each([
  /\s*\n\s*/g,
  /\d+\.\d+\.\d+/,
  /argument '.*' is invalid/,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /bearer\s*[:= ]\s*[^\s"']{8,}/gi,
])('U-3 the check finds a quadratic pattern: %s', regex => {
  expect(superLinear(regex, 5)).not.toBeNull()
})

const HOSTILE: readonly ((length: number) => string)[] = [
  length => `bearer${' '.repeat(length)}`,
  ...[
    'password=',
    'a://b:',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----END RSA PRIVATE KEY-----',
  ].map(repeated),
  ...[
    '-eyJaaaaaaaaaaaa',
    '-sk-aaaaaaaaaaaaaaaaaaaa',
    '\\',
    '\\"',
    '\x1b[',
    '%2',
    'AKIAAAAAAAAAAAAAAAAA,',
  ].map(repeated),
  ...[
    'cookie: ',
    'token: "',
    'key_',
    'QUJD',
    'QUJD\n',
    'TOKEN=a ',
    '{"token":',
    '"token":["',
    '"token":["a","',
    '"token":{',
    '"token":{"value":"',
    '"token":{"value":{"value":1,',
    'password:\n',
    '?code=a1',
    '```\n',
    '```json\n{',
  ].map(repeated),
]

function repeated(part: string): (length: number) => string {
  return length => part.repeat(Math.ceil(length / part.length))
}

test.each([
  ['redaction', (text: string) => redact(text)],
  ['the parser of Claude Code', (text: string) => createParser().parse(text)],
  ['the reader of verdicts', (text: string) => readVerdict('block', { text, structured: null })],
] as const)('U-3 %s is linear on hostile texts', (_, work) => {
  const slow = HOSTILE.filter(
    make =>
      growth(
        () => work(make(8_000)),
        () => work(make(8_000 * TIMES)),
      ) > TOO_MUCH_GROWTH,
  )
  expect(slow.map(make => make(40))).toEqual([])
})

/** A text on which the pattern's time grows faster than its length. */
function superLinear(regex: RegExp, mostTries = MOST_TRIES): string | null {
  const grows = (text: string) =>
    growth(
      () => search(regex, `${text.slice(0, text.length / TIMES)}\u0000`),
      () => search(regex, text),
      mostTries,
    ) > TOO_MUCH_GROWTH
  const texts = hostileTexts(regex, SHORT * TIMES)
  return texts.find(text => isSuspicious(regex, text) && grows(text)) ?? null
}

function isSuspicious(regex: RegExp, text: string): boolean {
  return milliseconds(() => search(regex, text)) * 1e6 > text.length * SUSPICIOUS_NS
}

function search(regex: RegExp, text: string): void {
  text.replace(regex, '')
}

/** How many times as long the long text takes as eight short ones: the quickest of several tries each. */
function growth(short: () => unknown, long: () => unknown, mostTries = MOST_TRIES): number {
  let [quickestShort, quickestLong] = [Infinity, Infinity]
  for (let tries = 0; tries < mostTries; tries += 1) {
    quickestShort = Math.min(
      quickestShort,
      milliseconds(() => eightTimes(short)),
    )
    quickestLong = Math.min(quickestLong, milliseconds(long))
    // More tries can only show that it is less.
    if (tries >= 2 && quickestLong / quickestShort <= TOO_MUCH_GROWTH) break
  }
  return quickestLong / quickestShort
}

function eightTimes(work: () => unknown): void {
  for (let count = 0; count < TIMES; count += 1) work()
}

/** Of CPU time: what other processes take on a busy machine does not count. */
function milliseconds(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
