import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterEach, expect, test } from 'vitest'
import { type HttpWorld, httpWorld, TOKEN, type WorldOptions } from './http-world.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Served = { readonly world: HttpWorld; readonly server: Server; readonly port: number }

async function serve(options: WorldOptions): Promise<Served> {
  const bound = { port: 0 }
  const world = await httpWorld({ ...options, port: () => bound.port })
  const server = createServer(getRequestListener((request, env) => world.app.fetch(request, env)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  bound.port = (server.address() as AddressInfo).port
  cleanups.push(async () => {
    server.closeAllConnections()
    server.close()
    await world.reprise.close()
  })
  return { world, server, port: bound.port }
}

async function ask(port: number, lines: readonly string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return socket
}

async function api(port: number, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json() as Promise<ReturnType<typeof JSON.parse>>
}

async function ended(port: number, runId: string) {
  for (;;) {
    const run = await api(port, `/api/runs/${runId}`)
    if (run.endedAt !== null) return run
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 5))
}

test('S27 a connection that never reads is cut, and costs no run anything', async () => {
  const text = Array.from({ length: 5 }, () => ['x'.repeat(1_000_000), { sleepMs: 5 }]).flat()
  const script = [{ do: [{ type: 'text' as const, text }] }]
  const { world, port } = await serve({ script, timing: { stallMs: 150 } })
  const lazy = await ask(port, [
    'GET /api/events?after=0 HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${TOKEN}`,
  ])
  lazy.pause()
  await until(async () =>
    (await world.call('GET', '/metrics', undefined, own(port))).body.includes('listeners 1'),
  )
  // More than the buffers of a connection hold.
  for (let turns = 0; turns < 5; turns++) {
    const thread = await api(port, '/api/threads', { workDir: '/project' })
    const sent = await api(port, `/api/threads/${thread.id}/turns`, { prompt: 'flood' })
    expect(await ended(port, sent.runId)).toMatchObject({ status: 'completed' })
  }
  await until(async () =>
    (await world.call('GET', '/metrics', undefined, own(port))).body.includes('listeners 0'),
  )
  const cut = once(lazy, 'close')
  lazy.on('error', () => {
    // Reset by the daemon: that is what is waited for.
  })
  lazy.resume()
  await cut
  expect(world.faults).toEqual([])
})

const own = (port: number) => ({ host: `127.0.0.1:${port}` })

test('S2 the Host of the connection counts, not that of the request line', async () => {
  const { port } = await serve({})
  const answers = [
    ['GET http://evil.test/api/threads HTTP/1.1', 'Host: evil.test'],
    [`GET http://127.0.0.1:${port}/api/threads HTTP/1.1`, 'Host: evil.test'],
    ['GET /api/threads HTTP/1.1', `Host: 127.0.0.1:${port}@evil.test`],
    ['GET /health HTTP/1.1', 'Host: rebound.evil.test'],
    ['GET /health HTTP/1.0'],
  ]
  for (const lines of answers) {
    const socket = await ask(port, [
      ...lines,
      `Authorization: Bearer ${TOKEN}`,
      'Connection: close',
    ])
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.split('\r\n')[0], lines.join(' ')).toMatch(/^HTTP\/1\.1 40[03] /)
  }
})

test('a mutation without a body needs no content type', async () => {
  const { port } = await serve({})
  const { id } = await api(port, '/api/threads', { workDir: '/project' })
  const requests = [
    [`POST /api/threads/${id}/fork HTTP/1.1`, 201],
    [`POST /api/threads/${id}/preview HTTP/1.1`, 200],
    [`POST /api/threads/${id}/turns HTTP/1.1`, 400],
    [`DELETE /api/threads/${id} HTTP/1.1`, 200],
  ] as const
  for (const [line, status] of requests) {
    for (const length of line.startsWith('DELETE') ? [[]] : [[], ['Content-Length: 0']]) {
      const socket = await ask(port, [
        line,
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${TOKEN}`,
        'Connection: close',
        ...length,
      ])
      let text = ''
      for await (const chunk of socket) text += chunk
      expect(text.split('\r\n')[0], line).toContain(` ${status} `)
    }
  }
})

test('U-4 the daemon says of a method, also of TRACE, that no route has it', async () => {
  const { world, port } = await serve({})
  for (const method of ['TRACE', 'FOO']) {
    const socket = await ask(port, [
      `${method} /api/threads HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${TOKEN}`,
      'Connection: close',
    ])
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.split('\r\n')[0], method).toMatch(/ 40[04] /)
  }
  expect(world.faults).toEqual([])
})

test('S5 a body without a type is refused', async () => {
  const { port } = await serve({})
  for (const framing of [
    'Content-Length: 2\r\n\r\n{}',
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0',
  ]) {
    const socket = await ask(port, [
      'POST /api/threads HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${TOKEN}`,
      'Connection: close',
      framing,
    ])
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.split('\r\n')[0]).toContain(' 415 ')
  }
})

test('U-1 a whole turn over a real connection, followed to its end', async () => {
  const { port } = await serve({})
  const thread = await api(port, '/api/threads', { workDir: '/project' })
  const { runId } = await api(port, `/api/threads/${thread.id}/turns`, { prompt: 'hello' })
  const response = await fetch(`http://127.0.0.1:${port}/api/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const text = await response.text()
  expect(text).toContain('echo: hello')
  expect(text.trimEnd().split('\n\n').at(-1)).toContain('"type":"ended"')
})
