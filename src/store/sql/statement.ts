// A statement as plain SQL: its text, and the values for the gaps in the text. The code writes the values inside the text.

export class Statement<Row = unknown> {
  /** Only for the compiler: the type of a result row. */
  declare readonly row: Row
  /** The texts before, between and after the values: one more than there are values. */
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

/** A value that is itself a statement becomes part of the text; everything else stays a value. */
export function sql<Row = unknown>(
  texts: readonly string[],
  ...parts: readonly unknown[]
): Statement<Row> {
  const joined: string[] = []
  const values: unknown[] = []
  let text = texts[0] ?? ''
  parts.forEach((part, index) => {
    if (part instanceof Statement) {
      const [start = '', ...rest] = part.texts
      text += start
      for (const next of rest) {
        joined.push(text)
        text = next
      }
      values.push(...part.values)
    } else {
      joined.push(text)
      values.push(part)
      text = ''
    }
    text += texts[index + 1] ?? ''
  })
  joined.push(text)
  return new Statement(joined, values)
}

/** Only for text of this program, never of its users. */
export function raw<Row = unknown>(text: string): Statement<Row> {
  return new Statement([text], [])
}

/** For text that numbers its values itself: `$1`, `$2` and so on, in any order and as often as it likes. */
export function numberedSql<Row = unknown>(
  text: string,
  values: readonly unknown[],
): Statement<Row> {
  if (values.length === 0) return raw(text)
  const texts = text.split(/\$\d+/)
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  return new Statement(
    texts,
    numbers.map(number => values[number - 1]),
  )
}

export function join(parts: readonly unknown[], separator = ', '): Statement {
  if (parts.length === 0) return raw('')
  return sql(['', ...parts.slice(1).map(() => separator), ''], ...parts)
}
