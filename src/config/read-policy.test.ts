import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findPolicyFile, listNamedPolicies, readPolicyFile, warningsOf } from './read-policy.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reprise-policy-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const fileWith = (text: string) => {
  const path = join(root, 'policy.yaml')
  writeFileSync(path, text)
  return path
}

const tier = (more = '') =>
  `  - name: observe\n    role: Look.\n    allowedTools: [Read]\n${more && `    ${more}\n`}`

test('E-1 the shipped policy has the three tiers of the source, their models and tools', () => {
  const policy = readPolicyFile(fileURLToPath(new URL('../../policies/ops.yaml', import.meta.url)))
  expect(policy.tiers.map(({ name }) => name)).toEqual([
    'observe',
    'safe remediation',
    'full remediation',
  ])
  const models = policy.tiers.map(({ model }) => model)
  expect(models[0]).toContain('haiku')
  expect(models[1]).toContain('sonnet')
  expect(models[2]).toContain('opus')
  const [observe, safe, full] = policy.tiers
  const looking = ['Bash', 'Read', 'Grep', 'Glob', 'Task', 'WebFetch', 'WebSearch']
  expect(observe?.allowedTools).toEqual(looking)
  expect(observe?.disallowedTools).toEqual(
    expect.arrayContaining(['Bash(docker restart:*)', 'Bash(gh pr create:*)', 'Write', 'Edit']),
  )
  expect(safe?.allowedTools.toSorted()).toEqual([...looking, 'Write', 'Edit'].toSorted())
  expect(safe?.disallowedTools).toEqual(
    expect.arrayContaining([
      'Bash(ansible:*)',
      'Bash(ansible-playbook:*)',
      'Bash(helm:*)',
      'Bash(docker compose down:*)',
    ]),
  )
  expect(safe?.disallowedTools).not.toContain('Bash(docker restart:*)')
  expect(safe?.disallowedTools).not.toContain('Bash(gh pr create:*)')
  expect(full?.disallowedTools).not.toContain('Bash(ansible-playbook:*)')
  expect(warningsOf(policy)).toEqual([])
})

test('E-1 missing fields have safe defaults: no wider mode, no dry run, no forbidden tools', () => {
  const policy = readPolicyFile(fileWith(`name: mine\nbudgetUsd: 2\ntiers:\n${tier()}`))
  expect(policy).toMatchObject({ maxTier: 1, agent: null, contextThreshold: null })
  expect(policy.budget).toEqual({ usd: 2, tokens: null, runs: null, wallClockMs: null })
  expect(policy.tiers[0]).toMatchObject({
    model: null,
    permissionMode: null,
    disallowedTools: [],
    cooldownMs: 0,
    dryRun: false,
    approval: 'auto',
  })
})

test.each([
  ['an unknown key', `name: a\ntier:\n${tier()}`, ':2: unknown key `tier`', '`tiers`'],
  ['an unknown key of a tier', `name: a\ntiers:\n${tier('modl: x')}`, 'unknown key', '`model`'],
  ['no tiers', 'name: a\ntiers: []\n', 'tiers', ''],
  ['a tier without a role', 'name: a\ntiers:\n  - name: x\n    allowedTools: []\n', 'role', ''],
  ['a rule that is none', `name: a\ntiers:\n${tier("disallowedTools: ['Bash(']")}`, 'rule', ''],
  ['a ceiling over its tiers', `name: a\nmaxTier: 2\ntiers:\n${tier()}`, 'maxTier', ''],
  ['a budget of nothing', `name: a\nbudgetUsd: 0\ntiers:\n${tier()}`, 'budgetUsd', ''],
  [
    'a role of two lines',
    'name: a\ntiers:\n  - { name: x, role: "a\\nb", allowedTools: [] }',
    'role',
    '',
  ],
  ['no YAML', 'name: [a', 'not YAML', ''],
])('U-4 a policy with %s is refused, with its place and what to do', (_, text, what, hint) => {
  expect(() => readPolicyFile(fileWith(text))).toThrow(
    expect.objectContaining({
      code: 'bad-config',
      message: expect.stringContaining(what),
      hint: expect.stringContaining(hint),
    }),
  )
})

test('E-1 a policy is found by its name in the config or by its path; a mistyped name gets a hint', () => {
  const named = { ops: { path: '/etc/ops.yaml', from: 'project' } } as const
  expect(findPolicyFile(named, 'ops', '/work')).toEqual(named.ops)
  expect(findPolicyFile(named, './mine.yaml', '/project')).toEqual({
    path: '/project/mine.yaml',
    from: 'user',
  })
  expect(() => findPolicyFile(named, 'opps', '/work')).toThrow(
    expect.objectContaining({ code: 'not-found', hint: expect.stringContaining('"ops"') }),
  )
})

test('E-1 the list of policies holds a file that cannot be used, with its problem', () => {
  const path = fileWith(`name: a\ntiers:\n${tier()}`)
  const gone = join(root, 'gone.yaml')
  expect(
    listNamedPolicies({ mine: { path, from: 'user' }, gone: { path: gone, from: 'user' } }),
  ).toEqual([
    { name: 'mine', policy: readPolicyFile(path) },
    { name: 'gone', problem: `there is no policy file ${gone}` },
  ])
})

test('E-11 tiers of one model that forbid different whole tools give a warning', () => {
  const text = `name: a\ntiers:\n${tier('disallowedTools: [Write]')}${tier('actions: [x]')}`
  expect(warningsOf(readPolicyFile(fileWith(text)))).toEqual([
    expect.stringContaining('prompt cache'),
  ])
})

test.each([
  ['trust', 'trust: project'],
  ['trust', 'trust: user'],
  ['sandbox: none', 'sandbox: none'],
  ['passEnv', 'passEnv: [AWS_*]'],
  ['mcpServers', 'mcpServers: [evil]'],
])('E-12 S13 S16 a policy that a project brings along may not open %s (%s)', (what, line) => {
  const file = fileWith(`name: a\n${line}\ntiers:\n${tier('actions: [x]')}`)
  expect(readPolicyFile(file).name).toBe('a')
  expect(() => readPolicyFile(file, 'project')).toThrow(
    expect.objectContaining({
      code: 'bad-config',
      message: expect.stringContaining(what),
      hint: expect.stringContaining('config.yaml'),
    }),
  )
})

test('E-12 S16 a tier of such a policy may not widen trust or sandbox either, but may narrow them', () => {
  const policy = (line: string) => fileWith(`name: a\ntiers:\n${tier(line)}`)
  expect(() => readPolicyFile(policy('trust: user'), 'project')).toThrow('may not say trust')
  expect(readPolicyFile(policy('trust: none'), 'project').tiers[0]?.trust).toBe('none')
  expect(readPolicyFile(policy('sandbox: bwrap'), 'project').tiers[0]?.sandbox).toBe('bwrap')
})
