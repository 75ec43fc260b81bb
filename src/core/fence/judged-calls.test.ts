// Calls against the rules of a tier: places, limits of a line, and the words of a refusal.
import { expect, test } from 'vitest'
import type { Mandate, Policy, Tier } from '../chain/policy.ts'
import { NO_BUDGET } from '../money/budget.ts'
import type { AgentEvent } from '../run/events.ts'
import { deferrable } from './deferral.ts'
import { dryRules } from './dry-run.ts'
import { fenceOf, outsideOf, outsideWords, type ToolFacts, watchFence } from './fence.ts'
import { literal, type ReadShell } from './shell-line.ts'
import { commandOf, fitsPlace, namesTool, parseRule } from './tool-rules.ts'

/** Splits at blanks; `%` makes a command that sets a variable, `>` one that writes a file. */
const readShell: ReadShell = line =>
  line.includes('?')
    ? { problem: 'it is a riddle' }
    : {
        commands: line.split(';').map(part => ({
          words: part.trim().split(' ').filter(Boolean).map(literal),
          sets: part.includes('%') ? ['PATH'] : [],
          writesTo: part.includes('>') ? [literal('x')] : [],
          hasMoreWords: false,
        })),
      }
const facts: ToolFacts = {
  harmless: ['TodoWrite'],
  aliases: [
    ['Task', 'Agent'],
    ['TodoWrite', 'TaskUpdate'],
  ],
  shells: ['Bash', 'Monitor'],
  readShell,
}
const judged = (
  rules: { allow?: readonly string[]; deny?: readonly string[] },
  name: string,
  input: object = {},
) =>
  outsideOf(
    fenceOf({ allowedTools: rules.allow ?? [], disallowedTools: rules.deny ?? [] }, facts),
    {
      name,
      input: JSON.stringify(input),
    },
  )
const bash = (rules: Parameters<typeof judged>[0], command: string) =>
  judged(rules, 'Bash', { command })

test('E-5 a rule about a place forbids the calls there and no others', () => {
  const rules = { allow: ['Read', 'Write'], deny: ['Read(/etc/*)', 'Bash(helm:*)'] }
  const forbidden = { tool: 'Read', why: 'forbidden', rule: 'Read(/etc/*)' }
  expect(judged(rules, 'Read', { file_path: '/etc/passwd' })).toEqual(forbidden)
  expect(judged(rules, 'Read', { file_path: '/tmp/x' })).toBeNull()
  expect(judged(rules, 'Write', { file_path: '/etc/passwd', command: 'helm' })).toBeNull()
})

test('E-14 a harmless tool needs no rule under any of its names', () => {
  expect(judged({}, 'TodoWrite')).toBeNull()
  expect(judged({}, 'TaskUpdate')).toBeNull()
  expect(judged({}, 'Read')).toEqual({ tool: 'Read', why: 'not-allowed', command: null })
})

test('E-5 a text that is not a rule allows and forbids nothing', () => {
  expect(judged({ allow: ['Bash(', 'Read'] }, 'Bash')).toMatchObject({ why: 'not-allowed' })
  expect(judged({ allow: ['Read'], deny: ['-x'] }, 'Read')).toBeNull()
})

test('E-5 every tool that is a shell is judged by its command', () => {
  const rules = { allow: ['Monitor', 'Bash'], deny: ['Monitor(helm:*)'] }
  expect(judged(rules, 'Monitor', { command: 'helm list' })).toMatchObject({ why: 'forbidden' })
  expect(judged(rules, 'Bash', { command: 'helm list' })).toBeNull()
})

