// Writes a run's events in batches: one transaction per batch, pieces of text joined, nothing older than the batch time.
import type { SessionMark } from '../adapters/adapter.ts'
import type { Decision } from '../core/decision.ts'
import type { AgentEvent, AnswerEvent, QuestionEvent } from '../core/events.ts'
import { redact } from '../core/redact.ts'
import type { Failure, Run } from '../core/run.ts'
import type { Clock } from '../core/world.ts'
import type { Lease, NewEvent, Store } from '../store/store.ts'

/** First event of every run; keeps what recovery needs when this process does not live to see the end. */
export type StartedEvent = {
  readonly type: 'started'
  readonly runId: string
  readonly decision: Decision
  readonly mark: SessionMark
  /** The parked call that the run goes on with instead of a prompt. */
  readonly answerTo: string | null
}

/** Last event of every run, written in the transaction that ends it. */
export type EndedEvent = {
  readonly type: 'ended'
  readonly runId: string
  readonly status: Run['status']
  readonly failure: Failure | null
  readonly continuedBy: string | null
}

export type LoggedEvent = AgentEvent | StartedEvent | AnswerEvent | EndedEvent

export class EventLog {
  readonly #write: (events: readonly NewEvent[]) => Promise<void>
  readonly #clock: Clock
  readonly #batchMs: number
  #waiting: { at: number; event: LoggedEvent }[] = []
  #timer: Promise<void> | null = null
  #writing: Promise<void> = Promise.resolve()
  #failure: unknown = null

  constructor(options: {
    store: Store
    lease: Lease
    runId: string
    clock: Clock
    batchMs: number
  }) {
    const { store, lease, runId } = options
    this.#write = events => store.appendEvents(lease, runId, events)
    this.#clock = options.clock
    this.#batchMs = options.batchMs
  }

  push(event: LoggedEvent): void {
    const at = this.#clock.now()
    const last = this.#waiting.at(-1)
    const joined = last && joinText(last.event, event)
    if (last && joined) last.event = joined
    else this.#waiting.push({ at, event })
    this.#timer ??= this.#clock.sleep(this.#batchMs).then(() => {
      this.#timer = null
      this.#start()
    })
  }

  /** What is not written yet, for whoever writes it in a transaction of their own; a write that failed is thrown here. */
  async takeRest(): Promise<readonly NewEvent[]> {
    // Taken first: the batch timer may come while the last write is awaited.
    const rest = this.#waiting
    this.#waiting = []
    await this.#writing
    if (this.#failure) throw this.#failure
    return rest.map(({ at, event }) => storedEvent(at, event))
  }

  #start(): void {
    const batch = this.#waiting
    if (batch.length === 0 || this.#failure) return
    this.#waiting = []
    this.#writing = this.#writing
      .then(() => this.#write(batch.map(({ at, event }) => storedEvent(at, event))))
      .catch(error => {
        // Kept for takeRest(): the run must not end as if its events were stored.
        this.#failure ??= error
      })
  }
}

function joinText(last: LoggedEvent, next: LoggedEvent): LoggedEvent | null {
  if (last.type !== 'text' || next.type !== 'text') return null
  return { type: 'text', text: last.text + next.text }
}

export function storedEvent(at: number, event: LoggedEvent): NewEvent {
  return { at, type: event.type, json: JSON.stringify(withoutSecrets(event)) }
}

/** Before it becomes JSON: a pattern that eats a quote or a backslash would break it. */
function withoutSecrets(event: LoggedEvent): LoggedEvent {
  if (event.type === 'tool') return { ...event, input: redact(event.input) }
  if (event.type === 'tool-result') return { ...event, text: redact(event.text) }
  if (event.type === 'question') return redactedQuestion(event)
  if (event.type === 'unknown') return { ...event, raw: redact(event.raw) }
  return event
}

const MAX_QUESTION_CHARS = 64 * 1024

/** As it is stored and shown: long inputs are cut, secrets of known shapes are left out. */
export function redactedQuestion(event: QuestionEvent): QuestionEvent {
  const { input } = event
  const cut = input.length > MAX_QUESTION_CHARS ? `${input.slice(0, MAX_QUESTION_CHARS)}…` : input
  return { ...event, input: redact(cut.toWellFormed()) }
}
