// Writes server-sent events. It pulls from the store as fast as the reader reads, so no reader costs memory or slows a run.
import type { Resync } from '../contract/event.ts'

export type Frame =
  | { readonly kind: 'event'; readonly id: string; readonly name?: string; readonly data: string }
  | { readonly kind: 'comment' }

export type StreamTiming = {
  /** The stream sends a comment at least this often, so that both ends notice a dead connection. */
  readonly heartbeatMs: number
  /** The stream drops a reader that takes nothing for this long. */
  readonly stallMs: number
}

export const DEFAULT_STREAM_TIMING: StreamTiming = {
  heartbeatMs: 15_000,
  stallMs: 30_000,
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** Says how long a browser waits before it reconnects, and that the stream is open. */
const HELLO = 'retry: 1000\n: open\n\n'

/** The last text before an orderly stop of the daemon. */
const GOOD_BYE = ': stopping; come back with Last-Event-ID\n\n'

export type Streaming = {
  /** Ends when the signal aborts. */
  readonly frames: (signal: AbortSignal) => AsyncGenerator<Frame, void>
  readonly stallMs: number
  /** Aborts when the daemon stops. The reader then gets a good-bye, so that it does not take the end for a fault. */
  readonly closing?: AbortSignal
  /** The stream calls it once, however it ends. */
  readonly onEnd: () => void
  /** Cuts the connection of a reader that does not even take the good-bye. */
  readonly cut?: () => void
}

export function eventStream(streaming: Streaming): Response {
  return new Response(bodyOf(streaming), { headers: HEADERS })
}

type Controller = ReadableStreamDefaultController<Uint8Array>

function bodyOf({ frames, stallMs, closing, onEnd, cut }: Streaming): ReadableStream<Uint8Array> {
  const over = new AbortController()
  const encoder = new TextEncoder()
  const source = frames(over.signal)
  let lastId = '0'
  let stalled: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(stalled)
    if (over.signal.aborted) return
    over.abort()
    onEnd()
  }
  const give = (controller: Controller, text: string) => {
    controller.enqueue(encoder.encode(text))
    // The next pull clears the timer. It comes when the reader has taken everything.
    stalled = setTimeout(drop, stallMs, controller)
    stalled.unref()
  }
  const drop = (controller: Controller) => {
    const words: Resync = { reason: 'too-slow', after: lastId }
    const frame = {
      kind: 'event',
      id: lastId,
      name: 'resync',
      data: JSON.stringify(words),
    } as const
    controller.enqueue(encoder.encode(frameText(frame)))
    controller.close()
    end()
    if (cut) setTimeout(cut, stallMs).unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: controller => give(controller, HELLO),
      async pull(controller) {
        clearTimeout(stalled)
        const next = await source.next().catch(() => {
          // The run was removed, or the store fails. A reader that reconnects gets the error.
          return { value: undefined, done: true } as const
        })
        if (over.signal.aborted) return
        const { value } = next
        if (next.done || !value) {
          if (closing?.aborted) controller.enqueue(encoder.encode(GOOD_BYE))
          controller.close()
          return end()
        }
        if (value.kind === 'event') lastId = value.id
        give(controller, frameText(value))
      },
      async cancel() {
        end()
        await source.return()
      },
    },
    { highWaterMark: 1 },
  )
}

/** `data` is JSON on one line, so it needs no escaping. */
export function frameText(frame: Frame): string {
  if (frame.kind === 'comment') return ': \n\n'
  const name = frame.name ? `event: ${frame.name}\n` : ''
  return `id: ${frame.id}\n${name}data: ${frame.data}\n\n`
}
