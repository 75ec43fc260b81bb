import { describe, expect, test } from 'vitest'
import { schemaOf } from './contract/document.ts'
import { inputFault } from './input-fault.ts'

/** What the daemon says about a body; `null` when it has no fault. */
function saidOf(route: string, body: unknown): string | null {
  const [method = '', path = ''] = route.split(' ')
  const schema = schemaOf(method, path, 'json')
  const read = schema?.safeParse(body)
  if (!schema || !read || read.success) return null
  const { message, hint } = inputFault('json', read.error, schema)
  return hint.startsWith('See /docs') ? message : `${message}. ${hint}`
}

describe('U-4 an answer to a question that fits no form', () => {
  const said = (body: object) =>
    saidOf('POST /api/runs/:id/tool-result', { toolUseId: 'toolu_1', ...body })

  test.each([
    [{}, 'content or allow is missing'],
    [{ allow: 'yes' }, 'allow: Invalid input: expected boolean, received string'],
    [
      { allow: true, for: 'ever' },
      'for does not go with the other fields of the body, or has a wrong value',
    ],
    [{ content: 5 }, 'content: Invalid input: expected string or record'],
    [{ content: { Which: 1 } }, 'content.Which: Invalid input: expected string or array'],
    [
      { allow: true, because: 'x' },
      'the body has an unknown field "because". Known: toolUseId, content, allow, message, for.',
    ],
    [
      { allow: true, content: 'yes' },
      'allow does not go with the other fields of the body, or has a wrong value',
    ],
    [{ toolUseId: undefined, allow: true }, 'toolUseId is missing'],
  ])('%j: %s', (body, words) => {
    expect(said(body)).toBe(words)
  })
})

describe('U-4 a chain whose policy is wrong', () => {
  const said = (policy: unknown) =>
    saidOf('POST /api/chains', { prompt: 'Look', workDir: '/project', policy })
  const tier = { name: 'observe', role: 'Look', allowedTools: ['Read'] }

  test.each([
    [undefined, 'policy is missing'],
    [7, 'policy: Invalid input: expected string or object'],
    [{ name: 'ops', tiers: [{ ...tier, role: undefined }] }, 'policy.tiers.0.role is missing'],
    [
      { name: 'ops', tiers: [{ ...tier, modell: 'x' }] },
      'policy.tiers.0 has an unknown field "modell". Did you mean "model"?',
    ],
  ])('%j: %s', (policy, words) => {
    expect(said(policy)).toBe(words)
  })
})

test('U-4 an unknown field inside of another one is said to be there, with what may stand there', () => {
  expect(saidOf('POST /api/threads', { workspace: { repository: '/r', branch: 'main' } })).toBe(
    'workspace has an unknown field "branch". Known: repository, ref.',
  )
})

test('U-4 the error about a recurrence that is neither in steps nor a cron expression says what it may be', () => {
  const said = (schedule: unknown) =>
    saidOf('POST /api/jobs', { prompt: 'Look', workDir: '/project', schedule })
  expect(said({})).toBe('schedule.everyMs or schedule.cron is missing')
  expect(said({ every: 5 })).toBe(
    'schedule has an unknown field "every". Known: everyMs, cron, timezone.',
  )
  expect(said(5)).toBe('schedule: Invalid input: expected string or object')
})
