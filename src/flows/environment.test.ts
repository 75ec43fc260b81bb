import { expect, test } from 'vitest'
import { claudeCode } from '../reprise.ts'
import { agentEnvironment } from './environment.ts'

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