test.each<[string, Parameters<typeof judged>[0], string, object | null]>([
  ['a shell without rules about commands', { allow: ['Bash'] }, 'a ?', null],
  [
    'a command beside an allowed one',
    { allow: ['Bash(make:*)', 'Bash(npm:*)'] },
    'npm x; rm y',
    { tool: 'Bash', why: 'not-allowed', command: 'rm y' },
  ],
  [
    'allowed commands of two rules',
    { allow: ['Bash(make:*)', 'Bash(npm:*)'] },
    'npm x; make',
    null,
  ],
  ['a whole shell beside a rule', { allow: ['Bash', 'Bash(npm:*)'] }, 'rm y', null],
  ['a command that only reads', { allow: ['Bash(make:*)'] }, 'ls x', null],
  [
    'a wrapper that sets a variable',
    { allow: ['Bash(make:*)'] },
    '% nice make',
    { tool: 'Bash', why: 'not-allowed', command: '% nice make' },
  ],
  [
    'a wrapper that writes a file',
    { allow: ['Bash(make:*)'] },
    'nice make >',
    { tool: 'Bash', why: 'not-allowed', command: 'nice make >' },
  ],
  [
    'a script inside of a shell',
    { allow: ['Bash(make:*)'] },
    'bash -c make',
    { tool: 'Bash', why: 'not-allowed', command: 'bash -c make' },
  ],
  [
    'a program that is not known, under rules that forbid',
    { allow: ['Bash'], deny: ['Bash(helm:*)'] },
    'source /dev/stdin',
    {
      tool: 'Bash',
      why: 'unreadable',
      problem: 'the file that it runs is known only when it runs',
    },
  ],
  [
    'a program that is not known, under rules that allow',
    { allow: ['Bash(make:*)'] },
    'source /dev/stdin',
    { tool: 'Bash', why: 'not-allowed', command: 'source /dev/stdin' },
  ],
  [
    'an allowed program behind 20 wrappers',
    { allow: ['Bash(make:*)'] },
    `${'nice '.repeat(20)}make`,
    null,
  ],
  [
    'one behind 21 wrappers',
    { allow: ['Bash(make:*)'] },
    `${'nice '.repeat(21)}make`,
    { tool: 'Bash', why: 'not-allowed', command: `${'nice '.repeat(15)}nice…` },
  ],
])('E-5 %s', (_, rules, command, expected) => {
  expect(bash(rules, command)).toEqual(expected)
})

test('E-5 U-3 a line that starts more than 500 commands, or runs too long a script, is not judged', () => {
  const deny = { allow: ['Bash'], deny: ['Bash(helm:*)'] }
  const tooMany = { tool: 'Bash', why: 'unreadable', problem: 'it starts too many commands' }
  const lines = (count: number, each: string) => Array(count).fill(each).join(';')
  expect(bash(deny, lines(500, 'ls'))).toBeNull()
  expect(bash(deny, lines(501, 'ls'))).toEqual(tooMany)
  expect(bash(deny, lines(250, 'nice ls'))).toBeNull()
  expect(bash(deny, lines(251, 'nice ls'))).toEqual(tooMany)
  const script = (chars: number) => `eval ${'x'.repeat(chars)}`
  expect(bash(deny, script(64_000))).toBeNull()
  expect(bash(deny, script(64_001))).toEqual(tooMany)
  expect(bash(deny, `${script(32_001)};${script(32_000)}`)).toEqual(tooMany)
})

test('E-5 the words of a refusal', () => {
  const tool = 'Bash'
  const words = [
    outsideWords({ tool, why: 'forbidden', rule: 'Bash(helm:*)' }),
    outsideWords({ tool, why: 'not-allowed', command: null }),
    outsideWords({ tool, why: 'not-allowed', command: 'rm x' }),
    outsideWords({ tool, why: 'unreadable', problem: 'it is a riddle' }),
  ]
  expect(words).toEqual([
    'the tier forbids Bash(helm:*)',
    'no rule of the tier allows it',
    'no rule of the tier allows `rm x`',
    'the rules of the tier cannot judge its command: it is a riddle',
  ])
})

test('E-5 a call is a violation at the end of the run unless it was refused, ended, or allowed as a whole', () => {
  const call = (id: string, input: string): AgentEvent => ({
    ...{ type: 'tool', id, name: 'Bash', input, parentId: null },
  })
  const end = { type: 'result', terminalReason: 'completed' } as AgentEvent
  const watch = () =>
    watchFence(fenceOf({ allowedTools: ['Bash'], disallowedTools: ['Bash(helm:*)'] }, facts))
  const cut = '{"command":"echo xxx…'
  const helm = '{"command":"helm list"}'

  const allowed = watch()
  allowed.see(call('a', cut))
  allowed.notePassed('a')
  expect(allowed.see(end)).toBeNull()
  allowed.see(call('b', cut))
  expect(allowed.see({ type: 'text', text: 'x' })).toBeNull()
  expect(allowed.see(end)).toMatchObject({ ended: 'unknown' })

  const riddle = watch()
  riddle.notePassed('a')
  riddle.see(call('a', '{"command":"?"}'))
  expect(riddle.see(end)).toMatchObject({ call: { problem: 'it is a riddle' } })

  const known = watch()
  known.notePassed('a')
  known.see(call('a', helm))
  expect(known.see(end)).toMatchObject({ call: { why: 'forbidden' } })

  const ended = watch()
  ended.see(call('a', helm))
  const denied = { type: 'tool-result', id: 'a', isError: true, denied: true, text: '' } as const
  expect(ended.see(denied)).toBeNull()
  expect(ended.see(end)).toBeNull()
})

