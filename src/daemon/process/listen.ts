// The HTTP server around the app. It has limits, and it finishes answers under way before it stops.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RepriseError } from '../../errors.ts'
import { codeOf } from './private-file.ts'
import { clearSocket, closeToOthers, OVER_SOCKET } from './socket.ts'

export type Listening = {
  readonly port: number
  /** Accepts no new connections. Answers under way get this long to finish; then they are cut off. */
  close(graceMs: number): Promise<void>
}

type Fetch = Parameters<typeof getRequestListener>[0]

const MAX_CONNECTIONS = 2_000
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000

export async function listen(
  fetch: Fetch,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = boundedServer(fetch)
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(whyNot(error, { host, port })))
    server.listen(port, host, resolve)
  })
  return {
    // A server that listens on a port always has this kind of address.
    port: (server.address() as AddressInfo).port,
    close: graceMs => close(server, graceMs),
  }
}

/** Marks requests over the socket: no browser can send them, and they have no port. */
export async function listenOnSocket(
  fetch: Fetch,
  path: string,
): Promise<Pick<Listening, 'close'>> {
  const server = boundedServer((request, env) => fetch(request, { ...env, ...OVER_SOCKET }))
  clearSocket(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  closeToOthers(path)
  return { close: graceMs => close(server, graceMs) }
}

function boundedServer(fetch: Fetch): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    },
    getRequestListener(fetch),
  )
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}

function whyNot(error: Error, { host, port }: { host: string; port: number }): Error {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') {
    return new RepriseError(
      'conflict',
      `port ${port} of ${host} is in use by another program`,
      'choose another one with --port, or any free one with --port 0',
      error,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES') {
    const hint = 'Choose another address (--listen) or a port above 1023 (--port).'
    return new RepriseError(
      'bad-input',
      `${host} port ${port} cannot be listened on: ${code}`,
      hint,
      error,
    )
  }
  return error
}
