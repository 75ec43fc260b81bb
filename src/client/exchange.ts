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
export async function exchange(address: URL, asked: Exchange): Promise<IncomingMessage> {
  const first = await ask(address, asked)
  if (!('lost' in first)) return first
  const again = mayAskAgain(first, asked) ? await ask(address, { ...asked, agent: false }) : first
  if ('lost' in again) throw again.lost
  return again
}

type Lost = { readonly lost: Error; readonly onOldConnection: boolean }

/**
 * The server closes a connection that has been idle for seconds, and a program that computed meanwhile does not know it yet. Only a
 * read is sent again: of anything else nobody knows whether the server has begun with it.
 */
function mayAskAgain({ lost, onOldConnection }: Lost, { method }: Exchange): boolean {
  return method === 'GET' && onOldConnection && 'code' in lost && lost.code === 'ECONNRESET'
}

type Asked = Exchange & { readonly agent?: false }

function ask(
  address: URL,
  { method, headers = {}, body, ...rest }: Asked,
): Promise<IncomingMessage | Lost> {
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, ...rest }, resolve)
    asked.on('error', lost => resolve({ lost, onOldConnection: asked.reusedSocket }))
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
