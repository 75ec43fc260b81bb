// Checks which callers may choose an agent's permissions, sandbox and settings.
import type { Context } from 'hono'
import type { TurnOptions } from '../../api.ts'
import { requireScope } from '../caller.ts'

type Wanted = Pick<TurnOptions, 'permissionMode' | 'allowedTools' | 'trust' | 'sandbox'>

/** Returns the options that the caller may use, or throws `forbidden`. Without `approve`, the agent loads nobody's settings. */
export function permitted<Options extends Wanted>(c: Context, options: Options): Options {
  if (options.permissionMode !== undefined || options.allowedTools !== undefined) {
    requireScope(c, 'approve', 'to choose a permission mode or allowed tools')
  }
  if (options.trust !== undefined && options.trust !== 'none') {
    requireScope(c, 'approve', `to choose the trust ${options.trust}`)
  }
  // Both may give less than the configured sandbox; a mode that fails where it does not work never does.
  if (options.sandbox === 'none' || options.sandbox === 'auto') {
    requireScope(c, 'approve', `to choose the sandbox ${options.sandbox}`)
  }
  const mayTrust = c.get('caller').scopes.includes('approve')
  return mayTrust ? options : { ...options, trust: 'none' }
}
