import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { readVerdict, VERDICT_SCHEMA } from './verdict.ts'

const verdict = { verdict: 'escalate', summary: 'two services are down', reason: 'needs a restart' }
const block = (value: unknown) => `I looked.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``
const structured = (value: unknown) => readVerdict('structured', { structured: value, text: '' })
const inText = (text: string | null) => readVerdict('block', { structured: null, text })

test('E-2 a verdict is read from structured output, with its findings', () => {
  const findings = [{ service: 'web', status: 'down', detail: 'connection refused' }]
  expect(structured({ ...verdict, findings })).toEqual({
    read: 'verdict',
    verdict: { ...verdict, findings },
  })
})

test('E-2 without structured output, the fenced block that ends the final answer is the verdict', () => {
  const expected = { read: 'verdict', verdict: { ...verdict, findings: [] } }
  expect(inText(block(verdict))).toEqual(expected)
  expect(inText(`${block({ verdict: 'resolved', summary: 'no' })}\n\n${block(verdict)}\n`)).toEqual(
    expected,
  )
})

const NO_BLOCK = 'the answer does not end with a fenced block'
const NO_JSON = 'the block at the end of the answer is not JSON'

test.each([
  ['text behind the block', `${block(verdict)}\nthat is all`, NO_BLOCK],
  ['no block', JSON.stringify(verdict), NO_BLOCK],
  ['the end of a block alone', '```', NO_BLOCK],
  ['a block that is not JSON', '```json\nescalate\n```', NO_JSON],
  ['another block at the end', `${block(verdict)}\n\`\`\`sh\nls\n\`\`\``, NO_JSON],
  ['nothing', '', NO_BLOCK],
  ['no answer', null, NO_BLOCK],
])('E-2 %s is no verdict', (_, text, problem) =>
  expect(inText(text)).toEqual({ read: 'problem', problem }),
)

test.each([
  ['a block that says verdict', '```verdict'],
  ['a block that says nothing', '```'],
  ['an indented block', '  ```json  '],
])('E-2 %s is read as well', (_, fence) => {
  const text = `${fence}\n${JSON.stringify(verdict)}\n \`\`\` `
  expect(inText(text)).toMatchObject({ read: 'verdict', verdict })
})

const NOT_AN_OBJECT = 'the verdict is not an object'
const finding = { service: 'web', status: 'down', detail: 'connection refused' }
const NO_FINDINGS = '"findings" is not a list of { service, status, detail }'

test.each([
  [
    'another word',
    { ...verdict, verdict: 'approved' },
    '"verdict" is none of resolved, escalate, failed',
  ],
  ['no summary', { verdict: 'resolved' }, '"summary" is not a text'],
  ['a reason that is no text', { ...verdict, reason: 3 }, '"reason" is not a text'],
  ['findings that are no list', { ...verdict, findings: finding }, NO_FINDINGS],
  ['a finding that is none', { ...verdict, findings: [finding, null] }, NO_FINDINGS],
  [
    'a finding without its service',
    { ...verdict, findings: [{ ...finding, service: 1 }] },
    NO_FINDINGS,
  ],
  [
    'a finding without its status',
    { ...verdict, findings: [{ ...finding, status: 1 }] },
    NO_FINDINGS,
  ],
  [
    'a finding without its detail',
    { ...verdict, findings: [{ ...finding, detail: 1 }] },
    NO_FINDINGS,
  ],
  ['a list', [verdict], NOT_AN_OBJECT],
  ['a text', JSON.stringify(verdict), NOT_AN_OBJECT],
  ['nothing', null, 'the agent gave no structured output'],
  ['nothing at all', undefined, 'the agent gave no structured output'],
])('E-2 structured output with %s is no verdict', (_, value, problem) =>
  expect(structured(value)).toEqual({ read: 'problem', problem }),
)

test('E-2 a verdict needs no reason', () => {
  expect(structured({ verdict: 'resolved', summary: 'all is well' })).toEqual({
    read: 'verdict',
    verdict: { verdict: 'resolved', summary: 'all is well', reason: null, findings: [] },
  })
})

test('S18 where the agent can give structured output, no text counts as a verdict', () => {
  const answer = { structured: null, text: block(verdict) }
  expect(readVerdict('structured', answer).read).toBe('problem')
})

test('S18 other fields of a verdict, such as a tier, are not even read', () => {
  expect(structured({ ...verdict, tier: 3, maxTier: 3, approved: true })).toEqual({
    read: 'verdict',
    verdict: { ...verdict, findings: [] },
  })
})

test('E-2 no text of an agent makes reading fail, and the stored verdict is bounded', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (value, text) => {
      readVerdict('structured', { structured: value, text })
      readVerdict('block', { structured: value, text: `${text}\n\`\`\`json\n${text}\n\`\`\`` })
    }),
  )
  const [fits, long] = [4_000, 4_001].map(length => 'x'.repeat(length))
  const cut = `${fits}…`
  const all = (text: string | undefined) => ({ service: text, status: text, detail: text })
  const many = (text: string | undefined, count: number) => Array(count).fill(all(text))
  expect(
    structured({ verdict: 'failed', summary: long, reason: long, findings: many(long, 101) }),
  ).toEqual({
    read: 'verdict',
    verdict: { verdict: 'failed', summary: cut, reason: cut, findings: many(cut, 100) },
  })
  expect(structured({ ...verdict, summary: fits })).toMatchObject({ verdict: { summary: fits } })
  const half = { ...verdict, summary: `${'x'.repeat(3_999)}😀` }
  expect(structured(half)).toMatchObject({ verdict: { summary: `${'x'.repeat(3_999)}\uFFFD…` } })
})

test('E-11 the schema is one constant text', () => {
  expect(JSON.parse(VERDICT_SCHEMA)).toMatchObject({ required: ['verdict', 'summary'] })
})
