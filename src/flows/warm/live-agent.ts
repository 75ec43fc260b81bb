// A process of an agent with its dialogue. One turn after the other reads its lines.
import type { Dialogue, DialogueStep } from '../../adapters/adapter.ts'
import { wholeWords } from '../../core/secrets/cut-text.ts'
import type { AgentProcess, Line, ProcessLook } from '../../runner/runner.ts'

export type Started = {
  readonly process: AgentProcess
  readonly dialogue: Dialogue
  /** The run that started the process: its id marks the whole tree. */
  readonly startedBy: string
  readonly startedAt: number
}

export class LiveAgent {
  readonly process: AgentProcess
  readonly dialogue: Dialogue
  readonly startedBy: string
  readonly startedAt: number
  /** What somebody last saw of it; `null`: nobody could see it. */
  lastLook: ProcessLook | null = null
  readonly #lines: AsyncIterator<Line>
  #coming: Promise<IteratorResult<Line>> | null = null

  constructor({ process, dialogue, startedBy, startedAt }: Started) {
    this.process = process
    this.dialogue = dialogue
    this.startedBy = startedBy
    this.startedAt = startedAt
    this.#lines = process.lines[Symbol.asyncIterator]()
  }

  /** The step that follows from the next line; `null` at the end of the output. */
  async step(): Promise<DialogueStep | null> {
    const { done, value } = await this.#next()
    return done ? null : stepOf(value, this.dialogue)
  }

  /** Resolves when there is a line or the end of the output, which `step` then reads. */
  async stirs(): Promise<void> {
    this.#coming ??= this.#lines.next()
    await this.#coming
  }

  /** Every look reads the list of all processes of the machine, and a quick one not all of what is behind it. */
  look(how?: 'quickly'): ProcessLook | null {
    this.lastLook = this.process.turns?.look(how) ?? null
    return this.lastLook
  }

  tell(step: DialogueStep | undefined): void {
    if (step?.stage) this.process.atStage(step.stage)
    for (const text of step?.write ?? []) this.process.write(text)
    if (step?.close) this.process.endInput()
  }

  #next(): Promise<IteratorResult<Line>> {
    const coming = this.#coming ?? this.#lines.next()
    this.#coming = null
    return coming
  }
}

function stepOf(line: Line, dialogue: Dialogue): DialogueStep {
  if (line.kind === 'line') return dialogue.read(line.text)
  const kind = `line of ${line.bytes} bytes`
  return { events: [{ type: 'unknown', kind, raw: wholeWords(line.head) }], write: [] }
}
