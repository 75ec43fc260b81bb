// The lines of a difference, from two texts or from a patch: what was removed, what was added, what stayed around it.

export type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed' | 'gap'
  /** In the file that the line is in; `null` for gaps. */
  readonly number: number | null
  readonly text: string
}

export type DiffCounts = { readonly added: number; readonly removed: number }

/** Beyond this, the exact way would take too long: everything between the equal ends counts as changed. */
const MOST_LINES = 1_500

/** The difference of two texts, line by line. */
export function diffTexts(before: string, after: string, context = 3): readonly DiffLine[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  let head = 0
  while (head < old.length && old[head] === fresh[head]) head += 1
  const longestTail = Math.min(old.length, fresh.length) - head
  let tail = 0
  while (tail < longestTail && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1
  const middle = changed(
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
    head,
  )
  const same = (from: number, to: number): DiffLine[] =>
    fresh.slice(from, to).map((text, index) => ({ kind: 'same', number: from + index + 1, text }))
  return bounded([...same(0, head), ...middle, ...same(fresh.length - tail, fresh.length)], context)
}

/** A unified patch of one file, without its header. */
export function diffOfPatch(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let was = 0
  let is = 0
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      if (lines.length > 0) lines.push({ kind: 'gap', number: null, text: '' })
      was = Number(hunk[1])
      is = Number(hunk[2])
    } else if (was + is === 0) {
      // The header of the patch.
    } else if (line.startsWith('+'))
      lines.push({ kind: 'added', number: is++, text: line.slice(1) })
    else if (line.startsWith('-'))
      lines.push({ kind: 'removed', number: was++, text: line.slice(1) })
    else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', number: is++, text: line.slice(1) })
      was += 1
    }
  }
  return lines
}

export function countsOf(lines: readonly DiffLine[]): DiffCounts {
  const of = (kind: DiffLine['kind']) => lines.filter(line => line.kind === kind).length
  return { added: of('added'), removed: of('removed') }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** By the longest common subsequence. */
function changed(old: readonly string[], fresh: readonly string[], offset: number): DiffLine[] {
  const removed = (index: number): DiffLine => ({
    kind: 'removed',
    number: offset + index + 1,
    text: old[index] ?? '',
  })
  const added = (index: number): DiffLine => ({
    kind: 'added',
    number: offset + index + 1,
    text: fresh[index] ?? '',
  })
  if (old.length > MOST_LINES || fresh.length > MOST_LINES) {
    return [...old.map((_, index) => removed(index)), ...fresh.map((_, index) => added(index))]
  }
  const width = fresh.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => longest[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        old[row] === fresh[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < old.length || column < fresh.length) {
    if (old[row] === fresh[column]) {
      lines.push({ kind: 'same', number: offset + column + 1, text: fresh[column] ?? '' })
      row += 1
      column += 1
    } else if (
      row < old.length &&
      (column >= fresh.length || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(removed(row))
      row += 1
    } else {
      lines.push(added(column))
      column += 1
    }
  }
  return lines
}

/** Keeps `context` lines around each change; a gap stands for the rest. */
function bounded(lines: readonly DiffLine[], context: number): readonly DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines
      .slice(Math.max(0, index - context), index + context + 1)
      .some(({ kind }) => kind !== 'same'),
  )
  const shown: DiffLine[] = []
  lines.forEach((line, index) => {
    if (isNear[index]) shown.push(line)
    else if (shown.length > 0 && shown.at(-1)?.kind !== 'gap') {
      shown.push({ kind: 'gap', number: null, text: '' })
    }
  })
  return shown.at(-1)?.kind === 'gap' ? shown.slice(0, -1) : shown
}
