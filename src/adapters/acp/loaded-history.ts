// What an agent repeats of a session while it loads it: enough to tell how the session ends.
import type { KnownEnd } from '../adapter.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'

export type LoadedHistory = {
  see(update: Fields): void
  isEmpty(): boolean
  /** The end that this history has; `null`: none of them. */
  endsAs(ends: readonly KnownEnd[]): KnownEnd | null
}

export function followHistory(): LoadedHistory {
  /** What the user said since the agent last spoke or acted. Some agents add notes of their own to it. */
  let lastWords = ''
  let agentSpoke = false
  return {
    see(update) {
      const kind = textIn(update.sessionUpdate)
      const text = textIn(fieldsIn(update.content)?.text) ?? ''
      if (kind === 'agent_message_chunk' || kind === 'tool_call') agentSpoke ||= true
      if (kind !== 'user_message_chunk') return
      lastWords = agentSpoke ? text : `${lastWords}\n${text}`
      agentSpoke = false
    },
    isEmpty: () => lastWords.trim() === '',
    endsAs(ends) {
      const places = ends.map(end => ({ end, ...placeOf(end, lastWords) }))
      // The later words are the last prompt. Of two that end together, the shorter is a part of the longer.
      const [last] = places
        .filter(({ from }) => from >= 0)
        .toSorted((a, b) => b.to - a.to || a.from - b.from)
      return last?.end ?? null
    },
  }
}

/** Whole lines only: a short prompt must not be found inside of another one. */
function placeOf({ lastPrompt }: KnownEnd, words: string): { from: number; to: number } {
  const wanted = `\n${lastPrompt.trim()}\n`
  const from = `\n${words.trim()}\n`.lastIndexOf(wanted)
  return { from, to: from + wanted.length }
}
