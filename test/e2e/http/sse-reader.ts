// Reads server-sent events from a response, as strictly as a browser does.

export type ReadFrame = {
  readonly id: string
  readonly name: string
  readonly data: ReturnType<typeof JSON.parse>
}

/** Ends with the stream. Breaking out of the loop closes it. */
export async function* readEvents(response: Response): AsyncGenerator<ReadFrame, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const frame = eventOf(block)
      if (frame) yield frame
    }
  }
}

function eventOf(block: string): ReadFrame | null {
  const fields = new Map(
    block.split('\n').map(line => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trimStart()] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return null
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? '', data: JSON.parse(data) }
}
