// The processes that wait for the next turn of their session: one for each thread and agent, within bounds.
import { PreWarmGate } from '../../core/warm/pre-warm.ts'
import type { WarmReport, WarmSettings } from '../../core/warm/warm-settings.ts'
import { endsAt, whichToEnd } from '../../core/warm/which-to-end.ts'
import type { WhyNotUsed } from '../../core/warm/why-new-process.ts'
import type { Clock } from '../../core/world.ts'
import type { LiveAgent } from './live-agent.ts'

/** Where a process has left its session. It may go on from there, and from nowhere else. */
export type LeftAt = {
  readonly threadId: string
  readonly agent: string
  /** Our id of the session, and the agent's. */
  readonly id: string
  readonly sessionId: string
  /** The agent's id of the last message. */
  readonly knownEnd: string
  readonly path: string
  readonly sizeBytes: number
  readonly fileState: FileState
  /** Everything that was fixed when the process started: its command, and the files that it read. */
  readonly commandKey: string
  readonly filesKey: string
  /** The agent's own running total of the process. */
  readonly totalUsd: number
}

/** How one sees that nobody wrote to the file. A program that opens a session touches its file, so then only the content tells. */
export type FileState = { readonly modifiedMs: number } | { readonly contentHash: string }

export type KeptProcess = {
  readonly live: LiveAgent
  readonly leftAt: LeftAt
  readonly startedAt: number
  readonly restsSince: number
  readonly memoryBytes: number
  /** It was started before a prompt, and no turn has used it. */
  readonly isUnused?: true
}

type Thread = Pick<LeftAt, 'threadId' | 'agent'>

/** How long a process gets to end after its input has ended. */
const END_MS = 3_000
const MAX_NOTED = 100

export class KeptProcesses {
  readonly settings: WarmSettings
  /** Bounds the processes that are started before a prompt. */
  readonly gate = new PreWarmGate()
  readonly #clock: Clock
  readonly #kept = new Set<KeptProcess>()
  /** The latest message for which somebody has asked for the process. */
  readonly #tickets = new WeakMap<KeptProcess, string>()
  readonly #ending = new Set<Promise<void>>()
  readonly #turns = { warm: 0, new: 0 }
  /** Why the process of a thread and an agent has ended while nobody used it. */
  readonly #whyEnded = new Map<string, WhyNotUsed>()
  #alarm: AbortController | null = null
  #isClosed = false

  constructor(settings: WarmSettings, clock: Clock) {
    this.settings = settings
    this.#clock = clock
  }

  /** Keeps a process that rests. Any other one of its thread and agent ends. */
  keep(kept: KeptProcess): void {
    const { threadId, agent } = kept.leftAt
    this.#endAll(other => other.leftAt.threadId === threadId && other.leftAt.agent === agent)
    this.#kept.add(kept)
    this.#whyEnded.delete(keyOf(kept.leftAt))
    void this.#watch(kept)
    this.#trim()
  }

  has(wanted: Thread): boolean {
    return this.#find(wanted) !== undefined
  }

  /** Takes a process out: the caller uses it or ends it. `why`: there was one, and it has ended meanwhile. */
  take(wanted: Thread): KeptProcess | { why: WhyNotUsed } | null {
    const found = this.#find(wanted)
    if (found) this.#kept.delete(found)
    const why = this.#whyEnded.get(keyOf(wanted))
    this.#whyEnded.delete(keyOf(wanted))
    return found ?? (why ? { why } : null)
  }

  /** Ends the processes of a thread, and resolves when they are gone. */
  async endThread(threadId: string): Promise<void> {
    this.#endAll(({ leftAt }) => leftAt.threadId === threadId)
    await Promise.all(this.#ending)
  }

  /** The message that a process now waits for; an earlier one can no longer end it. */
  hold(wanted: Thread, ticket: string): void {
    const found = this.#find(wanted)
    if (found) this.#tickets.set(found, ticket)
  }

  /** Ends the process of a thread that waits for this message and that no turn has used, and resolves when it is gone. Says whether there was one. */
  async endUnused(threadId: string, ticket: string): Promise<boolean> {
    const unused = [...this.#kept].filter(
      kept =>
        kept.isUnused && kept.leftAt.threadId === threadId && this.#tickets.get(kept) === ticket,
    )
    for (const kept of unused) this.#kept.delete(kept)
    await Promise.all(unused.map(({ live }) => this.end(live)))
    return unused.length > 0
  }

  /** Ends a process: it may write the last lines of its session file first. */
  end({ process }: Pick<LiveAgent, 'process'>): Promise<void> {
    const ended = this.#end(process).finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }

  count(process: 'warm' | 'new'): void {
    this.#turns[process] += 1
  }

  report(): WarmReport {
    const memoryBytes = [...this.#kept].reduce((sum, kept) => sum + kept.memoryBytes, 0)
    return { processes: this.#kept.size, memoryBytes, turns: { ...this.#turns } }
  }

  /** Ends all, and every process that comes later. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#trim()
    await Promise.all(this.#ending)
  }

  #find({ threadId, agent }: Thread): KeptProcess | undefined {
    return [...this.#kept].find(
      ({ leftAt }) => leftAt.threadId === threadId && leftAt.agent === agent,
    )
  }

  #endAll(isMeant: (kept: KeptProcess) => boolean): void {
    for (const kept of [...this.#kept].filter(isMeant)) {
      this.#kept.delete(kept)
      void this.end(kept.live)
    }
  }

  async #end(process: LiveAgent['process']): Promise<void> {
    process.endInput()
    const over = new AbortController()
    const inTime = await Promise.race([
      process.exit.then(() => true),
      this.#clock.sleep(END_MS, over.signal).then(() => false),
    ])
    over.abort()
    if (!inTime) await process.stop('shutdown').catch(() => {}) // Nobody waits for its reason.
  }

  /** A process that says anything by itself, or ends, is not where it was left. */
  async #watch(kept: KeptProcess): Promise<void> {
    await kept.live.stirs()
    if (!this.#kept.has(kept)) return
    // First it goes: a turn that took it now would miss the line that is read here.
    this.#endAll(other => other === kept)
    const step = await kept.live.step()
    this.#note(kept, step === null ? 'ended' : 'spoke')
  }

  /** The next turn of the thread says why there is no process; of the oldest it is forgotten. */
  #note({ leftAt }: KeptProcess, why: WhyNotUsed): void {
    this.#whyEnded.set(keyOf(leftAt), why)
    const [oldest] = this.#whyEnded.keys()
    if (oldest !== undefined && this.#whyEnded.size > MAX_NOTED) this.#whyEnded.delete(oldest)
  }

  #trim(): void {
    const now = this.#clock.now()
    const ending = this.#isClosed
      ? [...this.#kept]
      : whichToEnd([...this.#kept], this.settings, now)
    for (const kept of ending) this.#note(kept, 'bounds')
    this.#endAll(kept => ending.includes(kept))
    this.#alarm?.abort()
    this.#alarm = null
    const next = Math.min(...[...this.#kept].map(kept => endsAt(kept, this.settings)))
    if (Number.isFinite(next)) void this.#trimIn(next - now)
  }

  async #trimIn(ms: number): Promise<void> {
    const alarm = new AbortController()
    this.#alarm = alarm
    await this.#clock.sleep(ms, alarm.signal)
    if (!alarm.signal.aborted) this.#trim()
  }
}

function keyOf({ threadId, agent }: Thread): string {
  return JSON.stringify([threadId, agent])
}
