// Who may decide what an agent is allowed to do without asking.
import type { Context } from 'hono'
import type { TurnOptions } from '../../api.ts'
import { requireScope } from '../caller.ts'

export function checkPermissions(
  c: Context,
  { permissionMode, allowedTools }: Pick<TurnOptions, 'permissionMode' | 'allowedTools'>,
): void {
  if (permissionMode === undefined && allowedTools === undefined) return
  requireScope(c, 'approve', 'to choose a permission mode or allowed tools')
}
