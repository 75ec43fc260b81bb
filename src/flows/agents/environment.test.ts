import { expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Policy } from '../../core/chain/policy.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import { agentEnvironment, passedNames, runEnvironment } from './environment.ts'

const ours = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C',
  ANTHROPIC_API_KEY: 'key',
  MY_PROXY: 'http://proxy',
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CLAUDE_CODE_CHILD_SESSION: '1',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: '/evil.so',
  REPRISE_RUN_ID: 'run_outer',
  AWS_SECRET_ACCESS_KEY: 'secret',
  UNSET: undefined,
}

test('U-2 S13 an agent gets what is on the list and nothing else', () => {
  expect(agentEnvironment(claudeCode(), ours)).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    LC_ALL: 'C',
    ANTHROPIC_API_KEY: 'key',
    CLAUDE_CODE_EAGER_FLUSH: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
    DISABLE_AUTOUPDATER: '1',
  })
})

test('U-2 the user can name more variables, and set others', () => {
  const config = claudeCode({ passEnv: ['MY_PROXY'], env: { CLAUDE_CODE_MAX_RETRIES: '1' } })
  expect(agentEnvironment(config, ours)).toMatchObject({
    MY_PROXY: 'http://proxy',
    CLAUDE_CODE_MAX_RETRIES: '1',
  })
})

const everyday = {
  ...ours,
  GH_TOKEN: 'gh',
  SSH_AUTH_SOCK: '/agent.sock',
  DATABASE_URL: 'postgres://',
  CLAUDE_CODE_USE_BEDROCK: '1',
  CLAUDE_CODE_MESSAGING_TOKEN: 'outer',
  GIT_DIR: '/elsewhere/.git',
  REPRISE_TOKEN: 'ours',
}

const NEVER = [
  ...['CLAUDECODE', 'CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_CODE_ENTRYPOINT'],
  ...['CLAUDE_CODE_MESSAGING_TOKEN', 'GIT_DIR', 'LD_PRELOAD', 'NODE_OPTIONS'],
  ...['REPRISE_RUN_ID', 'REPRISE_TOKEN'],
]

test.each(['project', 'user'] as const)(
  'S13 trusted work (%s) gets the environment of the user, less what must not travel',
  trust => {
    const passed = runEnvironment(claudeCode(), everyday, { trust, policy: null })
    expect(passed).toMatchObject({
      ...{ GH_TOKEN: 'gh', SSH_AUTH_SOCK: '/agent.sock', DATABASE_URL: 'postgres://' },
      ...{
        AWS_SECRET_ACCESS_KEY: 'secret',
        CLAUDE_CODE_USE_BEDROCK: '1',
        MY_PROXY: 'http://proxy',
      },
    })
    for (const name of NEVER) expect(passed).not.toHaveProperty(name)
  },
)

test('S13 untrusted work and chains keep to the list; a policy may add to it, whatever it trusts', () => {
  const list = { ...agentEnvironment(claudeCode(), everyday), SHELL: '/bin/bash' }
  expect(runEnvironment(claudeCode(), everyday, { trust: 'none', policy: null })).toEqual(list)
  const policy = { ...POLICY, passEnv: ['AWS_*', 'REPRISE_TOKEN'] }
  expect(runEnvironment(claudeCode(), everyday, { trust: 'project', policy })).toEqual({
    ...list,
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
})

test('E-5 chains and untrusted work run their commands with bash, by whose grammar they are judged', () => {
  const config = claudeCode({ env: { SHELL: '/usr/bin/zsh' } })
  const shellOf = (trust: 'none' | 'project', policy: Policy | null) =>
    runEnvironment(config, { ...ours, SHELL: '/usr/bin/fish' }, { trust, policy }).SHELL
  expect(shellOf('project', null)).toBe('/usr/bin/zsh')
  expect(shellOf('none', null)).toBe('/bin/bash')
  expect(shellOf('project', POLICY)).toBe('/bin/bash')
})

test('S13 our own variables are never passed on; others only when the config names them', () => {
  const config = claudeCode({ passEnv: ['NODE_OPTIONS', 'REPRISE_*'] })
  const passed = runEnvironment(config, everyday, { trust: 'project', policy: null })
  expect(passed.NODE_OPTIONS).toBe('--inspect')
  expect(Object.keys(passed).filter(name => name.startsWith('REPRISE_'))).toEqual([])
})

test('S13 a report names the variables that are passed, and those that are not', () => {
  const { trusted, untrusted, withheld } = passedNames(claudeCode(), everyday)
  expect(trusted).toEqual(expect.arrayContaining(['GH_TOKEN', 'PATH']))
  expect(untrusted).not.toContain('GH_TOKEN')
  expect(withheld).toEqual(NEVER.toSorted())
})

const POLICY: Policy = {
  ...{ name: 'ops', agent: null, maxTier: 1, contextThreshold: null, budget: NO_BUDGET, tiers: [] },
}
