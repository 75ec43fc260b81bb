// Requests for permission over ACP: the agent offers answers, and one of them is chosen by its kind.
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import { answerLine, type RpcId } from './messages.ts'

export type PermissionRequest = {
  readonly id: RpcId
  readonly callId: string
  readonly options: readonly { readonly optionId: string; readonly kind: string }[]
}

export function permissionRequest(id: RpcId, params: Fields): PermissionRequest {
  const offered = Array.isArray(params.options) ? params.options : []
  const options = offered.map(fieldsIn).map(option => ({
    optionId: textIn(option?.optionId) ?? '',
    kind: textIn(option?.kind) ?? '',
  }))
  return { id, callId: textIn(fieldsIn(params.toolCall)?.toolCallId) ?? '', options }
}

/** Always only once: what holds for longer is ours to remember, not the agent's. */
export function permissionLine({ id, options }: PermissionRequest, allowed: boolean): string {
  const wanted = allowed ? 'allow_once' : 'reject_once'
  const chosen = options.find(({ kind }) => kind === wanted)
  // The agent does not offer what we want to say. We answer that nobody decided, and it does not run the call.
  if (chosen === undefined) return answerLine(id, { outcome: { outcome: 'cancelled' } })
  return answerLine(id, { outcome: { outcome: 'selected', optionId: chosen.optionId } })
}
