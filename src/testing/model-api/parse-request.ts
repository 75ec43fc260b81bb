// Reads a call of the fake model API into the record that tests ask about.
import type { ModelRequest, RequestPurpose } from './request.ts'
import type { Wire } from './wire.ts'

export type ReceivedCall = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** `null` when the body is not a JSON object. */
export function parseRequest(index: number, wire: Wire, call: ReceivedCall): ModelRequest | null {
  const body = parseObject(call.text)
  if (body === null) return null
  const request = {
    index,
    wire: wire.name,
    headers: call.headers,
    body,
    bytes: Buffer.byteLength(call.text),
    sessionId: sessionIdOf(call.headers),
    ...wire.read(body, call.path),
    usage: null,
  }
  return { ...request, purpose: purposeOf(request) }
}

function sessionIdOf(headers: Readonly<Record<string, string>>): string | null {
  return headers['x-claude-code-session-id'] ?? headers['session-id'] ?? null
}

function purposeOf(request: Omit<ModelRequest, 'purpose'>): RequestPurpose {
  if (request.body.max_tokens === 1) return 'quota'
  const last = request.messages.at(-1)?.text ?? ''
  if (last.includes('Your task is to create a detailed summary')) return 'compaction'
  if (request.sessionId !== null && request.tools.length === 0) return 'side'
  return 'turn'
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return value as Readonly<Record<string, unknown>>
  } catch {
    // Not JSON: the caller answers 400, as the real API does.
    return null
  }
}
