import { expect, test } from 'vitest'
import { memoryFiles } from '../../testing/memory-files.ts'
import { recognise } from './abilities.ts'
import { programBehind } from './launcher.ts'
import { findLogin } from './login.ts'

const HELP = `Usage: codex exec [OPTIONS] [PROMPT]
Commands:
  resume  Resume a previous session by id or pick the most recent with --last
  fork    Fork a previous session
Options:
      --json
      --skip-git-repo-check
  -s, --sandbox <SANDBOX_MODE>
`
const CAN = {
  ...{ resume: true, fork: true, forkAtMessage: false },
  ...{ chooseSessionId: false, resumeAcrossWorkDirs: true },
}

test.each([
  [
    'the tested version',
    'codex-cli 0.169.0',
    HELP,
    { version: '0.169.0', abilities: CAN, warning: null },
  ],
  ['a newer one', 'codex-cli 0.200.1', HELP, { warning: expect.stringContaining('0.169.0') }],
  [
    'one that cannot fork',
    'codex-cli 0.169.0',
    HELP.replace('  fork', ''),
    { abilities: { ...CAN, fork: false } },
  ],
  [
    'one that is too old',
    'codex-cli 0.1.0',
    'Usage',
    { problem: expect.stringContaining('--json') },
  ],
  [
    'another program',
    '2.1.325 (Claude Code)',
    HELP,
    { problem: expect.stringContaining('not codex') },
  ],
])('A-1 codex is recognised: %s', (_, version, help, expected) => {
  expect(recognise([version, help])).toMatchObject(expected)
})

test('A-1 the program behind the launcher of npm is found, beside the package or in it', async () => {
  const files = memoryFiles()
  const launcher = '/lib/node_modules/@openai/codex/bin/codex.js'
  const program = 'codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'
  expect(await programBehind(launcher, files)).toBeNull()
  const inside = `/lib/node_modules/@openai/codex/node_modules/@openai/${program}`
  await files.write(inside, new Uint8Array([1]))
  expect(await programBehind(launcher, files)).toBe(inside)
  await files.write(`/lib/node_modules/@openai/${program}`, new Uint8Array([1]))
  expect(await programBehind(launcher, files)).toBe(`/lib/node_modules/@openai/${program}`)
  expect(await programBehind('/usr/bin/codex', files)).toBeNull()
})

test('U-4 a login is found in a variable, in a file, or in a provider of the user', async () => {
  const files = memoryFiles()
  const text = (content: string) => new TextEncoder().encode(content)
  const found = (env: Record<string, string>) => findLogin(env, files)
  expect(await found({ HOME: '/h' })).toMatchObject({ state: 'missing', how: null })
  expect(await found({ HOME: '/h', OPENAI_API_KEY: 'x' })).toMatchObject({ how: 'OPENAI_API_KEY' })
  await files.write('/h/.codex/config.toml', text('model_provider = "mine"\n'))
  expect(await found({ HOME: '/h' })).toMatchObject({ how: '/h/.codex/config.toml' })
  await files.write('/c/auth.json', text('{}'))
  expect(await found({ HOME: '/h', CODEX_HOME: '/c' })).toMatchObject({ how: '/c/auth.json' })
  expect(await found({})).toMatchObject({ state: 'unknown' })
})
