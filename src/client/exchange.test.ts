import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bodyText, exchange } from './exchange.ts'

/** Answers the first request of a connection, and resets the connection when a second one comes. */
let server: Server
let address: URL
let connections: Socket[]

beforeEach(async () => {
  connections = []
  server = createServer((request, response) => {
    const { socket } = request
    if (connections.includes(socket)) return socket.resetAndDestroy()
    connections.push(socket)
    response.end('answer')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterEach(() => void server.close())

const ask = async (method: string) => bodyText(await exchange(address, { method }))

describe('a connection that the server has closed while it was idle', () => {
  test('U-1 a read is asked again on a new connection', async () => {
    expect([await ask('GET'), await ask('GET')]).toEqual(['answer', 'answer'])
    expect(connections).toHaveLength(2)
  })

  test('U-1 anything else is not sent twice', async () => {
    await ask('GET')
    await expect(ask('POST')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(connections).toHaveLength(1)
  })
})

test('U-1 a new connection that breaks is an error at once', async () => {
  server.removeAllListeners('request').on('request', ({ socket }) => socket.resetAndDestroy())
  await expect(ask('GET')).rejects.toMatchObject({ code: 'ECONNRESET' })
})
