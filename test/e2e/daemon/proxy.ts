// A plain HTTP proxy that can be cut: every connection ends, and no new one is answered until it is restored.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type NetworkSwitch = {
  readonly url: string
  cut(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

export async function openProxy(): Promise<NetworkSwitch> {
  const server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked
    const passed = request(url, { method, headers }, got => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    passed.once('error', () => answer.destroy())
    answer.once('close', () => passed.destroy())
    asked.pipe(passed)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, cut, restore: () => listen(port), close: cut }
}
