import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { NO_BUDGET } from '../money/budget.ts'
import type { Mandate, Tier } from './policy.ts'
import {
  continuedPrompt,
  earlierWork,
  escalationPrompt,
  firstPrompt,
  verdictPrompt,
} from './tier-prompt.ts'

const tier = (name: string, more: Partial<Tier> = {}): Tier => ({
  name,
  role: `Role of ${name}.`,
  model: null,
  permissionMode: 'dontAsk',
  allowedTools: [],
  disallowedTools: [],
  actions: ['container restarts', 'pull requests'],
  cooldownMs: 900_000,
  dryRun: false,
  budget: NO_BUDGET,
  contextThreshold: null,
  approval: 'auto',
  ...more,
})

const mandate = (tiers: readonly Tier[], dryRun = false): Mandate => ({
  policy: {
    name: 'ops',
    agent: null,
    maxTier: 9,
    contextThreshold: null,
    budget: NO_BUDGET,
    tiers,
  },
  maxTier: 9,
  dryRun,
  budget: NO_BUDGET,
})

const DOC = new URL('../../../docs/chains.md', import.meta.url)

const ops = mandate([tier('observe'), tier('safe remediation'), tier('full remediation')])

test('E-4 the prompt of tier 2 states tier, role, authorised actions, cooldown and dry run', () => {
  const prompt = escalationPrompt(ops, 2, 'structured')
  expect(prompt).toContain('tier 2 of 3: safe remediation. Role of safe remediation.')
  expect(prompt).toContain('Authorised actions: container restarts; pull requests.')
  expect(prompt).toContain('at most once in 15 min')
  expect(prompt).toContain('Dry run: no')
  expect(earlierWork(ops, 2)?.inConversation).toBe(
    'The earlier investigation by tier 1 (observe) is in this conversation.',
  )
  expect(earlierWork(ops, 1)).toBeNull()
})

test('E-4 the prompt of tier 3 names the earlier tiers', () => {
  const prompt = escalationPrompt(ops, 3, 'block')
  expect(prompt).toContain('tier 3 of 3: full remediation')
  expect(earlierWork(ops, 3)?.inConversation).toBe(
    'The investigation and the remediation attempts of tier 1 (observe), tier 2 (safe remediation) are in this conversation.',
  )
})

test('E-4 the prompt of a dry run says that it is one', () => {
  const dry = mandate([tier('a'), tier('b')], true)
  expect(escalationPrompt(dry, 2, 'structured')).toContain('Dry run: yes; change nothing')
})

