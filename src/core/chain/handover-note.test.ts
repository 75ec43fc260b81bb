import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
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

test('E-6 a note says how each call ended, and shortens what is long', () => {
  const [long, detail] = ['y'.repeat(5_000), 'z'.repeat(401)]
  const cut = (text: string, chars: number) => `${text.slice(0, chars - 1)}…`
  const tools = [
    tool({ isError: true }),
    tool({ result: null }),
    tool({ input: long, result: long }),
    tool({ input: 'i'.repeat(400), result: 'r'.repeat(1_500) }),
  ]
  const finding = { service: detail, status: detail, detail }
  const findings = [finding, ...Array(30).fill({ ...finding, service: '', status: '', detail: '' })]
  const short = cut(detail, 400)
  const answers = [answer('earlier', [tool()]), answer(long, tools)]
  const longVerdict = { ...verdict, summary: '', reason: detail, findings }
  expect(buildNote(long, [done({ verdict: longVerdict, answers: [answer(long)] })])).toEqual({
    version: 1,
    task: cut(long, 4_000),
    tiers: [
      {
        tier: 1,
        name: 'observe',
        verdict: 'escalate',
        summary: cut(long, 2_000),
        reason: short,
        findings: [{ service: short, status: short, detail: short }, ...findings.slice(1, 30)],
        tools: [],
        toolsLeftOut: 0,
      },
    ],
  })
  const noted = { name: 'Bash', input: '{"command":"curl web"}' }
  expect(buildNote('task', [done({ verdict: null, answers })]).tiers).toEqual([
    {
      tier: 1,
      name: 'observe',
      verdict: null,
      summary: cut(long, 2_000),
      reason: '',
      findings: [],
      tools: [
        { ...noted, result: 'connection refused' },
        { ...noted, result: 'failed: connection refused' },
        { ...noted, result: '(how it ended is not known)' },
        { ...noted, input: cut(long, 400), result: cut(long, 1_500) },
        { ...noted, input: 'i'.repeat(400), result: 'r'.repeat(1_500) },
      ],
      toolsLeftOut: 0,
    },
  ])
  expect(buildNote('task', [done({ verdict: null, answers: [] })]).tiers[0]?.summary).toBe('')
})

test('E-6 S20 results get shorter before calls are left out, and a note of too many tiers keeps the task', () => {
  const calls = (count: number, chars: number) =>
    done({
      verdict: null,
      answers: [answer('', Array(count).fill(tool({ result: 'x'.repeat(chars) })))],
    })
  const kept = (made: DoneTier) => {
    const [noted] = buildNote('task', [made]).tiers
    return [noted?.tools.length, noted?.tools[0]?.result.length, noted?.toolsLeftOut]
  }
  expect(kept(calls(61, 9))).toEqual([60, 9, 1])
  expect(kept(calls(10, 1_500))).toEqual([10, 1_500, 0])
  expect(kept(calls(20, 1_500))).toEqual([5, 1_500, 15])
  const full = [answer('a'.repeat(2_000), [tool({ result: 'r'.repeat(60) })])]
  const nine = Array.from({ length: 9 }, (_, at) =>
    done({ tier: at + 1, answers: full, verdict: null }),
  )
  expect(buildNote('t'.repeat(4_000), nine).tiers.map(({ tools }) => tools)).toEqual(
    Array(9).fill([]),
  )
  const tiersWith = (length: number) =>
    Array.from({ length }, (_, at) =>
      done({ tier: at + 1, answers: [answer('a'.repeat(2_000))], verdict: null }),
    )
  expect(buildNote('t'.repeat(4_001), tiersWith(200))).toEqual({
    version: 1,
    task: `${'t'.repeat(3_999)}…`,
    tiers: [],
  })
})

test('E-6 tiers with much to say say less each, and none of them is left out', () => {
  const long = 'f'.repeat(400)
  const findings = Array.from({ length: 30 }, (_, at) => ({
    service: `${at} ${long}`,
    status: long,
    detail: long,
  }))
  const one = buildNote('task', [done(), done({ tier: 2, verdict: { ...verdict, findings } })])
  expect(one.tiers.map(({ tier }) => tier)).toEqual([1, 2])
  expect(one.tiers[0]?.findings).toEqual(verdict.findings)
  expect(one.tiers[1]?.findings).toHaveLength(30)
  expect(one.tiers[1]?.findings[29]?.service).toMatch(/^29 f{146}…$/)
  const talkative = { ...verdict, summary: 's'.repeat(2_000), findings }
  for (const [count, kept, summaryChars] of [
    [3, 15, 1_000],
    [7, 5, 400],
    [20, 0, 200],
  ] as const) {
    const tiers = Array.from({ length: count }, (_, at) =>
      done({ tier: at + 1, verdict: talkative }),
    )
    const note = buildNote('task', tiers)
    expect(noteText(note).length).toBeLessThanOrEqual(MAX_NOTE_CHARS)
    const said = note.tiers.map(tier => [tier.findings.length, tier.summary.length])
    expect(said).toEqual(Array(count).fill([kept, summaryChars]))
  }
})

test('E-6 a note whose tiers are out of order, or that names no task, is not used', () => {
  const problem = (...numbers: readonly number[]) =>
    problemOfNote(
      buildNote(
        'x',
        numbers.map(number => done({ tier: number })),
      ),
    )
  expect(problemOfNote(buildNote('', [done()]))).toBe('it names no task')
  expect(problem(2, 1)).toBe('its tiers are not in order')
  expect(problem(1, 1)).toBe('its tiers are not in order')
  expect(problem(0, 1)).toBe('its tiers are not in order')
  expect(problem(2, 3)).toBeNull()
  const note = { version: 1, task: '', tiers: [] } as const
  const rest = noteText(note).length
  expect(problemOfNote({ ...note, task: 'x'.repeat(24_000 - rest) })).toBeNull()
  expect(problemOfNote({ ...note, task: 'x'.repeat(24_001 - rest) })).toBe(
    'it has 24001 characters',
  )
})
