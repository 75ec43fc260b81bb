// Whether Claude Code has a key or a login. Only whether one exists: no value is kept, returned or compared, and no file is changed.
import type { Files } from '../../core/world.ts'
import type { AgentLogin } from '../adapter.ts'

/** Each of them is enough. */
const VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
] as const

const HINT =
  'Run `claude` once and sign in, or set ANTHROPIC_API_KEY (for the daemon: where it is started).'

export async function findLogin(
  env: Readonly<Record<string, string>>,
  files: Pick<Files, 'stat' | 'read'>,
): Promise<AgentLogin> {
  const variable = VARIABLES.find(name => env[name])
  if (variable !== undefined) return { state: 'found', how: variable, hint: null }
  const home = env.HOME ?? ''
  const directory = env.CLAUDE_CONFIG_DIR ?? `${home}/.claude`
  const credentials = `${directory}/.credentials.json`
  if (await files.stat(credentials)) return { state: 'found', how: credentials, hint: null }
  const named = [
    [`${directory}/settings.json`, ['apiKeyHelper', ...VARIABLES]],
    [
      env.CLAUDE_CONFIG_DIR ? `${directory}/.claude.json` : `${home}/.claude.json`,
      ['primaryApiKey'],
    ],
  ] as const
  for (const [path, fields] of named) {
    if (await hasField(files, path, fields)) return { state: 'found', how: path, hint: null }
  }
  // macOS keeps the login in a keychain, which we do not open.
  if (await files.stat(`${home}/Library/Keychains`)) {
    return { state: 'unknown', how: null, hint: null }
  }
  return { state: 'missing', how: null, hint: HINT }
}

async function hasField(
  files: Pick<Files, 'read'>,
  path: string,
  fields: readonly string[],
): Promise<boolean> {
  const bytes = await files.read(path)
  if (bytes === null) return false
  const text = new TextDecoder().decode(bytes)
  return fields.some(field => text.includes(`"${field}"`))
}
