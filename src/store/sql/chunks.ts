// Cuts long lists into pieces: SQLite takes 32,766 values in one statement, and our widest row has 52.

const ROWS_AT_ONCE = 500

export function* inChunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += ROWS_AT_ONCE) {
    yield items.slice(from, from + ROWS_AT_ONCE)
  }
}
