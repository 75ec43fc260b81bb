// A bar on the bottom of the terminal for a verb that takes long. Without a terminal there is none.
import type { Io } from '../start/io.ts'

export type Step = { readonly done: number; readonly total: number }

const BAR_CELLS = 24

/** Gives the function that shows a step. Call `io.line?.clear()` at the end. */
export function progressBar(
  { line }: Pick<Io, 'line'>,
  name: string,
  unit: string,
): (step: Step) => void {
  return step => line?.show([{ text: barText(name, step, unit), look: 'dim' }])
}

/** For example `verify ████████████░░░░░░░░░░░░  50 %  12 of 24 rules`. */
export function barText(name: string, { done, total }: Step, unit: string): string {
  const share = total === 0 ? 1 : Math.min(1, Math.max(0, done / total))
  const full = Math.floor(share * BAR_CELLS)
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `${name} ${bar} ${percent} %  ${done} of ${total} ${unit}`
}
