// The calls of a run that were refused: they did not run.

import { callLine } from '../../src/core/calls/tool-call.ts'
import type { RunEvent } from '../../src/core/run/run-events.ts'

export type Refused = { readonly id: string; readonly line: string; readonly words: string }

const MOST_CHARS = 240

export function refusedIn(events: readonly RunEvent[]): readonly Refused[] {
  const calls = new Map<string, string>()
  const refused: Refused[] = []
  for (const event of events) {
    if (event.type === 'tool') calls.set(event.id, callLine(event.name, event.input))
    if (event.type !== 'tool-result' || !event.denied) continue
    const words = event.text.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARS)
    refused.push({ id: event.id, line: calls.get(event.id) ?? 'a call', words })
  }
  return refused
}
