// The process as the Agent SDK sees it: streams and an exit. The runner controls the process; the SDK cannot end it.
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
    // The SDK may end before the process does.
    this.stdin.on('error', () => {})
    this.stdout.on('error', () => {})
  }

  /** Does nothing: to end the run, cancel the turn. That ends the whole tree and records why. */
  kill(): boolean {
    this.killed = true
    return true
  }

  /** The SDK does not need to know the signal that ended the process. */
  ended({ code }: Pick<Exit, 'code'>): void {
    this.stdout.end()
    this.exitCode = code ?? 1
    this.emit('exit', this.exitCode, null)
  }
}
