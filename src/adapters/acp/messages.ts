// The lines of ACP: JSON-RPC, one message per line, in both directions.
import { type Fields, fieldsIn, parseFields, textIn } from '../fields.ts'

/** Agents name their requests by numbers or by words. */
export type RpcId = string | number

export type RpcError = { readonly code: number; readonly message: string; readonly detail: string }

/** What a line of an agent is. */
export type AcpMessage =
  | { readonly kind: 'answer'; readonly id: RpcId; readonly result: Fields }
  | { readonly kind: 'failure'; readonly id: RpcId; readonly error: RpcError }
  | {
      readonly kind: 'request'
      readonly id: RpcId
      readonly method: string
      readonly params: Fields
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Fields }

/** `null`: the line is no message. Some agents print other lines too. */
export function readMessage(line: string): AcpMessage | null {
  const fields = parseFields(line)
  if (fields === null) return null
  const [id, method] = [idIn(fields.id), textIn(fields.method)]
  const params = fieldsIn(fields.params) ?? {}
  if (method !== null)
    return id === null
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params }
  if (id === null) return null
  const error = fieldsIn(fields.error)
  if (error !== null) return { kind: 'failure', id, error: errorIn(error) }
  return { kind: 'answer', id, result: fieldsIn(fields.result) ?? {} }
}

export function requestLine(id: RpcId, method: string, params: object): string {
  return lineOf({ id, method, params })
}

export function notificationLine(method: string, params: object): string {
  return lineOf({ method, params })
}

export function answerLine(id: RpcId, result: object): string {
  return lineOf({ id, result })
}

export function failureLine(id: RpcId, error: Pick<RpcError, 'code' | 'message'>): string {
  return lineOf({ id, error })
}

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

function idIn(value: unknown): RpcId | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** Some agents put what matters into `data`, beside a message that only says "Internal error". */
function errorIn(error: Fields): RpcError {
  const message = textIn(error.message) ?? 'no message'
  const data = fieldsIn(error.data)
  const detail = textIn(data?.details) ?? textIn(data?.message) ?? textIn(error.data) ?? ''
  return { code: typeof error.code === 'number' ? error.code : 0, message, detail }
}
