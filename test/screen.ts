// What a person sees of the bytes that a program writes to a terminal: the few sequences that Reprise writes.

/** The rows as they stand at the end, without blanks at their ends. Colours are dropped. */
export function screenOf(written: string): readonly string[] {
  const rows: string[] = ['']
  let row = 0
  let column = 0
  const pieces = written.replace(/\x1b\[[\d;]*m/g, '').match(/\x1b\[\d*[A-Z]|[\s\S]/g) ?? []
  for (const piece of pieces) {
    const [, count = '', move] = /^\x1b\[(\d*)([A-Z])$/.exec(piece) ?? []
    const steps = Number(count || 1)
    if (move === 'A') row -= steps
    else if (move === 'C') column += steps
    else if (move === 'J') {
      rows.length = row + 1
      rows[row] = (rows[row] ?? '').slice(0, column)
    } else if (move !== undefined)
      throw new Error(`no such sequence here: ${JSON.stringify(piece)}`)
    else if (piece === '\r') column = 0
    else if (piece === '\n') {
      row += 1
      column = 0
      rows[row] ??= ''
    } else {
      const before = (rows[row] ?? '').padEnd(column)
      rows[row] = before.slice(0, column) + piece + before.slice(column + 1)
      column += 1
    }
  }
  return rows.map(text => text.trimEnd())
}
