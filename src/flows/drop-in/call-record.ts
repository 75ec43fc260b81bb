// Records what a process says to its caller, turn by turn. The caller never waits for it, and its trouble is nobody else's.
import type { SessionGrowth } from '../../adapters/adapter.ts'
import { userMessage } from '../../core/conversation/messages.ts'
import type { AgentEvent, AgentSaid } from '../../core/run/events.ts'
import { observe } from '../../core/run/observe.ts'
import type { Exit } from '../../core/run/run.ts'
import type { NextTurn } from '../../store/contract/runs.ts'
import type { Dependencies } from '../dependencies.ts'
import { removeThread } from '../threads/threads.ts'
import { withoutSecrets } from '../turn/event-log.ts'
import { recordEmptyEnd, recordEnd, remainsOf } from '../turn/record-end.ts'
import { titleOf } from '../turn/send-turn.ts'
import { announce, beginTurn, type CallTurn, type ServedCall, sessionOfCall } from './call-turn.ts'
import { SplitTurns, type TurnStep } from './split-turns.ts'

/** A process that stays has ended its turn in order. */
const STAYED: Exit = { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false }
/** The agent writes its file a moment after it has spoken. */
const SETTLES = { times: 40, pauseMs: 50 } as const
const MAX_WAITING = 100_000
export class CallRecord {
  readonly #dependencies: Dependencies
  readonly #call: ServedCall & { readonly isNew: boolean }
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #trouble: unknown = null
  /** What the reader of the streams knows, ahead of what is stored. */
  readonly #turns = new SplitTurns()
  /** What is stored. */
  #turn: CallTurn | null = null
  #reportedUsd = 0

  constructor(dependencies: Dependencies, call: ServedCall & { readonly isNew: boolean }) {
    this.#dependencies = dependencies
    this.#call = call
  }

  /** The error that ended the record; `null`: everything is on record so far. */
  get trouble(): unknown {
    return this.#trouble
  }

  /** Nothing more is recorded: another process holds the thread. */
  giveUp(error: unknown): void {
    this.#trouble ??= error
  }

  heard(prompt: string): void {
    this.#follow(this.#turns.heard(prompt))
  }

  said(events: readonly AgentEvent[]): void {
    this.#follow(this.#turns.said(events))
  }

  /** Resolves when the end is stored, or cannot be. */
  async end(exit: Exit): Promise<void> {
    this.#follow(this.#turns.ended())
    this.#do(() => (this.#turn ? this.#endTurn(this.#turn, { exit }) : this.#endUnused()))
    await this.#work
  }

  #follow(steps: readonly TurnStep[]): void {
    for (const step of steps) {
      if (step.do === 'begin') this.#do(() => this.#begin(step.prompt))
      else if (step.do === 'next') this.#do(() => this.#nextTurn(step.prompt))
      else this.#do(() => this.#note(step.event))
    }
  }

  async #begin(prompt: string): Promise<void> {
    const { store } = this.#dependencies
    const { lease, processRunId: runId } = this.#call
    const message = this.#message(runId, prompt)
    await store.givePrompt(lease, runId, { message, title: titleOf(prompt) })
    const beginning = { runId, prompt: message, before: null }
    this.#turn = await beginTurn(this.#dependencies, this.#call, beginning)
  }

  #do(step: () => Promise<void>): void {
    this.#waiting += 1
    if (this.#waiting > MAX_WAITING) this.giveUp(new Error('the store is too slow'))
    this.#work = this.#work.then(async () => {
      this.#waiting -= 1
      if (this.#trouble !== null) return
      try {
        await step()
      } catch (error) {
        this.#trouble = error
      }
    })
  }

  #message(runId: string, text: string) {
    const { random, clock } = this.#dependencies
    return userMessage({ id: random.id('msg'), text, runId, createdAt: clock.now() })
  }

  async #note(event: AgentSaid): Promise<void> {
    const turn = this.#turn
    if (turn === null) return
    const shown = withoutSecrets(event, this.#call.agent.secrets)
    observe(turn.observation, shown)
    turn.log.push(shown)
    if (event.type !== 'session') return
    const { sessionId } = event
    // An answer of another session means that the agent refused the one that was asked for.
    const isRefusal =
      turn.spec.continuation.kind === 'resume' && turn.plan.run.id === this.#call.processRunId
    if (!isRefusal) await announce(this.#dependencies, this.#call, { turn, sessionId })
  }

  async #nextTurn(text: string): Promise<void> {
    const turn = this.#turn
    if (turn === null) return
    const runId = this.#dependencies.random.id('run')
    const message = this.#message(runId, text)
    const { id } = turn.plan.run
    await this.#endTurn(turn, { exit: null, nextTurn: { runId, message } })
    const session = await sessionOfCall(this.#dependencies, this.#call, id)
    const before = session && { session, costUsd: this.#reportedUsd }
    const beginning = { runId, prompt: message, before }
    this.#turn = await beginTurn(this.#dependencies, this.#call, beginning)
  }

  async #endTurn(
    turn: CallTurn,
    { exit, nextTurn }: { readonly exit: Exit | null; readonly nextTurn?: NextTurn },
  ): Promise<void> {
    const { agent, lease } = this.#call
    const { plan, spec, observation } = turn
    const unwritten = await turn.log.takeRest()
    const remains = await this.#remains(turn, exit === null)
    const outcome = agent.adapter.outcomeOf(spec, observation, exit ?? STAYED)
    const observed = { observation, exit, outcome, remains, unwritten }
    this.#reportedUsd = observation.lastResult?.totalCostUsd ?? this.#reportedUsd
    const more = { mayFallBack: false, ...(nextTurn && { nextTurn }) }
    await recordEnd(this.#dependencies, { lease, agent }, { plan, observed, ...more })
  }

  /** A process that goes on may not have written everything yet. */
  async #remains(turn: CallTurn, goesOn: boolean) {
    const holder = { lease: this.#call.lease, agent: this.#call.agent }
    const { observation } = turn
    for (let time = 0; ; time += 1) {
      const { session, growth } = await remainsOf(
        this.#dependencies,
        holder,
        turn.plan,
        observation,
      )
      const isWhole = growth.complete || observation.result?.ok !== true
      if (!goesOn || isWhole || time >= SETTLES.times) {
        return { session, growth: ownGrowth(growth, turn, this.#call) }
      }
      await this.#dependencies.clock.sleep(SETTLES.pauseMs)
    }
  }

  /** The process ended before its caller had sent anything. */
  async #endUnused(): Promise<void> {
    const { store } = this.#dependencies
    const { lease, processRunId, isNew, thread } = this.#call
    const run = await store.run(processRunId)
    if (run === null) return
    const message = 'the caller of the agent sent no prompt'
    const unknown = { hint: 'Nothing is lost.', toolsRan: 0, resetsAt: null }
    const failure = { class: 'cancelled', message, ...unknown } as const
    await recordEmptyEnd(this.#dependencies, lease, { run, status: 'cancelled', failure })
    if (isNew) await removeThread(this.#dependencies, thread.id)
  }
}

/**
 * What others added before the process started is foreign to the thread, and the session knows it from the first turn on. All turns of a
 * process count from the same mark: the messages before a later one are its own.
 */
function ownGrowth(growth: SessionGrowth, turn: CallTurn, call: ServedCall): SessionGrowth {
  if (turn.plan.run.id !== call.processRunId) return { ...growth, foreignBefore: 0 }
  return { ...growth, foreignBefore: growth.foreignBefore + call.foreignMessages }
}
