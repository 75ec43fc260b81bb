// Sends requests to a daemon over node:http. The daemon must prove itself before it gets the token; its errors become ours.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TraceContext } from '../core/trace/trace-context.ts'
import { isProof, PROOF_HEADER, SOCKET_PORT } from '../daemon/contract/proof.ts'
import { FILE_TYPE } from '../daemon/contract/scope.ts'
import { RepriseError } from '../errors.ts'
import type { AwayNotice } from './away.ts'
import { bodyText, exchange } from './exchange.ts'
import { type Asking, errorOf, type FileHttp, type Http, reach, requestAddress } from './http.ts'

/** Where a daemon is, and how to get in. */
export type ConnectOptions = {
  /** The address of the daemon, such as `http://127.0.0.1:4747`. */
  readonly url: string
  /** The content of the file `token` in its data directory, or what `reprise token create` printed. */
  readonly token: string
  /** The path of its unix socket on this machine; `url` is then only its name. */
  readonly socket?: string
  /** The trace of what is submitted without one; a malformed one is ignored. */
  readonly trace?: TraceContext
  /** Submissions belong to the active span of OpenTelemetry. Default: off, and nothing of it is loaded. */
  readonly telemetry?: true
  /** Called when the daemon goes away while a call waits for it, and when it is back. */
  readonly onAway?: (notice: AwayNotice) => void
}

/** A proof counts this long. A process that takes over the port gets at most the requests of this time. */
const PROOF_LASTS_MS = 1_000
const PROOF_TIMEOUT_MS = 5_000

export type NodeHttp = Http &
  FileHttp & {
    /** Throws unless the daemon is there and knows the token. The token itself is not sent. */
    prove(): Promise<void>
  }

export function createHttp({ url, token, socket, onAway }: ConnectOptions): NodeHttp {
  const base = new URL(url)
  const place = socket === undefined ? {} : { socketPath: socket }
  let provenAt = Number.NEGATIVE_INFINITY

  const prove = async () => {
    provenAt = Number.NEGATIVE_INFINITY
    await proveServer(base, token, place)
    provenAt = performance.now()
  }

  const send = async (
    method: string,
    path: string,
    { file, ...asking }: Asking & { readonly file?: AsyncIterable<Uint8Array> },
  ): Promise<IncomingMessage> => {
    if (performance.now() - provenAt > PROOF_LASTS_MS) await prove()
    const { body, signal } = asking
    const response = await reach(base, () =>
      exchange(requestAddress(base, path, asking.query), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(file && { 'content-type': FILE_TYPE }),
          ...asking.headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
        ...(signal && { signal }),
        ...place,
      }),
    ).catch(error => {
      provenAt = Number.NEGATIVE_INFINITY
      throw error
    })
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300) return response
    throw errorOf(status, await reach(base, () => bodyText(response)))
  }

  const jsonOf = async <T>(response: IncomingMessage) => {
    const text = await reach(base, () => bodyText(response))
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  return {
    onAway: onAway ?? (() => {}),
    prove,
    open: (path, asking = {}) => send('GET', path, asking),
    download: async (path, asking = {}) => {
      const content = await send('GET', path, asking)
      return { bytes: Number(content.headers['content-length'] ?? 0), content }
    },
    upload: async <T>(path: string, file: AsyncIterable<Uint8Array>, asking: Asking = {}) =>
      jsonOf<T>(await send('POST', path, { ...asking, file })),
    ask: async <T>(method: string, path: string, asking: Asking = {}) =>
      jsonOf<T>(await send(method, path, asking)),
  }
}

type Place = { readonly socketPath?: string }

async function proveServer(base: URL, token: string, place: Place): Promise<void> {
  const nonce = randomBytes(24).toString('base64url')
  const response = await reach(base, () =>
    exchange(requestAddress(base, '/health', { nonce, token: idOf(token) }), {
      method: 'GET',
      signal: AbortSignal.timeout(PROOF_TIMEOUT_MS),
      ...place,
    }),
  )
  response.resume()
  const port = place.socketPath === undefined ? portOf(base) : SOCKET_PORT
  const proof = response.headers[PROOF_HEADER]
  if (typeof proof === 'string' && isProof(token, { nonce, port }, proof)) return
  throw new RepriseError(
    'daemon-unreachable',
    `what answers at ${base.origin} does not know the token: it is not the daemon, or not with this token`,
    'see daemon.json and token in the data directory; start the daemon with `reprise serve`',
  )
}

function portOf(base: URL): number {
  return Number(base.port || (base.protocol === 'https:' ? 443 : 80))
}

/** A token for others begins with its id, which is not secret. */
function idOf(token: string): string | undefined {
  return token.includes('.') ? token.split('.', 1)[0] : undefined
}
