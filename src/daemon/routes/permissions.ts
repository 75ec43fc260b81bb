// Who may decide what an agent is allowed to do without asking, and whose settings it takes over.
import type { Context } from 'hono'
import type { TurnOptions } from '../../api.ts'
import { requireScope } from '../caller.ts'

type Wanted = Pick<TurnOptions, 'permissionMode' | 'allowedTools' | 'trust' | 'sandbox'>

/** What the caller wants as it may have it; throws `forbidden`. Without `approve`, nobody's settings take part. */
export function permitted<Options extends Wanted>(c: Context, options: Options): Options {
  if (options.permissionMode !== undefined || options.allowedTools !== undefined) {
    requireScope(c, 'approve', 'to choose a permission mode or allowed tools')
  }
  if (options.trust !== undefined && options.trust !== 'none') {
    requireScope(c, 'approve', `to choose the trust ${options.trust}`)
  }
  // Only a sandbox that is refused where it does not work is never less than what was set up.
  if (options.sandbox === 'none' || options.sandbox === 'auto') {
    requireScope(c, 'approve', `to choose the sandbox ${options.sandbox}`)
  }
  const mayTrust = c.get('caller').scopes.includes('approve')
  return mayTrust ? options : { ...options, trust: 'none' }
}
