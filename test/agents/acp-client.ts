// A client of ACP that is as small as it can be: one JSON value per line, both ways. Everything that is said goes into the recording.
import { type AgentProcess, type StartedWith, startAgent } from './agent-process.ts'

export type RpcMessage = {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: unknown
  }
}

/** An agent that answers nothing for so long is killed. */
const PATIENCE_MS = 120_000

/** Which of the offered answers is given to a request for permission. */
export type Permission = 'allow_once' | 'reject_once'

export type AcpClient = {
  readonly process: AgentProcess
  request(method: string, params: object): Promise<RpcMessage>
  notify(method: string, params: object): void
}

export type AcpClientOptions = Omit<StartedWith, 'onLine'> & {
  /** Every line with who said it. */
  readonly onSaid: (said: string) => void
  readonly permission?: Permission
}

export function startAcp({ onSaid, permission, ...start }: AcpClientOptions): AcpClient {
  let lastId = 0
  const say = (message: object) => {
    const whole = { jsonrpc: '2.0', ...message }
    onSaid(JSON.stringify({ client: whole }))
    child.write(JSON.stringify(whole))
  }
  const child = startAgent({
    ...start,
    onLine(line) {
      const message = parsed(line)
      onSaid(JSON.stringify(message === null ? { printed: line } : { agent: message }))
      if (message?.method === undefined || message.id === undefined) return
      say({ id: message.id, ...answerTo(message, permission ?? 'reject_once') })
    },
  })
  return {
    process: child,
    async request(method, params) {
      const id = ++lastId
      say({ id, method, params })
      const answers = (line: string) => {
        const message = parsed(line)
        return message?.id === id && message.method === undefined
      }
      const silent = setTimeout(() => child.kill(), PATIENCE_MS)
      try {
        return parsed(await child.waitFor(answers)) ?? {}
      } finally {
        clearTimeout(silent)
      }
    },
    notify: (method, params) => say({ method, params }),
  }
}

function answerTo({ method, params }: RpcMessage, permission: Permission): object {
  if (method !== 'session/request_permission')
    return { error: { code: -32601, message: `Method not found: ${method}` } }
  const options = (params?.options ?? []) as { readonly optionId: string; readonly kind: string }[]
  const chosen = options.find(({ kind }) => kind === permission)
  if (chosen === undefined) return { result: { outcome: { outcome: 'cancelled' } } }
  return { result: { outcome: { outcome: 'selected', optionId: chosen.optionId } } }
}

function parsed(line: string): RpcMessage | null {
  try {
    return JSON.parse(line)
  } catch {
    // Some agents print other lines among those of the protocol.
    return null
  }
}
