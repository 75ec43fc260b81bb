// Stands between a store and its database, and does what networks do: cuts connections, falls silent, is slow, loses a reply.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type DatabaseProxy = {
  /** The URL of the database, through this proxy. */
  readonly url: string
  /** Cuts every connection; new ones work. */
  cut(): void
  /** Cuts and refuses connections until `heal`. */
  refuse(): void
  /** Connections stay open, also new ones, but nothing passes any more until `heal`, which cuts them. */
  fallSilent(): void
  /** The same from the reply to the first statement with this text on: the database has carried it out, and hears no more. */
  fallSilentAfter(text: string): void
  /** From now on every reply of the database comes so much later. */
  delay(ms: number): void
  heal(): void
  /** Once, the next commit reaches the database, and its reply is lost with the connection. */
  loseReplyToCommit(which?: LostCommit): void
  /** As a pooler that does not know the parameter `options`: it is left out of new connections. */
  dropOptions(): void
  close(): Promise<void>
}

type LostCommit = {
  /** Only a commit after this text on its connection. */
  readonly after?: string
  /** Called when the reply is lost. */
  readonly then?: () => void
}

/** The message of the protocol that commits. */
const COMMIT = Buffer.from('commit\0')

export async function startProxy(to: string): Promise<DatabaseProxy> {
  const target = new URL(to)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isRefusing = false
  let isSilent = false
  let silencer: string | null = null
  let delayMs = 0
  let loses: LostCommit | null = null
  let dropsOptions = false
  const server = createServer(client => {
    if (isRefusing) return void client.destroy()
    const database = connect(Number(target.port), target.hostname)
    const pair = [client, database] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    let isDeaf: LostCommit | null = null
    let isAfter = false
    for (const socket of pair) socket.on('error', end).on('close', end)
    let isFirst = true
    client.on('data', received => {
      if (isSilent) return
      const chunk: Buffer = isFirst && dropsOptions ? withoutOptions(received) : received
      isFirst = false
      if (loses?.after === undefined || chunk.includes(loses.after)) isAfter = true
      if (loses !== null && isAfter && chunk.includes(COMMIT)) {
        isDeaf = loses
        loses = null
      }
      if (chunk.includes(COMMIT)) isAfter = false
      database.write(chunk)
      if (silencer !== null && chunk.includes(silencer)) {
        silencer = null
        isSilent = true
      }
    })
    const reply = (chunk: Buffer) => {
      if (isDeaf !== null) {
        end()
        isDeaf.then?.()
        isDeaf = null
      } else if (!isSilent && !client.destroyed) client.write(chunk)
    }
    database.on('data', chunk => {
      if (delayMs === 0) reply(chunk)
      else setTimeout(reply, delayMs, chunk)
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
    fallSilent() {
      isSilent = true
    },
    fallSilentAfter(text) {
      silencer = text
    },
    delay(ms) {
      delayMs = ms
    },
    heal() {
      isRefusing = false
      if (isSilent) cut()
      isSilent = false
    },
    loseReplyToCommit(which = {}) {
      loses = which
    },
    dropOptions() {
      dropsOptions = true
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The first message: its length, the version of the protocol, then names and values that each end with NUL. */
function withoutOptions(start: Buffer): Buffer {
  const words = start.subarray(8).toString('latin1').split('\0')
  const at = words.indexOf('options')
  if (at !== -1) words.splice(at, 2)
  const body = Buffer.from(words.join('\0'), 'latin1')
  const head = Buffer.from(start.subarray(0, 8))
  head.writeInt32BE(8 + body.length)
  return Buffer.concat([head, body])
}
