// Reads server-sent events from a response: id, event and data of each, as they come.

export type ServerEvent = {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** More than a daemon sends in one event. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024

export async function* readServerEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true }).replaceAll('\r', '')
    if (rest.length > MAX_EVENT_CHARS) throw new Error('an event of the daemon has no end')
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event) yield event
    }
  }
}

/** `null` for comments, which only keep the connection alive. */
function parseBlock(block: string): ServerEvent | null {
  const data: string[] = []
  let id: string | null = null
  let event = 'message'
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'id') id = value
    if (field === 'event') event = value
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') }
}
