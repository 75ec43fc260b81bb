// Answers like a PostgreSQL that lets nobody in, with any SQLSTATE.
import { once } from 'node:events'
import { createServer } from 'node:net'

export type RefusingServer = { readonly port: number; close(): Promise<void> }

export async function refusingServer(sqlstate: string, message: string): Promise<RefusingServer> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(errorMessage(sqlstate, message)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** `E`, the length, and fields that each begin with a letter and end with NUL. */
function errorMessage(sqlstate: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlstate}\0M${message}\0\0`)
  const head = Buffer.from('E    ')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
