// One conversation in the terminal: it holds the thread and the options of the next turn, and shows each turn to its end.
import type { Reprise, Thread, Turn, TurnOptions } from '../../api.ts'
import type { AskedCall } from '../../core/conversation/question.ts'
import { RepriseError } from '../../errors.ts'
import { type Io, paint } from '../start/io.ts'
import { printError, printTrouble } from '../view/print-trouble.ts'
import { cancelOnRequest, summaryOf, whyNotResumed } from '../view/stream-turn.ts'
import { createTurnView } from '../view/turn-view.ts'
import { askUser } from './ask.ts'
import type { Terminal } from './terminal.ts'
import { openTurnScreen } from './turn-screen.ts'

export type Surroundings = {
  readonly io: Io
  readonly reprise: Reprise
  readonly terminal: Terminal
}

/** A parked question needs no process, so the user may leave it open (`leave`). A live one keeps its process waiting, so leaving cancels the turn. */
type Asked = AskedCall & { readonly atEnd: 'leave' | 'cancel' }

export class Conversation {
  readonly #around: Surroundings
  readonly #options: TurnOptions
  readonly #create: () => Promise<Thread>
  #thread: Thread | null
  #lastRunId: string | null = null
  #isFresh = false

  constructor(
    around: Surroundings,
    start: {
      readonly thread: Thread | null
      /** Creates the thread with the first message. */
      readonly create: () => Promise<Thread>
      readonly options: TurnOptions
    },
  ) {
    this.#around = around
    this.#thread = start.thread
    this.#create = start.create
    this.#options = start.options
  }

  get lastRunId(): string | null {
    return this.#lastRunId
  }

  /** The current thread. */
  thread(): Thread {
    if (this.#thread) return this.#thread
    throw new RepriseError('bad-input', 'nothing has been said yet', 'Send a message first.')
  }

  goOnIn(thread: Thread): void {
    this.#thread = thread
    this.#lastRunId = null
  }

  /** The next turn does not resume: the agent gets the conversation in a new session. */
  freshNextTime(): void {
    this.#isFresh = true
  }

  /** Starts the process for the next turn, while its message is being typed. Nobody needs to know when that is not possible. */
  preWarm(): void {
    if (this.#isFresh) return
    this.#thread?.preWarm({ ...this.#options, questions: 'ask' }).catch(() => {})
  }

  /** Asks open questions first, also those of other processes, because the message would wait silently behind them. */
  async send(text: string): Promise<void> {
    if (this.#thread && (await this.answerOpenQuestions()) === 'left') {
      this.#say('your message was not sent: it would wait behind the question')
      return
    }
    const isNew = this.#thread === null
    this.#thread ??= await this.#create()
    const thread = this.#thread
    const turn = thread.send(text, this.#turnOptions())
    try {
      await turn.submitted
    } catch (error) {
      // The message was refused, so the thread that was created for it is removed.
      if (isNew) {
        await thread.remove()
        this.#thread = null
      }
      throw error
    }
    if (isNew) this.#say(`thread ${thread.id}`)
    await this.live(turn)
  }

  async retry(messageId: string, text: string | null): Promise<void> {
    const options = { ...this.#turnOptions(), ...(text !== null && { text }) }
    await this.live(this.thread().retry(messageId, options))
  }

  /** Shows a turn to its end and asks its questions in place. Ctrl-C cancels the turn; a second Ctrl-C leaves at once. */
  async live(turn: Turn): Promise<'over' | 'left'> {
    const { io, terminal } = this.#around
    const screen = openTurnScreen(io, terminal)
    const view = createTurnView(io, screen.writer)
    const stopListening = cancelOnRequest(screen.io, turn)
    try {
      const { runId } = await turn.submitted
      this.#lastRunId = runId
      for await (const event of turn) {
        if (event.type === 'started') this.#lastRunId = event.runId
        screen.see(event)
        view.show(event)
        screen.redraw()
        if (event.type !== 'question') continue
        view.breakLine()
        screen.pause()
        const atEnd = event.requestId === null ? 'leave' : 'cancel'
        const asked: Asked = { ...event, atEnd }
        const outcome = await this.#answer(this.#lastRunId, asked, () => turn.cancel())
        if (outcome === 'left') return 'left'
        screen.goOn()
      }
      view.breakLine()
      const { run } = await turn.result
      screen.end()
      this.#lastRunId = run.id
      if (run.failure) printTrouble(io, run.failure)
      const why = whyNotResumed(run)
      if (why !== null) this.#say(why)
      this.#say(summaryOf(run))
      return 'over'
    } finally {
      screen.end()
      stopListening()
    }
  }

  /** Asks the open questions of the thread that come from earlier or from another process. */
  async answerOpenQuestions(): Promise<'none' | 'left'> {
    const { reprise } = this.#around
    const threadId = this.thread().id
    for (;;) {
      const [run] = await reprise.runs.list({ threadId, status: 'waiting', limit: 1 })
      const asked = run ? await reprise.runs.questions(run.id) : []
      const question = asked.find(({ state }) => state === 'open')
      if (!run || !question) return 'none'
      this.#say(`run ${run.id} waits for an answer`)
      const cancel = async () => {
        await reprise.runs.cancel(run.id)
      }
      const outcome = await this.#answer(run.id, { ...question, atEnd: 'leave' }, cancel)
      if (outcome === 'left') return 'left'
      if (outcome !== 'goes-on' && (await this.live(outcome)) === 'left') return 'left'
    }
  }

  /** Returns the turn that continues after the answer, if it is another one. */
  async #answer(
    runId: string,
    asked: Asked,
    cancel: () => Promise<void>,
  ): Promise<Turn | 'goes-on' | 'left'> {
    const { io, terminal, reprise } = this.#around
    const { toolUseId } = asked
    for (;;) {
      const given = await askUser(io, terminal, asked)
      if (given === 'end' && asked.atEnd === 'leave') {
        this.#say(`run ${runId} waits for an answer`)
        return 'left'
      }
      if (given === 'interrupt' || given === 'end') {
        await cancel()
        return 'goes-on'
      }
      try {
        return (await reprise.runs.answer(runId, { toolUseId, ...given })).turn ?? 'goes-on'
      } catch (error) {
        if (!(error instanceof RepriseError) || error.code !== 'conflict') throw error
        printError(io, error)
        const questions = await reprise.runs.questions(runId)
        const open = questions.some(
          ({ toolUseId: id, state }) => id === toolUseId && state === 'open',
        )
        if (!open) return 'goes-on'
      }
    }
  }

  #turnOptions(): TurnOptions {
    const freshSession = this.#isFresh
    this.#isFresh = false
    return { ...this.#options, questions: 'ask', ...(freshSession && { freshSession }) }
  }

  #say(line: string): void {
    const { io } = this.#around
    io.stderr.write(`${paint(io, io.stderr, 'dim')(line)}\n`)
  }
}
