// Limits how many turns of this process run at a time. The others wait for a slot, first come first served.
import type { WaitReason } from '../../core/run/wait-reason.ts'

export type Slot = {
  /** Called while the agent waits for a person's answer: another turn may run meanwhile. */
  lend(): void
  /** Called when the answer is there: the run goes on at once, even if that exceeds the limit for a while. */
  takeBack(): void
  /** May be called more than once. */
  release(): void
}

export type Ticket = {
  readonly slot: Promise<Slot>
  /** Gives back the position in the queue, and the slot if it was granted meanwhile. */
  leave(): void
}

export class Slots {
  readonly max: number
  #running = 0
  #lent = 0
  /** In the order they came. */
  readonly #waiting = new Set<(slot: Slot) => void>()

  constructor(max: number) {
    this.max = max
  }

  get running(): number {
    return this.#running
  }

  /** Says why a turn would have to wait now: all slots are taken, or others came before. `null`: it would not wait. */
  waitReason(): WaitReason | null {
    return this.#waiting.size === 0 && this.#isFree() ? null : this.noSlot()
  }

  noSlot(): WaitReason {
    return { code: 'no-slot', running: this.#running, max: this.max }
  }

  tryTake(): Slot | null {
    return this.waitReason() === null ? this.#take() : null
  }

  join(): Ticket {
    const { promise, resolve } = Promise.withResolvers<Slot>()
    let granted: Slot | null = null
    const grant = (slot: Slot) => {
      granted = slot
      resolve(slot)
    }
    this.#waiting.add(grant)
    this.#grantFree()
    return {
      slot: promise,
      leave: () => {
        this.#waiting.delete(grant)
        granted?.release()
      },
    }
  }

  #isFree(): boolean {
    return this.#running < this.max
  }

  #grantFree(): void {
    for (const grant of this.#waiting) {
      if (!this.#isFree()) return
      this.#waiting.delete(grant)
      grant(this.#take())
    }
  }

  #take(): Slot {
    let state: 'running' | 'lent' | 'released' = 'running'
    this.#running += 1
    const stopRunning = () => {
      this.#running -= 1
      this.#grantFree()
    }
    return {
      lend: () => {
        // A waiting agent costs memory, so at most `max` of them live beside those that run.
        if (state !== 'running' || this.#lent >= this.max) return
        state = 'lent'
        this.#lent += 1
        stopRunning()
      },
      takeBack: () => {
        if (state !== 'lent') return
        state = 'running'
        this.#lent -= 1
        this.#running += 1
      },
      release: () => {
        const wasRunning = state === 'running'
        if (state === 'lent') this.#lent -= 1
        state = 'released'
        if (wasRunning) stopRunning()
      },
    }
  }
}
