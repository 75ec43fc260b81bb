import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readVerdict, VERDICT_SCHEMA } from './verdict.ts'

const verdict = { verdict: 'escalate', summary: 'two services are down', reason: 'needs a restart' }
const block = (value: unknown) => `I looked.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``
const structured = (value: unknown) => readVerdict('structured', { structured: value, text: '' })
const inText = (text: string) => readVerdict('block', { structured: null, text })

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

test.each([
  ['text behind the block', `${block(verdict)}\nthat is all`],
  ['no block', JSON.stringify(verdict)],
  ['a block that is not JSON', '```json\nescalate\n```'],
  ['another block at the end', `${block(verdict)}\n\`\`\`sh\nls\n\`\`\``],
  ['nothing', ''],
])('E-2 %s is no verdict', (_, text) => expect(inText(text).read).toBe('problem'))

test.each([
  ['another word', { ...verdict, verdict: 'approved' }],
  ['no summary', { verdict: 'resolved' }],
  ['a reason that is no text', { ...verdict, reason: 3 }],
  ['findings that are none', { ...verdict, findings: [{ service: 'web' }] }],
  ['a list', [verdict]],
  ['a text', JSON.stringify(verdict)],
  ['nothing', null],
])('E-2 structured output with %s is no verdict', (_, value) =>
  expect(structured(value).read).toBe('problem'),
)

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
  const long = structured({ verdict: 'failed', summary: 'x'.repeat(100_000) })
  expect(JSON.stringify(long).length).toBeLessThan(5_000)
})

test('E-11 the schema is one constant text', () => {
  expect(JSON.parse(VERDICT_SCHEMA)).toMatchObject({ required: ['verdict', 'summary'] })
})
