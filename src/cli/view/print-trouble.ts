// Prints what went wrong: an error with its hint, or a cancel, which the user asked for, as a dim line.
import type { Failure } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import { type Io, paint } from '../start/io.ts'
import { hangingHint } from '../terminal/wrap.ts'
import { widthFor } from './print.ts'
import { sanitise } from './sanitise.ts'

export function printError(io: Io, { message, hint }: Pick<Failure, 'message' | 'hint'>): void {
  const red = paint(io, io.stderr, 'red')
  const width = widthFor(io.stderr)
  const wrapped = (head: string, text: string) =>
    hangingHint(sanitise(text), { indent: head.length + 1, width })
  io.stderr.write(`${red('error:')} ${wrapped('error:', message)}\n`)
  io.stderr.write(`hint: ${wrapped('hint:', hint)}\n`)
}

/** Prints the failure of a run, or the error of a call. */
export function printTrouble(io: Io, trouble: Failure | RepriseError): void {
  const kind = trouble instanceof RepriseError ? trouble.code : trouble.class
  const dim = paint(io, io.stderr, 'dim')
  if (kind === 'cancelled') io.stderr.write(`${dim(sanitise(trouble.message))}\n`)
  else printError(io, trouble)
}
