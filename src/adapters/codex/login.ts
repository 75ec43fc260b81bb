// Whether codex has a key or a login. Only whether one exists: no value is kept, returned or compared, and no file is changed.
import type { Files } from '../../core/world.ts'
import type { AgentLogin } from '../adapter.ts'
import { codexHome } from './rollout-path.ts'

const VARIABLES = ['CODEX_API_KEY', 'OPENAI_API_KEY'] as const
const HINT = 'Run `codex login`, or set OPENAI_API_KEY (for the daemon: where it is started).'

export async function findLogin(
  env: Readonly<Record<string, string>>,
  files: Pick<Files, 'stat' | 'read'>,
): Promise<AgentLogin> {
  const variable = VARIABLES.find(name => env[name])
  if (variable !== undefined) return { state: 'found', how: variable, hint: null }
  const home = codexHome(env)
  if (home === null) return { state: 'unknown', how: null, hint: null }
  const login = `${home}/auth.json`
  if (await files.stat(login)) return { state: 'found', how: login, hint: null }
  // A model provider of the user's own may need another key, or none.
  const config = `${home}/config.toml`
  const bytes = await files.read(config)
  const isOwn =
    bytes !== null && /^[ \t]*model_provider[ \t]*=/m.test(new TextDecoder().decode(bytes))
  if (isOwn) return { state: 'found', how: config, hint: null }
  return { state: 'missing', how: null, hint: HINT }
}
