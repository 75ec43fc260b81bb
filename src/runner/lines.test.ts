import { describe, expect, test } from 'vitest'
import { fc } from '../../test/properties.ts'
import { createLineSplitter } from './lines.ts'
import type { Line } from './runner.ts'

const CAP = 64

function split(chunks: readonly Uint8Array[], maxLineBytes = CAP): readonly Line[] {
  const splitter = createLineSplitter({ maxLineBytes })
  return [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()]
}

const texts = (lines: readonly Line[]) =>
  lines.map(line => (line.kind === 'line' ? line.text : line))

function cut(bytes: Buffer, at: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...at.map(n => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
}

// Draws the interesting bytes often: newlines, carriage returns, pieces of long characters and of a byte order mark.
const byte = fc.oneof(
  fc.constantFrom(0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xf0, 0x9f, 0x98, 0x80, 0x61),
  fc.integer({ min: 0, max: 255 }),
)
const stream = fc.array(byte, { maxLength: 400 }).map(bytes => Buffer.from(bytes))
const cuts = fc.array(fc.nat(), { maxLength: 30 })

describe('line splitter', () => {
  test('any chunking of any bytes gives the same lines', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, at) => {
        expect(split(cut(bytes, at))).toEqual(split([bytes]))
      }),
      { numRuns: 2_000 },
    )
  })

  test('lines under the cap are what decoding and splitting the whole stream gives', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, at) => {
        const whole = bytes
          .toString('utf8')
          .replace(/^\uFEFF/, '')
          .split('\n')
        const last = whole.pop() ?? ''
        const hasRest = bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a
        const expected = (hasRest ? [...whole, last] : whole).map(text => text.replace(/\r$/, ''))
        expect(texts(split(cut(bytes, at), 10_000))).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('byte by byte, a character of four bytes stays whole', () => {
    const bytes = Buffer.from('{"a":"😀é"}\n')
    expect(texts(split([...bytes].map(b => Uint8Array.of(b))))).toEqual(['{"a":"😀é"}'])
  })

  test('broken UTF-8 becomes U+FFFD and does not touch its neighbours', () => {
    const bytes = Buffer.concat([Buffer.from('a'), Buffer.of(0xf0, 0x9f), Buffer.from('\nb\n')])
    expect(texts(split([bytes]))).toEqual(['a\uFFFD', 'b'])
  })

  test('CRLF ends a line, and a byte order mark is dropped from the first line only', () => {
    expect(texts(split([Buffer.from('\uFEFFa\r\n\uFEFFb\r\n')]))).toEqual(['a', '\uFEFFb'])
  })

  test('a last line without newline is given at the end', () => {
    expect(texts(split([Buffer.from('a\nb')]))).toEqual(['a', 'b'])
  })

  test('U-3 a line over the cap is one oversized line with its head and its size', () => {
    const bytes = Buffer.from(`x\n${'y'.repeat(10_000)}\nz\n`)
    expect(split([bytes])).toEqual([
      { kind: 'line', text: 'x' },
      { kind: 'oversized', head: 'y'.repeat(4096), bytes: 10_000 },
      { kind: 'line', text: 'z' },
    ])
  })

  test('a line of exactly the cap is a line', () => {
    expect(split([Buffer.from(`${'y'.repeat(CAP)}\n`)])).toEqual([
      { kind: 'line', text: 'y'.repeat(CAP) },
    ])
  })
})
