import { expect, test } from 'vitest'
import { findLogin } from './login.ts'

const HOME = '/home/me'

function filesWith(contents: Readonly<Record<string, string>>) {
  const stat = async (path: string) =>
    Object.keys(contents).some(name => name === path || name.startsWith(`${path}/`))
      ? { kind: 'file' as const, sizeBytes: 1, modifiedMs: 0 }
      : null
  const read = async (path: string) => {
    const text = contents[path]
    return text === undefined ? null : new TextEncoder().encode(text)
  }
  return { stat, read }
}

test.each([
  ['a key', { ANTHROPIC_API_KEY: 'sk' }, {}, 'ANTHROPIC_API_KEY'],
  ['Bedrock', { CLAUDE_CODE_USE_BEDROCK: '1' }, {}, 'CLAUDE_CODE_USE_BEDROCK'],
  ['a login', {}, { '/home/me/.claude/.credentials.json': '' }, '.credentials.json'],
  [
    'a login elsewhere',
    { CLAUDE_CONFIG_DIR: '/cfg' },
    { '/cfg/.credentials.json': '' },
    '/cfg/.credentials.json',
  ],
  ['a helper', {}, { '/home/me/.claude/settings.json': '{"apiKeyHelper":"x"}' }, 'settings.json'],
  ['a console key', {}, { '/home/me/.claude.json': '{"primaryApiKey":"sk"}' }, '.claude.json'],
])('%s is found, and only named', async (_, env, contents, how) => {
  const login = await findLogin({ HOME, ...env }, filesWith(contents))
  expect(login).toMatchObject({ state: 'found', how: expect.stringContaining(how) })
  expect(JSON.stringify(login)).not.toContain('"sk"')
})

test.each([
  ['nothing at all', {}, {}],
  ['an empty key', { ANTHROPIC_API_KEY: '' }, {}],
  ['settings about other things', {}, { '/home/me/.claude/settings.json': '{"model":"opus"}' }],
  [
    'a login of another directory',
    { CLAUDE_CONFIG_DIR: '/cfg' },
    { '/home/me/.claude/.credentials.json': '' },
  ],
])('%s is no login, with a hint', async (_, env, contents) => {
  expect(await findLogin({ HOME, ...env }, filesWith(contents))).toMatchObject({
    state: 'missing',
    hint: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
})

test('on macOS nobody can know without opening the keychain', async () => {
  const files = filesWith({ '/home/me/Library/Keychains/login': '' })
  expect((await findLogin({ HOME }, files)).state).toBe('unknown')
})
