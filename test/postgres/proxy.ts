// Stands between a store and its database, and does what networks do: cuts connections, falls silent, loses a reply.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type DatabaseProxy = {
  /** The URL of the database, through this proxy. */
  readonly url: string
  /** Cuts every connection; new ones work. */
  cut(): void
  /** Cuts and refuses connections until `heal`. */
  refuse(): void
  heal(): void
  /** Once, the next commit reaches the database, and its reply is lost with the connection. */
  loseReplyToCommit(): void
  close(): Promise<void>
}

/** The message of the protocol that commits. */
const COMMIT = Buffer.from('commit\0')

export async function startProxy(to: string): Promise<DatabaseProxy> {
  const target = new URL(to)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isRefusing = false
  let losesReply = false
  const server = createServer(client => {
    if (isRefusing) return void client.destroy()
    const database = connect(Number(target.port), target.hostname)
    const pair = [client, database] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    let isDeaf = false
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.on('data', chunk => {
      if (losesReply && chunk.includes(COMMIT)) {
        losesReply = false
        isDeaf = true
      }
      database.write(chunk)
    })
    database.on('data', chunk => {
      if (isDeaf) end()
      else client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(to)
  if (address !== null && typeof address !== 'string') url.port = String(address.port)
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    refuse() {
      isRefusing = true
      cut()
    },
    heal() {
      isRefusing = false
    },
    loseReplyToCommit() {
      losesReply = true
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
