// The process as the Agent SDK sees it: streams and an exit. Its life is the runner's; the SDK cannot end it.
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Exit } from '../core/run/run.ts'

export class SdkProcess extends EventEmitter<{ exit: [number, null] }> {
  /** What the SDK writes. */
  readonly stdin = new PassThrough()
  /** What the SDK reads. */
  readonly stdout = new PassThrough()
  killed = false
  exitCode: number | null = null

  constructor() {
    super()
    // The SDK may be gone before the process is.
    this.stdin.on('error', () => {})
    this.stdout.on('error', () => {})
  }

  /** Whoever wants to end the run cancels the turn: then the whole tree ends, and it is on record why. */
  kill(): boolean {
    this.killed = true
    return true
  }

  /** By what signal it may have ended is nothing to the SDK. */
  ended({ code }: Pick<Exit, 'code'>): void {
    this.stdout.end()
    this.exitCode = code ?? 1
    this.emit('exit', this.exitCode, null)
  }
}
