// What a store knows of the processes that work on jobs. Times are by the database's clock.
import type { Worker } from '../../core/job/worker.ts'

export type WorkerBeat = Omit<Worker, 'startedAt' | 'beatAt' | 'state'> & {
  /** The start time of its process: another process may get the same pid later. */
  readonly startTime: string
  readonly draining: boolean
}

export type StoredWorker = Worker & Pick<WorkerBeat, 'startTime'>

export type WorkerVerbs = {
  /**
   * Stores a worker as it is now. Unless it beats again within `aliveMs`, it counts as gone. Also removes workers that have
   * been gone for ten minutes.
   */
  beatWorker(worker: WorkerBeat, aliveMs: number): Promise<void>
  /** Nothing happens when it is unknown. */
  removeWorker(id: string): Promise<void>
  /** By host, and the oldest first. */
  workers(): Promise<readonly StoredWorker[]>
}
