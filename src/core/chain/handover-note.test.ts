import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message, ToolUse } from '../conversation/messages.ts'
import {
  buildNote,
  type DoneTier,
  MAX_NOTE_CHARS,
  noteText,
  problemOfNote,
} from './handover-note.ts'
import type { Verdict } from './verdict.ts'

const tool = (more: Partial<ToolUse> = {}): ToolUse => ({
  id: 't',
  name: 'Bash',
  input: '{"command":"curl web"}',
  result: 'connection refused',
  isError: false,
  ...more,
})

const answer = (text: string, tools: readonly ToolUse[] = []): Message => ({
  id: 'msg',
  role: 'assistant',
  agent: 'claude-code',
  text,
  tools,
  interrupted: false,
  hash: '',
  runId: null,
  createdAt: 0,
})

const verdict: Verdict = {
  verdict: 'escalate',
  summary: 'web is down',
  reason: 'needs a restart',
  findings: [{ service: 'web', status: 'down', detail: 'port 80 is closed' }],
}

const done = (more: Partial<DoneTier> = {}): DoneTier => ({
  tier: 1,
  name: 'observe',
  verdict,
  answers: [answer('I looked.', [tool()])],
  ...more,
})

test('E-6 the note holds findings, tools and their results of every tier below', () => {
  const note = buildNote('check the fleet', [
    done(),
    done({ tier: 2, name: 'safe', verdict: null }),
  ])
  expect(problemOfNote(note)).toBeNull()
  expect(note).toMatchObject({
    task: 'check the fleet',
    tiers: [
      {
        tier: 1,
        verdict: 'escalate',
        summary: 'web is down',
        findings: verdict.findings,
        tools: [{ name: 'Bash', result: 'connection refused' }],
      },
      { tier: 2, verdict: null, summary: 'I looked.' },
    ],
  })
})

test('E-6 S20 the note is bounded, whatever the tiers left; the latest calls stay longest', () => {
  const text = fc.string({ maxLength: 5_000 })
  const anyTool = fc.record({ input: text, result: fc.option(text) })
  fc.assert(
    fc.property(
      text,
      fc.array(fc.array(anyTool, { maxLength: 30 }), { maxLength: 4 }),
      (task, all) => {
        const tiers = all.map((tools, at) =>
          done({
            tier: at + 1,
            answers: [
              answer(
                task,
                tools.map(drawn => tool(drawn)),
              ),
            ],
          }),
        )
        const note = buildNote(`task ${task}`, tiers)
        expect(noteText(note).length).toBeLessThanOrEqual(MAX_NOTE_CHARS)
        expect(problemOfNote(note)).toBeNull()
      },
    ),
    { numRuns: 200 },
  )
  const many = Array.from({ length: 500 }, (_, at) =>
    tool({ result: `${at} ${'x'.repeat(3_000)}` }),
  )
  const note = buildNote('task', [done({ answers: [answer('', many)] })])
  expect(note.tiers[0]?.tools.at(-1)?.result).toMatch(/^499 /)
  expect(note.tiers[0]?.toolsLeftOut).toBe(500 - (note.tiers[0]?.tools.length ?? 0))
})

test('E-6 a note whose tiers are out of order, or that names no task, is not used', () => {
  expect(problemOfNote(buildNote('', [done()]))).toContain('task')
  expect(problemOfNote(buildNote('x', [done({ tier: 2 }), done({ tier: 1 })]))).toContain('order')
})