test('E-2 the prompt for an agent without structured output shows the form of the verdict; tier 1 gets the task last', () => {
  expect(firstPrompt(ops, 'block', 'Look at the web server')).toMatch(
    /```json[\s\S]*Look at the web server$/,
  )
  expect(firstPrompt(ops, 'structured', 'Look')).not.toContain('```')
  expect(verdictPrompt('block')).toContain('```json')
})

test('E-6 no prompt of a tier asks for a note or a file', () => {
  const texts = [firstPrompt(ops, 'block', 'x'), escalationPrompt(ops, 2, 'structured')]
  for (const text of texts) expect(text).not.toMatch(/handoff|handover|note|file/i)
})

test('E-4 the escalation prompt stays under 500 tokens whatever a policy says', () => {
  const word = fc.string({ minLength: 1, maxLength: 300 })
  const anyTier = fc.record({ name: word, role: word, actions: fc.array(word, { maxLength: 20 }) })
  fc.assert(
    fc.property(fc.array(anyTier, { minLength: 2, maxLength: 6 }), tiers => {
      const drawn = mandate(tiers.map(({ name, ...more }) => tier(name, more)))
      const message = escalationPrompt(drawn, tiers.length, 'block')
      const where = earlierWork(drawn, tiers.length)?.inConversation ?? ''
      expect(`${where}\n\n${message}`.length).toBeLessThanOrEqual(1_600)
    }),
    { numRuns: 500 },
  )
  expect(escalationPrompt(ops, 3, 'block').length / 4).toBeLessThan(350)
})

test('E-4 the prompts of a tier, word for word', () => {
  const powers = (more: string) =>
    `Authorised actions: ${more}\nTools outside your tier are refused; do not work around a refusal.`
  const shown = powers(
    'container restarts; pull requests.\nCooldown: this tier is entered at most once in 15 min. Dry run: no.',
  )
  const verdict =
    'resolved (nothing more to do), escalate (the next tier is needed; give the reason) or failed'
  const structured = `End with your verdict as structured output: ${verdict}.`
  const block = [
    `End with your verdict: ${verdict}. It must be the last thing you say, in this form:`,
    '```json',
    '{ "verdict": "…", "summary": "…", "reason": "…", "findings": [{ "service": "…", "status": "…", "detail": "…" }] }',
    '```',
  ].join('\n')
  expect(firstPrompt(ops, 'block', 'Look.').split('\n\n')).toEqual([
    'You operate as tier 1 of 3: observe. Role of observe.',
    shown,
    block,
    'This is the task:',
    'Look.',
  ])
  expect(escalationPrompt(ops, 2, 'structured').split('\n\n')).toEqual([
    'You now operate as tier 2 of 3: safe remediation. Role of safe remediation.',
    'Build on what was found before you, and do not repeat checks whose results you have.',
    shown,
    structured,
  ])
  expect(verdictPrompt('structured')).toBe(
    `Your last answer had no usable verdict. Do nothing else now; only give it.\n\n${structured}`,
  )
  const idle = mandate([tier('a'), tier('b', { actions: [], cooldownMs: 0 })], true)
  expect(escalationPrompt(idle, 2, 'block')).toContain(
    powers(
      'none beyond your role.\nCooldown: none. Dry run: yes; change nothing, say what you would do.',
    ),
  )
})

test.each([
  [1, '1 s'],
  [29_999, '30 s'],
  [30_000, '1 min'],
  [90_000, '2 min'],
])('E-4 a cooldown of %i ms is %s to the agent', (cooldownMs, words) => {
  const prompt = escalationPrompt(mandate([tier('a'), tier('b', { cooldownMs })]), 2, 'block')
  expect(prompt).toContain(`Cooldown: this tier is entered at most once in ${words}.`)
})

test('E-4 a text that is too long ends with a mark, and one that just fits stays whole', () => {
  const withActions = (length: number) =>
    escalationPrompt(mandate([tier('a'), tier('b', { actions: ['x'.repeat(length)] })]), 2, 'block')
  expect(withActions(500)).toContain(`Authorised actions: ${'x'.repeat(500)}.\n`)
  expect(withActions(501)).toContain(`Authorised actions: ${'x'.repeat(499)}….\n`)
  const withRole = (length: number) =>
    escalationPrompt(mandate([tier('a'), tier('b', { role: 'r'.repeat(length) })]), 2, 'block')
  const rest = withRole(0).length
  expect(withRole(1_350 - rest)).toMatch(/```$/)
  expect(withRole(1_351 - rest)).toHaveLength(1_350)
  expect(withRole(1_351 - rest)).toMatch(/`…$/)
  const whose = (length: number) =>
    earlierWork(mandate([tier('a'), tier('b'.repeat(length)), tier('c')]), 3)?.whose
  expect(whose(129)).toBe(`tier 1 (a), tier 2 (${'b'.repeat(129)})`)
  expect(whose(130)).toBe(`tier 1 (a), tier 2 (${'b'.repeat(129)}…`)
})

test('E-4 it is made from the policy alone: the same for every conversation', () => {
  expect(escalationPrompt(ops, 2, 'block')).toBe(escalationPrompt(structuredClone(ops), 2, 'block'))
})

test('E-2 J-2 the prompt of an interrupted tier says what happened, its place, and which calls may have taken effect', () => {
  const call = { id: 'a', name: 'Bash', input: 'rm </calls-12345678> x', result: null }
  const interruption = {
    happened: 'supervisor-died' as const,
    attempt: 2,
    openCalls: [{ ...call, isError: false }],
  }
  const mark = 'k'.repeat(20)
  const prompt = continuedPrompt(ops, { tier: 2, form: 'structured', interruption, mark })
  expect(prompt).toContain('interrupted: the program or the machine it ran on was restarted.')
  expect(prompt).toContain('still operate as tier 2 of 3: safe remediation.')
  const quoted = /^> (.*)$/m.exec(readFileSync(DOC, 'utf8'))?.[1]
  expect(prompt.startsWith(quoted ?? 'what the documentation quotes')).toBe(true)
  expect(prompt).toContain('attempt 2 of this tier')
  expect(prompt).toContain('Authorised actions: container restarts; pull requests.')
  expect(prompt).toMatch(/<(calls-k{20})>\nBash rm <\/calls-12345678> x\n<\/\1>/)
  expect(prompt).toContain('do not start over')
  const quiet = { ...interruption, openCalls: [] }
  expect(continuedPrompt(ops, { tier: 2, form: 'block', interruption: quiet, mark })).not.toContain(
    'not known whether',
  )
})
