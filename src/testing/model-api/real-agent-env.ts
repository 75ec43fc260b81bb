// The environment in which a real Claude Code talks to the fake model API and to nothing else.
import { join } from 'node:path'
import type { ModelApi } from './server.ts'

/** Makes an environment in which a real agent talks to the fake model API and stays in a directory of the test. */
export function realAgentEnv({
  api,
  home,
}: {
  readonly api: Pick<ModelApi, 'url'>
  /** A directory of the test's own: HOME, and the agent's config in `.claude` below it. */
  readonly home: string
}): Record<string, string> {
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    // Without it the agent runs commands with zsh where that is installed.
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: 'sk-ant-not-a-real-key',
    ANTHROPIC_BASE_URL: api.url,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
}
