// One request and its answer over node:http, because `fetch` cannot connect to a unix socket.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type Exchange = {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
  /** A unix socket to connect to, instead of the host and port of the address. */
  readonly socketPath?: string
}

/** Does not follow redirects: they would carry the token to a server without a proof. */
export function exchange(address: URL, { method, headers = {}, body, ...rest }: Exchange) {
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(address, { method, headers, ...rest }, resolve)
    asked.on('error', reject)
    if (body === undefined || typeof body === 'string') asked.end(body)
    // The server may refuse a file before it has read all of it: its answer then counts.
    else pipeline(Readable.from(body, { objectMode: true }), asked).catch(reject)
  })
}

export async function bodyText(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer.setEncoding('utf8')) text += piece
  return text
}
