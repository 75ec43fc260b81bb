// Divides what passes between a caller and its agent into turns: which prompt begins one, and which event belongs to which. Pure.
import type { AgentEvent, AgentSaid } from '../../core/run/events.ts'

/** What follows for the record, in this order. */
export type TurnStep =
  | { readonly do: 'begin'; readonly prompt: string }
  /** The turn under way is over, and the next one begins in the same process. */
  | { readonly do: 'next'; readonly prompt: string }
  | { readonly do: 'note'; readonly event: AgentSaid }

const NO_PROMPT = '(the caller sent no prompt)'
/** By these a process shows that it works on another prompt. */
const WORK: ReadonlySet<AgentEvent['type']> = new Set(['text', 'tool', 'block', 'usage', 'result'])

export class SplitTurns {
  #hasBegun = false
  #isAnswered = false
  /** What the agent said before its prompt was known. */
  #early: AgentEvent[] = []
  #pending: string[] = []

  /** The caller sent a prompt. One that comes during a turn begins the next one, or becomes a part of this one. */
  heard(prompt: string): readonly TurnStep[] {
    if (!this.#hasBegun) return this.#begin(prompt)
    this.#pending.push(prompt)
    return []
  }

  said(events: readonly AgentEvent[]): readonly TurnStep[] {
    return events.flatMap(event => this.#saidOne(event))
  }

  /** The process ended. What it said without a prompt is a turn too. */
  ended(): readonly TurnStep[] {
    return this.#early.length > 0 ? this.#begin(NO_PROMPT) : []
  }

  #begin(prompt: string): readonly TurnStep[] {
    this.#hasBegun = true
    return [{ do: 'begin', prompt }, ...this.said(this.#early.splice(0))]
  }

  #saidOne(event: AgentEvent): readonly TurnStep[] {
    // The caller answers these itself.
    if (event.type === 'call-asked' || event.type === 'question') return []
    if (!this.#hasBegun) {
      this.#early.push(event)
      return []
    }
    const isUnasked = event.type === 'result' && event.unasked
    const steps: TurnStep[] = []
    if (this.#isAnswered && this.#pending.length > 0 && WORK.has(event.type) && !isUnasked) {
      this.#isAnswered = false
      steps.push({ do: 'next', prompt: this.#pending.splice(0).join('\n\n') })
    }
    if (event.type === 'result' && !isUnasked) this.#isAnswered = true
    return [...steps, { do: 'note', event }]
  }
}
