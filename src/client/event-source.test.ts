import { describe, expect, test } from 'vitest'
import { readServerEvents, type ServerEvent } from './event-source.ts'

async function read(chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = []
  const body = ReadableStream.from(chunks)
  for await (const event of readServerEvents(body)) events.push(event)
  return events
}

const TEXT =
  'retry: 1000\n: open\n\nid: 1\ndata: {"a":"ü€😀"}\n\n: \n\nid: 2\nevent: resync\ndata: x\ndata:y\n\n'
const EVENTS = [
  { id: '1', event: 'message', data: '{"a":"ü€😀"}' },
  { id: '2', event: 'resync', data: 'x\ny' },
]

describe('server-sent events', () => {
  test('are the same wherever the bytes are cut', async () => {
    const bytes = new TextEncoder().encode(TEXT)
    for (let at = 0; at <= bytes.length; at++) {
      expect(await read([bytes.slice(0, at), bytes.slice(at)])).toEqual(EVENTS)
    }
  })

  test('may have their lines ended by CR and LF', async () => {
    expect(await read([new TextEncoder().encode(TEXT.replaceAll('\n', '\r\n'))])).toEqual(EVENTS)
  })

  test('that were cut off in the middle are left out', async () => {
    expect(await read([new TextEncoder().encode('id: 1\ndata: half')])).toEqual([])
  })
})
