// The daemon's app behind a real port, with a record of every request and its answer; and a stranger's server beside it.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type HttpWorld, httpWorld, type WorldOptions } from '../http/http-world.ts'

export type Arrived = {
  readonly method: string
  readonly path: string
  readonly host: string | null
  readonly origin: string | null
  readonly cookie: string | null
  readonly status: number
}

export type BrowserWorld = {
  readonly world: HttpWorld
  readonly port: number
  readonly strangersPort: number
  /** In the order of their answers. */
  readonly arrived: Arrived[]
  /** An address that signs a browser in. */
  invite(): Promise<string>
  call: HttpWorld['call']
  /** While it runs, no connection is answered, as while a daemon is restarted. */
  away(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function browserWorld(
  options: Omit<WorldOptions, 'port'> = {},
): Promise<BrowserWorld> {
  const bound = { port: 0 }
  const world = await httpWorld({ ...options, port: () => bound.port })
  const arrived: Arrived[] = []
  const server = await listening(
    createServer(
      getRequestListener(async (request, env) => {
        const { pathname } = new URL(request.url)
        const { method, headers } = request
        const [host, origin, cookie] = ['host', 'origin', 'cookie'].map(name => headers.get(name))
        // A stranger's page, from when its name did not lead here yet.
        if (pathname === STRANGERS_PATH) return new Response(EMPTY_PAGE, { headers: HTML })
        const response = await world.app.fetch(request, env)
        const seen = { host: host ?? null, origin: origin ?? null, cookie: cookie ?? null }
        arrived.push({ method, path: pathname, ...seen, status: response.status })
        return response
      }),
    ),
  )
  bound.port = portOf(server)
  const stranger = await listening(
    createServer((_, response) => response.setHeader('content-type', 'text/html').end(EMPTY_PAGE)),
  )
  const call: HttpWorld['call'] = (method, path, body, headers = {}) =>
    world.call(method, path, body, { host: `127.0.0.1:${bound.port}`, ...headers })
  return {
    world,
    arrived,
    call,
    port: bound.port,
    strangersPort: portOf(stranger),
    invite: async () => {
      const { body } = await call('POST', '/api/logins')
      return `http://127.0.0.1:${bound.port}${body.path}`
    },
    away: async work => {
      server.closeAllConnections()
      server.close()
      try {
        await work()
      } finally {
        server.listen(bound.port, '127.0.0.1')
        await once(server, 'listening')
      }
    },
    close: async () => {
      for (const one of [server, stranger]) {
        one.closeAllConnections()
        one.close()
      }
      await world.reprise.close()
    },
  }
}

const HTML = { 'content-type': 'text/html' }
export const STRANGERS_PATH = '/stranger'
export const EMPTY_PAGE = '<!doctype html><title>stranger</title>'

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
