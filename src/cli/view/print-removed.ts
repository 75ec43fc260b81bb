// Prints what happened to checkpoints, one line per repository.
import { type RemovedCheckpoints, removedWords } from '../../core/job/checkpoint-keeping.ts'
import type { Io } from '../start/io.ts'
import { printLine } from './print.ts'
import { sanitiseLine } from './sanitise.ts'

export function printRemoved(io: Io, checkpoints: readonly RemovedCheckpoints[]): void {
  for (const removed of checkpoints) printLine(io, sanitiseLine(removedWords(removed)))
}
