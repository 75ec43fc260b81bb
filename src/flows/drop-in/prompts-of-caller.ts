// Finds the prompts of a caller: in its arguments and its text input, or line by line in its stream of messages.
import type { AgentCalls, NamedCall } from '../../adapters/agent-call.ts'
import type { StreamLook } from '../../runner/runner.ts'

/** The agent itself takes no more than this. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024
/** A message with images may be this long. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

export type PromptsOfCaller = {
  /** For the bytes of the input; absent: they are none of ours. */
  readonly look?: StreamLook
  /** The agent began to answer, or ended: it knows its prompt by now. */
  begun(): void
}

type Lines = {
  push(chunk: Uint8Array): readonly string[]
  /** The last line, when it has no newline: the agent reads that one too. */
  end(): readonly string[]
}

export function promptsOfCaller(
  call: NamedCall,
  {
    calls,
    lines,
    readsInput,
    heard,
  }: {
    readonly calls: Pick<AgentCalls, 'promptIn'>
    readonly lines: Lines
    /** A terminal is no input. */
    readonly readsInput: boolean
    readonly heard: (prompt: string) => void
  },
): PromptsOfCaller {
  if (call.input === 'stream-json') {
    const hear = (read: readonly string[]) => {
      for (const line of read) {
        const prompt = calls.promptIn(line)
        if (prompt !== null) heard(prompt)
      }
    }
    const look = {
      bytes: (chunk: Uint8Array) => hear(lines.push(chunk)),
      end: () => hear(lines.end()),
    }
    return { ...(readsInput && { look }), begun: () => {} }
  }
  return textInput(call.prompt, readsInput, heard)
}

function textInput(
  words: string | null,
  readsInput: boolean,
  heard: (prompt: string) => void,
): PromptsOfCaller {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isOver = false
  const over = () => {
    if (isOver) return
    isOver = true
    const input = Buffer.concat(chunks).toString('utf8')
    const prompt = [words, input].filter(part => part).join('\n')
    if (prompt !== '') heard(prompt)
  }
  if (!readsInput) {
    over()
    return { begun: () => {} }
  }
  const look = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (!isOver && bytes <= MAX_TEXT_BYTES) chunks.push(chunk)
  }
  return { look: { bytes: look, end: over }, begun: over }
}