test.each([
  ['mcp__files', 'mcp__filesystem__read', false],
  ['files', 'files__read', false],
  ['Re.d', 'Read', false],
])('E-5 %s is about calls of %s: %s', (text, name, expected) => {
  const rule = parseRule(text)
  expect(rule && namesTool(rule, name)).toBe(expected)
})

test('E-5 a call without a command has none, whatever its input is', () => {
  expect(['null', '3', '"command"', '{}', '[]', '{"command":3}'].map(commandOf)).toEqual(
    Array(6).fill(null),
  )
})

test('E-5 a place is found in escapes, also where the input was cut in the middle of one', () => {
  expect(fitsPlace('/a b/*', '{"file_path":"/a\\u0020b/c"}')).toBe(true)
  expect(fitsPlace('/etc/*', '{"file_path" : "/etc/\\u00')).toBe(true)
  expect(fitsPlace('undefined', '{"x":1}')).toBe(false)
})

const dry = { tools: ['Read'], aliases: [], shells: ['Bash'] }

test.each([
  ['Bash(ls *)', ['Bash(ls *)']],
  ['Bash(ls)', ['Bash(ls)']],
  ['Bash(docker ps:*)', ['Bash(docker ps:*)']],
  ['Bash(ls :* x)', []],
  ['Bash(ls x*:*)', []],
  ['Bash(sort:*)', ['Bash(sort:*)']],
  ['Bash(', []],
])('E-13 a dry run keeps of %s: %j', (rule, expected) => {
  expect(dryRules([rule, rule], dry)).toEqual(expected)
})

const tier = (
  allowedTools: readonly string[],
  disallowedTools: readonly string[],
  dryRun = false,
): Tier => ({
  ...{ name: 't', role: 'r', model: null, permissionMode: 'dontAsk', actions: [], cooldownMs: 0 },
  ...{ dryRun, budget: NO_BUDGET, contextThreshold: null, approval: 'auto' as const },
  allowedTools,
  disallowedTools,
})
const mandate = (...tiers: readonly Tier[]): Mandate => {
  const limits = { maxTier: tiers.length, budget: NO_BUDGET }
  const policy: Policy = {
    name: 'p',
    agent: null,
    contextThreshold: null,
    ...limits,
    tiers,
    whenForbidden: 'defer',
  }
  return { policy, dryRun: false, ...limits }
}

test.each<[string, Mandate, object | null]>([
  [
    'nothing, where the next tier may do no more',
    mandate(tier(['Read'], []), tier(['Read'], [])),
    null,
  ],
  ['nothing of a tier that is a dry run', mandate(tier([], [], true), tier(['Write'], [])), null],
  ['nothing for a tier that is a dry run', mandate(tier([], []), tier(['Write'], [], true)), null],
  [
    'whole tools, not patterns or single commands',
    mandate(tier([], []), tier(['Write', 'mcp__*', 'Bash(ls:*)', 'a-b'], [])),
    { tools: ['Write'], commands: [] },
  ],
  [
    'a tool of which the tier forbids only a part',
    mandate(tier([], ['Write(/etc/*)']), tier(['Write'], [])),
    { tools: ['Write'], commands: [] },
  ],
  [
    'plain commands of the shell',
    mandate(
      tier(
        ['Bash'],
        ['Bash(helm:*)', 'Bash(a*b:*)', 'Bash(x)', 'Bash', 'Read(y:*)', 'Bash(-x:*:*)'],
      ),
      tier(['Bash'], []),
    ),
    { tools: [], commands: ['helm'] },
  ],
])('E-10 a policy parks %s', (_, given, expected) => {
  expect(deferrable(given, 1, ['Bash'])).toEqual(expected)
})
