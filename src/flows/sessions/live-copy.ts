// Copies a session file while its run goes on, so that another machine can continue when this one dies in the middle.
import type { AgentSaid } from '../../core/run/events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { keepSession } from './session-copy.ts'

/** The agent writes its file a moment after it has spoken. In a long run the pauses grow, because every copy adds a piece. */
const PAUSES = { firstMs: 1_000, maxMs: 10_000 } as const

export class LiveCopy {
  readonly #dependencies: Dependencies
  readonly #agent: Agent
  readonly #workDir: string
  readonly #lease: Lease
  readonly #over = new AbortController()
  #sessionId: string | null = null
  #hasNews = false
  #copying: Promise<void> | null = null

  constructor(
    dependencies: Dependencies,
    agent: Agent,
    run: { readonly workDir: string; readonly lease: Lease },
  ) {
    this.#dependencies = dependencies
    this.#agent = agent
    this.#workDir = run.workDir
    this.#lease = run.lease
  }

  /** What a continuation must know is in the file soon after the session was named, a tool was called, or its result came. */
  see(event: AgentSaid): void {
    if (event.type === 'session') this.#sessionId = event.sessionId
    else if (event.type !== 'tool' && event.type !== 'tool-result') return
    this.#hasNews = true
    this.#copying ??= this.#copyNews()
  }

  /** Begins no further copy, and waits for one that is under way. The end of the run makes the last one. */
  async end(): Promise<void> {
    this.#over.abort()
    await this.#copying
  }

  async #copyNews(): Promise<void> {
    const { signal } = this.#over
    for (let pauseMs: number = PAUSES.firstMs; ; pauseMs = Math.min(2 * pauseMs, PAUSES.maxMs)) {
      await this.#dependencies.clock.sleep(pauseMs, signal)
      if (signal.aborted) return
      if (this.#hasNews && this.#sessionId !== null) await this.#copy(this.#sessionId)
    }
  }

  async #copy(sessionId: string): Promise<void> {
    this.#hasNews = false
    const session = { agent: this.#agent.name, sessionId, workDir: this.#workDir }
    const fence = this.#lease
    await keepSession(this.#dependencies, this.#agent, { session, path: null, fence })
  }
}
