// Asks a person at a terminal whether to go on. Scripts have no terminal and are not asked.
import { RepriseError } from '../../errors.ts'
import { openTerminal } from '../chat/terminal.ts'
import type { Io } from '../start/io.ts'
import { sanitiseLine } from './sanitise.ts'

export type YesFlag = { readonly yes?: true }

/** Whether there is a person to ask: at a terminal, without `--yes`, and nobody waits for JSON. */
export function canAsk({ stdin, stderr }: Io, flags: YesFlag & { readonly json?: true }): boolean {
  return !flags.yes && !flags.json && stdin.isTTY === true && stderr.isTTY === true
}

/** Throws `cancelled` unless the person says yes. */
export async function confirm(io: Io, question: string): Promise<void> {
  const terminal = openTerminal(io)
  try {
    await terminal.forgetTyped()
    const typed = await terminal.ask(`${sanitiseLine(question)} [y/N] `)
    if (typed.kind === 'line' && /^y(es)?$/i.test(typed.text.trim())) return
  } finally {
    terminal.close()
  }
  const hint = 'Answer y, or give --yes to be asked nothing.'
  throw new RepriseError('cancelled', 'nothing was changed', hint)
}
