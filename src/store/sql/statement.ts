// A statement as plain SQL: its text, and its values where the text has gaps. Written like a sentence, with values inside.

export class Statement<Row = unknown> {
  /** Only for the compiler: what a row of the answer looks like. */
  declare readonly row: Row
  /** One more than there are values: what stands before, between and after them. */
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

/** What is a statement itself becomes part of the text; everything else is a value. */
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

/** Text of this program, never of its users. */
export function raw<Row = unknown>(text: string): Statement<Row> {
  return new Statement([text], [])
}

export function join(parts: readonly unknown[], separator = ', '): Statement {
  if (parts.length === 0) return raw('')
  return sql(['', ...parts.slice(1).map(() => separator), ''], ...parts)
}
