// Handles questions of a live agent process: stores them, waits for an answer from any process, writes it to the agent's input.
// Calls that a user allowed for the whole run are answered without asking.

import { isSameRule, type PermissionRule } from '../../core/calls/permission-rule.ts'
import type { Answer, Question } from '../../core/conversation/question.ts'
import { isSameCall } from '../../core/conversation/question.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import { RepriseError } from '../../errors.ts'
import type { AgentProcess } from '../../runner/runner.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { type EventLog, storedEvent, withoutSecrets } from '../turn/event-log.ts'
import type { TurnInput } from '../turn/turn-input.ts'
import { storeAnswer } from './answers.ts'
import { newQuestion, questionOf, unanswered } from './questions.ts'
import type { ReplyPlan } from './reply-plan.ts'

/** The process that asks. */
export type Asker = Pick<AgentProcess, 'waitsForAnswer' | 'stop'> & {
  answer(asked: QuestionEvent, answer: Answer): void
}

/** A rule that holds until the run ends, as the agent means it and as users see it: without secrets. */
type Allowed = { readonly rule: PermissionRule; readonly shown: PermissionRule }

const TOO_LATE: Answer = { kind: 'deny', message: 'Nobody answered in time. Go on without it.' }

export class LiveQuestions {
  readonly #dependencies: Dependencies
  readonly #input: TurnInput
  /** Permissions that a dead process asked for and did not use; each is valid for one call. */
  readonly #granted: Set<Question>
  readonly #allowed: Allowed[]
  /** Calls that wait for an answer. */
  readonly #open = new Map<string, QuestionEvent>()
  readonly #over = new AbortController()
  /** Calls that were refused or are not answered yet. */
  readonly #notAllowed = new Set<string>()
  readonly #waiting = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | null = null

  constructor(
    dependencies: Dependencies,
    input: TurnInput,
    { granted, allowed }: Pick<ReplyPlan, 'granted' | 'allowed'>,
  ) {
    this.#dependencies = dependencies
    this.#input = input
    this.#granted = new Set(granted)
    this.#allowed = allowed.map(rule => ({ rule, shown: rule }))
  }

  /** True for a call that nobody allowed: it did not run, whatever its result says. */
  didNotRun(toolUseId: string): boolean {
    return this.#notAllowed.has(toolUseId)
  }

  /** The fence is stronger than any answer: what it refuses is refused, and nobody is asked. */
  refuse(event: QuestionEvent, process: Asker, message: string): void {
    this.#notAllowed.add(event.toolUseId)
    process.answer(event, { kind: 'deny', message })
  }

  /** Returns as soon as the question is stored, since the agent may ask more meanwhile. A granted or allowed call is answered at once. */
  async ask(
    event: QuestionEvent,
    process: Asker,
    log: Pick<EventLog, 'takeRest' | 'push'>,
  ): Promise<'asked' | 'granted'> {
    const granted = [...this.#granted].find(question => isSameCall(question, event))
    if (granted) {
      this.#granted.delete(granted)
      process.answer(event, { kind: 'allow' })
      return 'granted'
    }
    const byRule = this.#answerByRule(event)
    if (byRule) {
      log.push({ type: 'answer', id: event.toolUseId, state: 'answered', answer: byRule })
      process.answer(event, byRule)
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
    this.#open.set(event.toolUseId, event)
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
    // A user may have allowed the rule while the question was being stored.
    const allowed = this.#answerByRule(event)
    if (allowed) await this.#answerOpen(event.toolUseId, allowed)
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
    this.#open.delete(event.toolUseId)
    if (answer === null) return
    if (answer.kind !== 'deny') this.#notAllowed.delete(event.toolUseId)
    process.answer(event, answer)
    if (answer.kind === 'allow' && answer.forRun?.by === 'user') {
      await this.#allowForRun(event, answer.forRun.rule)
    }
  }

  /** Calls of the same rule that are being asked about are allowed as well. */
  async #allowForRun({ rule }: QuestionEvent, shown: PermissionRule): Promise<void> {
    if (rule === undefined) return
    this.#allowed.push({ rule, shown })
    for (const event of this.#open.values()) {
      const answer = this.#answerByRule(event)
      if (answer) await this.#answerOpen(event.toolUseId, answer)
    }
  }

  async #answerOpen(toolUseId: string, answer: Answer): Promise<void> {
    const { runId } = this.#input
    const asked = await mustExist(
      questionOf(this.#dependencies.store, { runId, toolUseId }),
      toolUseId,
    )
    // If the process is gone, the answer would start another run, for which nobody has allowed anything.
    if (asked.delivery !== 'live') return
    await storeAnswer(this.#dependencies, runId, { asked, answer }).catch(ignoreConflict)
  }

  /** The answer that a rule of this run gives; `null`: a user must be asked. */
  #answerByRule({ rule }: QuestionEvent): Answer | null {
    const allowed = rule && this.#allowed.find(one => isSameRule(one.rule, rule))
    return allowed ? { kind: 'allow', forRun: { rule: allowed.shown, by: 'rule' } } : null
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

/** A user answered or the question expired in the same moment: that answer holds. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof RepriseError) || error.code !== 'conflict') throw error
}
