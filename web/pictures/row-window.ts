// Which rows of a long list are drawn: those in view and some around them, in steps, so that a small scroll draws nothing new.

export type RowWindow = {
  /** The first row that is drawn, and the one after the last. */
  readonly first: number
  readonly end: number
  /** Pixels that stand for the rows that are not drawn. */
  readonly before: number
  readonly after: number
}

type Place = {
  readonly total: number
  readonly rowHeight: number
  /** How many pixels of the list are above the view. */
  readonly above: number
  readonly height: number
}

const STEP = 10

export function windowOf({ total, rowHeight, above, height }: Place): RowWindow {
  const down = (row: number) => Math.floor(row / STEP) * STEP
  const first = Math.max(0, Math.min(down(above / rowHeight) - STEP, down(Math.max(0, total - 1))))
  const end = Math.min(total, down((above + height) / rowHeight) + 2 * STEP)
  return { first, end, before: first * rowHeight, after: (total - end) * rowHeight }
}
