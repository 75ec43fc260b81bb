// W3C Trace Context: what is read, what is ignored, and that it comes back from every carrier as it was.
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import {
  namedTrace,
  readTraceContext,
  traceFromVariables,
  traceHeaders,
  traceOfText,
  traceParts,
  traceText,
  traceVariables,
} from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const GOOD = `00-${TRACE}-${SPAN}-01`

describe('O-6 a traceparent', () => {
  test.each([
    ['of version 00', GOOD, GOOD],
    ['that is not sampled', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`, GOOD],
    ['of a later version with more fields', `cc-${TRACE}-${SPAN}-01-what-comes`, GOOD],
  ])('%s is read', (_, traceparent, read) => {
    expect(readTraceContext({ traceparent })).toEqual({ traceparent: read })
  })

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['of the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', GOOD.toUpperCase()],
    ['of version 00 with more fields', `${GOOD}-more`],
    ['of a later version with more digits', `cc-${TRACE}-${SPAN}-011`],
    ['too short', GOOD.slice(0, -1)],
    ['sent twice', `${GOOD}, ${GOOD}`],
    ['with a line break', `${GOOD}\n`],
    ['with a space before it', ` ${GOOD}`],
    ['endless', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(100_000)}`],
  ])('that is %s is ignored', (_, traceparent) => {
    expect(readTraceContext({ traceparent, tracestate: 'a=1' })).toBeNull()
  })
})

describe('O-6 a tracestate', () => {
  test.each([
    ['vendor=1', 'vendor=1'],
    [' a=1 ,\tb=2,,', 'a=1,b=2'],
    ['tenant@system=x/y', 'tenant@system=x/y'],
  ])('%j is kept', (tracestate, kept) => {
    expect(readTraceContext({ traceparent: GOOD, tracestate })).toEqual({
      traceparent: GOOD,
      tracestate: kept,
    })
  })

  test.each([
    ['empty', ''],
    ['without a value', 'a'],
    ['with a capital key', 'A=1'],
    ['with a key twice', 'a=1,a=2'],
    ['with a line break', 'a=1\nb=2'],
    ['with a letter that is not ASCII', 'a=ü'],
    ['of too many members', Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(',')],
    ['too long', `a=${'x'.repeat(600)}`],
  ])('that is %s is left out alone', (_, tracestate) => {
    expect(readTraceContext({ traceparent: GOOD, tracestate })).toEqual({ traceparent: GOOD })
  })
})

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
  fc.constant(GOOD),
  fc.tuple(fc.constant(GOOD), fc.string()).map(([good, more]) => good + more),
)

test('O-6 whatever comes, what is read is well-formed, and every carrier gives it back as it was', () => {
  fc.assert(
    fc.property(hostile, fc.oneof(hostile, fc.constant('a=b c,d=e')), (traceparent, tracestate) => {
      const read = readTraceContext({ traceparent, tracestate })
      if (read === null) return
      expect(read.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
      expect(read.tracestate ?? '').toMatch(/^[\x20-\x7e]{0,512}$/)
      expect(readTraceContext(traceHeaders(read))).toEqual(read)
      expect(traceFromVariables(traceVariables(read))).toEqual(read)
      expect(traceOfText(traceText(read))).toEqual(read)
    }),
    { numRuns: 2_000 },
  )
})

test('nothing is carried where there is no trace', () => {
  expect([traceHeaders(null), traceVariables(null), traceText(null), traceOfText(null)]).toEqual([
    {},
    {},
    null,
    null,
  ])
})

test('O-6 the context that a caller names is read like any other', () => {
  expect(namedTrace({})).toBeNull()
  expect(namedTrace({ trace: { traceparent: 'nonsense' } })).toBeNull()
  expect(namedTrace({ trace: { traceparent: GOOD } })).toEqual({ traceparent: GOOD })
})

test('O-1 a context has a trace, a span and flags', () => {
  expect(traceParts({ traceparent: GOOD })).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1 })
})

test('O-6 a state may have spaces around its members, and is as long as the standard allows at least', () => {
  const state = (tracestate: string) =>
    readTraceContext({ traceparent: GOOD, tracestate })?.tracestate
  expect(state(' \t a=b c \t , \t d=e')).toBe('a=b c,d=e')
  const members = Array.from({ length: 33 }, (_, index) => `k${index}=v`)
  expect(state(members.slice(0, 32).join(','))).toBe(members.slice(0, 32).join(','))
  expect(state(members.join(','))).toBeUndefined()
  const long = `a=${'x'.repeat(254)},b=${'y'.repeat(253)}`
  expect([long.length, state(long), state(`${long}z`)]).toEqual([512, long, undefined])
  const parent = `cc-${TRACE}-${SPAN}-01-`
  const most = `${parent}${'x'.repeat(256 - parent.length)}`
  expect(readTraceContext({ traceparent: most })).toEqual({ traceparent: GOOD })
  expect(readTraceContext({ traceparent: `${most}x` })).toBeNull()
})

test('O-6 nothing is carried where there is no context; one without a state replaces a state of another trace', () => {
  expect([traceHeaders(null), traceVariables(null), traceText(null)]).toEqual([{}, {}, null])
  const trace = { traceparent: GOOD }
  expect(traceVariables(trace)).toEqual({ TRACEPARENT: GOOD, TRACESTATE: '' })
  expect(traceText(trace)).toBe(GOOD)
})
