import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldsIn } from '../fields.ts'
import { copyRollout } from './copy-rollout.ts'
import { linesIn, turnsIn } from './rollout.ts'
import { sessionFiles } from './session-files.ts'

const RECORDED = readFileSync(
  join(import.meta.dirname, '../../../test/recordings/codex/0.169.0/resume.session.jsonl'),
  'utf8',
)
const OLD_ID = '00000000-0000-7000-8000-000000000001'
const TARGET = { sessionId: '01a1eaf0-b463-7a32-aa59-f346ec30b17f', workDir: '/here' }
const bytes = (text: string) => new TextEncoder().encode(text)
const copied = (text = RECORDED) => linesIn(bytes(copyRollout(bytes(text), TARGET)))

test('V-3 a rollout travels with its turns under the new id, in the new work dir', () => {
  const lines = copied()
  expect(turnsIn(lines).map(({ id, prompts, answers }) => [id, prompts, answers])).toEqual(
    turnsIn(linesIn(bytes(RECORDED))).map(({ id, prompts, answers }) => [id, prompts, answers]),
  )
  expect(lines[0]?.payload).toMatchObject({
    id: TARGET.sessionId,
    session_id: TARGET.sessionId,
    cwd: '/here',
  })
  expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, at) => at))
  expect(JSON.stringify(lines)).not.toContain(OLD_ID)
})

test('S24 nothing that rules the program travels: no instructions, rules, settings or reasoning', () => {
  const lines = copied()
  const kinds = new Set(lines.map(line => `${line.type} ${fieldsIn(line.payload)?.type ?? ''}`))
  expect([...kinds].toSorted()).toEqual([
    'event_msg item_completed',
    'event_msg task_complete',
    'event_msg task_started',
    'event_msg token_count',
    'response_item message',
    'session_meta ',
    'token_usage_record ',
  ])
  const roles = lines.flatMap(line => fieldsIn(line.payload)?.role ?? [])
  expect(roles).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(JSON.stringify(lines)).not.toMatch(
    /base_instructions|sandbox_policy|environment_context|developer|Reasoning|model_provider|\/world/,
  )
})

test('V-3 calls and their outputs travel', () => {
  const call = { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }
  const items = [call, output].map(payload => JSON.stringify({ type: 'response_item', payload }))
  const types = copied(`${RECORDED}${items.join('\n')}\n`).map(line => fieldsIn(line.payload)?.type)
  expect(types.slice(-2)).toEqual(['function_call', 'function_call_output'])
})

test.each([
  ['nothing', ''],
  ['no first line of codex', RECORDED.split('\n').slice(1).join('\n')],
  ['a fork', RECORDED.replace('"id":', '"forked_from_id":"x","id":')],
  ['no text', '\0\xff{"type":"session_meta"'],
])('V-3 a file that holds %s does not travel', (_, text) => {
  expect(copyRollout(bytes(text), TARGET)).toBe('')
  expect(sessionFiles.copyAs?.(bytes(text), TARGET)).toBe('')
})
