import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { RepriseError } from '../errors.ts'
import type { Http } from './http.ts'
import { readRunEvents } from './run-events.ts'

const AWAY = new RepriseError('daemon-unreachable', 'connection refused', 'start it')
const RESET = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
const ENDED = 'id: 1\nevent: event\ndata: {"seq":1,"event":{"type":"ended"}}\n\n'

/** Connections in their order: none at all, one that breaks before its first event, one with the end of the run. */
function daemonThat(connections: readonly ('refuses' | 'breaks' | 'ends')[]): Http {
  const left = [...connections]
  return {
    onAway: () => {},
    prove: async () => {},
    ask: () => Promise.reject(new Error('nobody asks for the run')),
    open: async () => {
      const next = left.shift()
      if (next === 'refuses') throw AWAY
      const stream = new PassThrough()
      if (next === 'ends') stream.end(ENDED)
      else setImmediate(() => stream.destroy(RESET))
      return stream as unknown as IncomingMessage
    },
  }
}

test('U-4 a daemon that accepts the connection is back, also when the run has nothing to say: the next time it goes away, the waiting begins anew', async () => {
  const told: string[] = []
  const awaited = { what: 'run_1', goOn: '', tell: ({ code }: { code: string }) => told.push(code) }
  const { signal } = new AbortController()
  const http = daemonThat(['refuses', 'breaks', 'refuses', 'ends'])
  for await (const { event } of readRunEvents(http, 'run_1', { signal, awaited })) {
    expect(event.type).toBe('ended')
  }
  expect(told).toEqual(['daemon-away', 'daemon-back', 'daemon-away', 'daemon-back'])
})
