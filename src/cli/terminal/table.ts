// Rows under titles. On a terminal a table fits the width: texts are cut, then ids and times become short, and only then is
// anything left out. Without a terminal nothing is cut.
import { sanitiseLine } from '../view/sanitise.ts'
import type { Times } from './time.ts'
import { cutStartToWidth, cutToWidth, widthOf } from './width.ts'

export type Column<Row> = { readonly title: string } & (
  | { readonly cell: (row: Row) => string; readonly align?: 'right' }
  /** Text of any length: the first to be cut. `keep`: the end of a path with a line number is more than its beginning. */
  | { readonly text: (row: Row) => string; readonly keep?: 'end' }
  /** An id; `–` when there is none. Its first letters are enough for every verb. */
  | { readonly id: (row: Row) => string | null }
  /** In milliseconds since 1970. */
  | { readonly time: (row: Row) => number | null }
)

type Form = 'long' | 'short'

const GAP = '  '
/** As many letters of an id as hardly ever two begin with. */
const SHORT_ID = 10
/** Texts are not cut below this while something else can be shorter. */
const COMFORTABLE = 28
const LEAST = 8

/** `columns`: the width of the terminal; `null`: there is none. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, times }: { readonly width: number | null; readonly times: Times },
): string {
  const linesIn = (form: Form) => [
    columns.map(column => titleOf(column, times)),
    ...rows.map(row => columns.map(column => cellOf(column, row, { form, times }))),
  ]
  const whole = linesIn('long')
  if (width === null) return printed(whole, columns, null)
  if (isWithin(whole, columns, { width, least: COMFORTABLE })) return printed(whole, columns, width)
  return printed(linesIn('short'), columns, width)
}

type Lines = readonly (readonly string[])[]

function titleOf<Row>(column: Column<Row>, { zone }: Times): string {
  return 'time' in column ? `${column.title} (${zone})` : column.title
}

function cellOf<Row>(
  column: Column<Row>,
  row: Row,
  { form, times }: { readonly form: Form; readonly times: Times },
): string {
  if ('time' in column) return times[form === 'short' ? 'short' : 'cell'](column.time(row))
  if ('id' in column) {
    const id = sanitiseLine(column.id(row) ?? '–')
    return form === 'short' ? id.slice(0, SHORT_ID) : id
  }
  return sanitiseLine('text' in column ? column.text(row) : column.cell(row))
}

function naturalWidths(lines: Lines, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    return Math.max(...lines.map(line => widthOf(line[index] ?? '')))
  })
}

/** Whether it fits when texts are cut to `least`. */
function isWithin<Row>(
  lines: Lines,
  columns: readonly Column<Row>[],
  { width, least }: { readonly width: number; readonly least: number },
): boolean {
  const widths = naturalWidths(lines, columns.length)
  const smallest = widths.map((natural, index) => {
    return isText(columns[index]) ? Math.min(natural, least) : natural
  })
  return sum(smallest) + GAP.length * (columns.length - 1) <= width
}

function printed<Row>(lines: Lines, columns: readonly Column<Row>[], width: number | null): string {
  const widths = naturalWidths(lines, columns.length)
  const fitting = width === null ? widths : fittingWidths(widths, columns, width)
  return lines
    .map(line => {
      const text = line
        .map((cell, index) => padded(cell, fitting[index] ?? 0, columns[index]))
        .join(GAP)
        .trimEnd()
      return `${width === null ? text : cutToWidth(text, width)}\n`
    })
    .join('')
}

/** Texts share what the other columns leave. */
function fittingWidths<Row>(
  widths: readonly number[],
  columns: readonly Column<Row>[],
  width: number,
): readonly number[] {
  const fixed = widths.filter((_, index) => !isText(columns[index]))
  let left = width - sum(fixed) - GAP.length * (columns.length - 1)
  let open = columns.filter(isText).length
  const fitting = [...widths]
  const texts = [...widths.entries()].filter(([index]) => isText(columns[index]))
  // The narrowest first: what it does not need is for the others.
  for (const [index, natural] of texts.toSorted((a, b) => a[1] - b[1])) {
    const share = Math.max(LEAST, Math.floor(left / open))
    const own = Math.min(natural, share)
    fitting[index] = own
    left -= own
    open -= 1
  }
  return fitting
}

function padded<Row>(cell: string, width: number, column: Column<Row> | undefined): string {
  const isEndKept = column !== undefined && 'keep' in column
  const text = isEndKept ? cutStartToWidth(cell, width) : cutToWidth(cell, width)
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return column && 'align' in column ? space + text : text + space
}

function isText<Row>(column: Column<Row> | undefined): boolean {
  return column !== undefined && 'text' in column
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
