import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { RepriseError } from '../errors.ts'
import type { Http } from './http.ts'
import { followRemoteRun } from './run-events.ts'

const AWAY = new RepriseError('daemon-unreachable', 'connection refused', 'start it')
const RESET = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
const ENDED = 'id: 1\nevent: event\ndata: {"runId":"run_1","seq":1,"at":0,"type":"ended"}\n\n'

/** Connections in their order: none at all, one that breaks before its first event, one with the end of the run. */
function daemonThat(connections: readonly ('refuses' | 'breaks' | 'ends')[]): Http {
  const left = [...connections]
  return {
    onAway: () => {},
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
  const awaited = { what: 'run_1', goOn: '' }
  const { signal } = new AbortController()
  const http = daemonThat(['refuses', 'breaks', 'refuses', 'ends'])
  const seen: string[] = []
  for await (const event of followRemoteRun(http, 'run_1', { after: 0, signal, awaited })) {
    seen.push(event.type === 'notice' ? `${event.seq} ${event.code}` : event.type)
  }
  const away = ['0 daemon-away', '0 daemon-back']
  expect(seen).toEqual([...away, ...away, 'ended'])
})
