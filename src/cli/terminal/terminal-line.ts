// What stands at the bottom of a terminal for a moment: progress, or what a person types meanwhile. Everything that is
// printed through `around` goes above it.
import { styleText } from 'node:util'
import type { Row, Sink, TerminalLine } from '../start/io.ts'
import { columnsOf, cutToWidth } from './width.ts'

/** `sink` is the terminal that shows the rows. `colours`: whether a row may have its look. */
export function createTerminalLine(
  sink: Sink,
  { colours }: { readonly colours: boolean },
): TerminalLine & {
  /** Makes a function that writes to this terminal write above the rows. */
  around(write: Sink['write']): Sink['write']
} {
  let rows: readonly Row[] = []
  let drawnRows = 0
  let isLineOpen = false

  const draw = () => {
    if (isLineOpen || rows.length === 0) return
    const columns = columnsOf(sink) - 1
    const painted = rows.map(({ text, look }) => {
      const fitting = cutToWidth(text, columns)
      return look && colours ? styleText(look, fitting, { validateStream: false }) : fitting
    })
    const cursor = rows.at(-1)?.cursor
    const column = cursor === undefined ? '' : `\r${cursor > 0 ? `\x1b[${cursor}C` : ''}`
    sink.write(`${painted.join('\n')}${column}`)
    drawnRows = rows.length
  }
  const erase = () => {
    if (drawnRows > 0) sink.write(`\r${drawnRows > 1 ? `\x1b[${drawnRows - 1}A` : ''}\x1b[J`)
    drawnRows = 0
  }

  return {
    show(next) {
      erase()
      rows = next
      draw()
    },
    clear() {
      erase()
      rows = []
    },
    around: write => text => {
      if (text === '') return undefined
      erase()
      const result = write(text)
      isLineOpen = !text.endsWith('\n')
      draw()
      return result
    },
  }
}
