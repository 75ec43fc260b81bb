// Writes a run's events in batches: one transaction per batch, pieces of text joined, no event waits longer than the batch time.
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { Failure } from '../../core/run/run.ts'
import type { EventBody } from '../../core/run/run-events.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import { cutText } from '../../core/secrets/cut-text.ts'
import { redact } from '../../core/secrets/redact.ts'
import type { Clock } from '../../core/world.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Store } from '../../store/contract/store.ts'
import { Backlog, type Overflow } from '../lease/backlog.ts'

/** How long events wait before a store that took nothing is asked again. */
const ASK_AGAIN_MS = 1_000

export class EventLog {
  readonly #write: (events: readonly NewEvent[]) => Promise<void>
  readonly #clock: Clock
  readonly #batchMs: number
  readonly #backlog: Backlog
  #waiting: { at: number; event: EventBody }[] = []
  #timer: Promise<void> | null = null
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  #failure: unknown = null
  /** What `takeRest` has taken; `null` until the run ends. */
  #rest: { at: number; event: EventBody }[] | null = null
  readonly #ending = Promise.withResolvers<void>()

  constructor(options: {
    store: Store
    lease: Lease
    runId: string
    clock: Clock
    batchMs: number
    /** Where events wait while the database is away; `null`: in memory. */
    overflow?: Overflow | null
  }) {
    const { store, lease, runId, overflow = null } = options
    this.#write = events => store.appendEvents(lease, runId, events)
    this.#clock = options.clock
    this.#batchMs = options.batchMs
    this.#backlog = new Backlog(overflow)
  }

  push(event: EventBody): void {
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

  /** Gives the unwritten events, for callers that write them in their own transaction. Throws the error of a failed write. */
  async takeRest(): Promise<readonly NewEvent[]> {
    // Takes them before it waits: the batch timer may fire during the last write.
    const rest = this.#waiting
    this.#waiting = []
    this.#rest = rest
    this.#ending.resolve()
    await this.#writing
    if (this.#failure) throw this.#failure
    const { lost } = this.#backlog
    if (lost > 0) rest.push({ at: this.#clock.now(), event: eventsMissing(lost) })
    return rest.map(({ at, event }) => storedEvent(at, event))
  }

  #start(): void {
    const batch = this.#waiting
    if (batch.length === 0 || this.#failure) return
    this.#waiting = []
    this.#backlog.add(batch.map(({ at, event }) => storedEvent(at, event)))
    if (this.#isWriting) return
    this.#isWriting = true
    this.#writing = this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    try {
      for (let batch = this.#backlog.next(); batch; batch = this.#backlog.next()) {
        await this.#writeWhenPossible(batch)
        this.#backlog.written()
      }
    } catch (error) {
      // Kept for takeRest(): the run must not end as if its events were stored.
      this.#failure = error
      if (this.#rest) this.#backlog.add(this.#rest.map(({ at, event }) => storedEvent(at, event)))
      this.#backlog.giveUp(error)
    }
    this.#isWriting = false
  }

  /** While the store takes nothing, events wait on disk. At the end of the run the store is asked once more. */
  async #writeWhenPossible(batch: readonly NewEvent[]): Promise<void> {
    for (;;) {
      const isLast = this.#rest !== null
      try {
        await this.#write(batch)
        return
      } catch (error) {
        if (isLast || !mayPass(error) || !this.#backlog.waitOnDisk()) throw error
      }
      await Promise.race([this.#clock.sleep(ASK_AGAIN_MS), this.#ending.promise])
    }
  }
}

/** The disk is full, or the server allows reading only for a while: it can be put right while the agent goes on. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof RepriseError)) return false
  return error.code === 'store-full' || error.code === 'store-unusable'
}

function eventsMissing(count: number): EventBody {
  const text = `${count} events are missing here: the database was away, and the space on disk for them was full.`
  return { type: 'notice', code: 'events-missing', text }
}

function joinText(last: EventBody, next: EventBody): EventBody | null {
  if (last.type !== 'text' || next.type !== 'text') return null
  return { type: 'text', text: last.text + next.text }
}

export function storedEvent(at: number, event: EventBody): NewEvent {
  return { at, type: event.type, json: JSON.stringify(withoutSecrets(event)) }
}

/** Gives an event as Reprise stores and shows it: tool inputs, tool results and error texts without secrets. */
export function withoutSecrets<Event extends EventBody>(
  event: Event,
  known: readonly string[] = [],
): Event {
  return { ...event, ...cleanParts(event, known) }
}

function cleanParts(event: EventBody, known: readonly string[]): Partial<EventBody> {
  if (event.type === 'tool') return { input: redact(event.input, known) }
  if (event.type === 'tool-result') return { text: redact(event.text, known) }
  if (event.type === 'notice') return { text: redact(event.text, known) }
  if (event.type === 'retry') return { error: redact(event.error, known) }
  if (event.type === 'question') return redactedQuestion(event, known)
  if (event.type === 'unknown') return { raw: redact(event.raw, known) }
  // The text of a failed result is not an answer but output of some program.
  if (event.type === 'result' && !event.ok) {
    const text = event.text && redact(event.text, known)
    return { text, errors: event.errors.map(error => redact(error, known)) }
  }
  if (event.type === 'ended' && event.failure) {
    return { failure: failureWithoutSecrets(event.failure, known) }
  }
  return {}
}

/** A failure quotes the last output of the program, which may hold anything. */
export function failureWithoutSecrets(failure: Failure, known: readonly string[] = []): Failure {
  return { ...failure, message: redact(failure.message, known) }
}

const MAX_QUESTION_CHARS = 64 * 1024

/** Gives a question as Reprise stores and shows it: long inputs cut, known secrets left out, also in the words of its rule. */
export function redactedQuestion(
  event: QuestionEvent,
  known: readonly string[] = [],
): QuestionEvent {
  const shown = (text: string) => cutText(redact(text, known), MAX_QUESTION_CHARS).toWellFormed()
  const { rule } = event
  return {
    ...event,
    input: shown(event.input),
    ...(rule && { rule: permissionRule({ ...rule, value: shown(rule.value) }) }),
  }
}
