// Handles questions of a live agent process: stores them, waits for an answer from any process, writes it to the agent's input.

import type { Answer, Question } from '../../core/conversation/question.ts'
import { isSameCall } from '../../core/conversation/question.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { AgentProcess } from '../../runner/runner.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { type EventLog, storedEvent, withoutSecrets } from '../turn/event-log.ts'
import type { TurnInput } from '../turn/turn-input.ts'
import { newQuestion, questionOf, unanswered } from './questions.ts'

type Asker = Pick<AgentProcess, 'write' | 'waitsForAnswer' | 'stop'>

const TOO_LATE: Answer = { kind: 'deny', message: 'Nobody answered in time. Go on without it.' }

export class LiveQuestions {
  readonly #dependencies: Dependencies
  readonly #input: TurnInput
  /** Permissions that a dead process asked for and did not use; each is valid for one call. */
  readonly #granted: Set<Question>
  readonly #over = new AbortController()
  /** Calls that a user refused or has not answered yet. */
  readonly #notAllowed = new Set<string>()
  readonly #waiting = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | null = null

  constructor(dependencies: Dependencies, input: TurnInput, granted: readonly Question[]) {
    this.#dependencies = dependencies
    this.#input = input
    this.#granted = new Set(granted)
  }

  /** True for a call that nobody allowed: it did not run, whatever its result says. */
  didNotRun(toolUseId: string): boolean {
    return this.#notAllowed.has(toolUseId)
  }

  /** Returns as soon as the question is stored, since the agent may ask more meanwhile. A granted call is answered at once. */
  async ask(
    event: QuestionEvent,
    process: Asker,
    log: Pick<EventLog, 'takeRest'>,
  ): Promise<'asked' | 'granted'> {
    const granted = [...this.#granted].find(question => isSameCall(question, event))
    if (granted) {
      this.#granted.delete(granted)
      process.write(this.#input.agent.adapter.answerLine(event, { kind: 'allow' }))
      return 'granted'
    }
    const { store, clock, questions } = this.#dependencies
    const askedAt = clock.now()
    const { lease, runId, agent } = this.#input
    const { secrets } = agent
    const { expireAfterMs } = questions
    const question = newQuestion(event, { askedAt, expireAfterMs, secrets })
    this.#notAllowed.add(event.toolUseId)
    const asked = storedEvent(askedAt, withoutSecrets(event, secrets))
    await store.askQuestion(lease, runId, question, [...(await log.takeRest()), asked])
    process.waitsForAnswer('waits')
    this.#input.slot.lend()
    const waiting = this.#answer(event, process)
      .catch(error => this.#fail(error, process))
      .finally(() => {
        this.#waiting.delete(waiting)
        if (this.#waiting.size > 0) return
        process.waitsForAnswer('goes-on')
        this.#input.slot.takeBack()
      })
    this.#waiting.add(waiting)
    return 'asked'
  }

  /** Called when the process has ended. Open questions stay in the store. Throws if the store failed meanwhile. */
  async end(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#waiting)
    if (this.#failure) throw this.#failure.error
  }

  /** Keeps the error for end(). Stops the process, which would wait for an answer that nobody can bring. */
  #fail(error: unknown, process: Asker): void {
    this.#failure ??= { error }
    process.stop('shutdown').catch(() => {
      // The loop that reads the lines sees the end of the process; the first error is kept.
    })
  }

  async #answer(event: QuestionEvent, process: Asker): Promise<void> {
    const answer = await this.#closed(event.toolUseId)
    if (answer === null) return
    if (answer.kind !== 'deny') this.#notAllowed.delete(event.toolUseId)
    process.write(this.#input.agent.adapter.answerLine(event, answer))
  }

  /** `null` when the process ended first. */
  async #closed(toolUseId: string): Promise<Answer | null> {
    const { runId } = this.#input
    const { answers } = this.#dependencies.live
    while (!this.#over.signal.aborted) {
      const question = await answers.waitDuring(runId, called => this.#look(toolUseId, called))
      if (question.state !== 'open') return question.answer ?? TOO_LATE
    }
    return null
  }

  /** Finds an answer of another process by looking regularly; an answer of this process wakes it. */
  async #look(toolUseId: string, called: Promise<void>): Promise<Question> {
    const { clock, store, timing } = this.#dependencies
    const { runId } = this.#input
    const question = await mustExist(questionOf(store, { runId, toolUseId }), toolUseId)
    if (question.state !== 'open') return question
    const leftMs = question.expiresAt - clock.now()
    if (leftMs <= 0) {
      await store.expireQuestion(runId, toolUseId, { failure: unanswered(), at: clock.now() })
      return question
    }
    const awake = new AbortController()
    const signal = AbortSignal.any([this.#over.signal, awake.signal])
    await Promise.race([called, clock.sleep(Math.min(leftMs, timing.renewMs), signal)])
    awake.abort()
    return question
  }
}
