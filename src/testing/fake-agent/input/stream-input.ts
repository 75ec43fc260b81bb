// The input of an agent that takes lines of JSON while it works: prompts, answers, and requests of its host.
import type { AgentWorld } from '../world.ts'

/** Thrown inside a turn that the host interrupts. */
export class TurnInterrupted extends Error {
  readonly requestId: string

  constructor(requestId: string) {
    super('the host interrupted the turn')
    this.requestId = requestId
  }
}

export type HostRequest = { readonly requestId: string; readonly subtype: string }

export type StreamInput = {
  /** The next line in order; `null` at the end of the input. An interrupt of a running turn is not among them: it ends the wait. */
  next(): Promise<string | null>
  /** From now on an interrupt ends the turn. */
  beginTurn(): void
  endTurn(): void
  /** Waits, unless the host interrupts the turn first. */
  orInterrupt<T>(wait: Promise<T>): Promise<T>
}

/** Reads ahead, so that an interrupt is seen while a turn is under way. */
export function createStreamInput({ nextLine }: Pick<AgentWorld, 'nextLine'>): StreamInput {
  const waiting: string[] = []
  let isEnded = false
  let wake = Promise.withResolvers<void>()
  let turn: PromiseWithResolvers<never> | null = null

  async function readAll(): Promise<void> {
    for (let line = await nextLine(); line !== null; line = await nextLine()) {
      const request = hostRequestIn(line)
      if (turn && request?.subtype === 'interrupt')
        turn.reject(new TurnInterrupted(request.requestId))
      else waiting.push(line)
      signal()
    }
    isEnded = true
    signal()
  }

  function signal(): void {
    wake.resolve()
    wake = Promise.withResolvers()
  }

  // A process that was ended reads nothing more.
  const reading = readAll()
  reading.catch(() => undefined)

  const orInterrupt: StreamInput['orInterrupt'] = wait =>
    turn ? Promise.race([wait, turn.promise]) : wait

  return {
    async next() {
      while (waiting.length === 0 && !isEnded) {
        await orInterrupt(Promise.race([wake.promise, failureOf(reading)]))
      }
      return waiting.shift() ?? null
    },
    beginTurn() {
      turn = Promise.withResolvers()
      turn.promise.catch(() => undefined)
    },
    endTurn() {
      turn = null
    },
    orInterrupt,
  }
}

export function hostRequestIn(line: string): HostRequest | null {
  if (!line.startsWith('{"type":"control_request"')) return null
  const { request_id: requestId, request } = JSON.parse(line) as {
    readonly request_id: string
    readonly request: { readonly subtype: string }
  }
  return { requestId, subtype: request.subtype }
}

/** Rejects when reading fails; otherwise it never settles. */
function failureOf(reading: Promise<void>): Promise<void> {
  return reading.then(() => new Promise<never>(() => undefined))
}

/** The world of a turn in which every wait can be interrupted. */
export function interruptible(world: AgentWorld, input: StreamInput): AgentWorld {
  return {
    ...world,
    nextLine: input.next,
    clock: {
      now: world.clock.now,
      sleep: (ms, signal) => input.orInterrupt(world.clock.sleep(ms, signal)),
    },
    hang: () => input.orInterrupt(world.hang()),
  }
}
