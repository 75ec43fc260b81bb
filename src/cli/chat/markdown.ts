// Markdown for a terminal, as it streams in: every line is rendered when it is complete, a table when it is over. The line
// that is still coming can be looked at meanwhile.
import { styleText } from 'node:util'
import { widthOf } from '../terminal/width.ts'
import { wrapToWidth } from '../terminal/wrap.ts'
import { brokenToWidth, plainSpans, type StyledText, spansOf } from './inline.ts'

export type Markdown = {
  /** Gives what became complete, in whole lines. */
  push(piece: string): string
  /** The rows of what has begun and is not complete, without colours. */
  begun(): readonly string[]
  /** Gives the rest; the next piece begins anew. */
  end(): string
}

type Page = { readonly width: number; readonly colours: boolean }

/** The text must be harmless for a terminal already. `page` is asked for each line, because a window changes its size. */
export function createMarkdown(page: () => Page): Markdown {
  let partial = ''
  let fence: string | null = null
  let rows: string[] = []

  const tableDone = (): string => {
    const text = rows.length === 0 ? '' : tableLines(rows, page()).join('\n')
    rows = []
    return text === '' ? '' : `${text}\n`
  }
  const whole = (line: string): string => {
    const mark = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line)
    if (fence !== null) {
      if (mark?.[1]?.startsWith(fence) && mark[2] === '') {
        fence = null
        return `${dimmed('──', page())}\n`
      }
      return `${line}\n`
    }
    if (/^\s*\|.*\|\s*$/.test(line)) {
      rows.push(line)
      return ''
    }
    const before = tableDone()
    if (!mark) return `${before}${lineOf(line, page()).join('\n')}\n`
    fence = mark[1] ?? ''
    return `${before}${dimmed(`── ${mark[2] ?? ''}`.trimEnd(), page())}\n`
  }
  return {
    push(piece) {
      const lines = (partial + piece).split('\n')
      partial = lines.pop() ?? ''
      return lines.map(whole).join('')
    },
    begun() {
      if (partial === '') return rows.slice(-1)
      if (fence !== null || partial.startsWith('|')) return [partial]
      return lineOf(partial, { ...page(), colours: false })
    },
    end() {
      const text = partial === '' ? '' : whole(partial)
      partial = ''
      fence = null
      return text + tableDone()
    },
  }
}

/** One line of source, as one or more lines of the terminal. */
function lineOf(line: string, page: Page): readonly string[] {
  const { width, colours } = page
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
  if (heading?.[2] !== undefined && colours) {
    const looks = heading[1] === '#' ? (['bold', 'underline'] as const) : (['bold'] as const)
    return painted(brokenToWidth(spansOf(heading[2], looks), width), page)
  }
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line))
    return [dimmed('─'.repeat(Math.min(width, 40)), page)]
  const [, head = '', text = line] =
    /^(\s*(?:[-*+]|\d{1,9}[.)])\s+|(?:\s*>)+\s?|\s+)(.*)$/.exec(line) ?? []
  const first = head.replace(/[-*+](?=\s)/, '•').replaceAll('>', '│')
  const indent = head.includes('>') ? first : ' '.repeat(widthOf(first))
  const room = Math.max(10, width - widthOf(first))
  const lines = painted(brokenToWidth(colours ? spansOf(text) : plainSpans(text), room), page)
  return lines.map((rest, index) =>
    `${dimmed(index === 0 ? first : indent, page)}${rest}`.trimEnd(),
  )
}

function painted(lines: readonly (readonly StyledText[])[], { colours }: Page): readonly string[] {
  return lines.map(spans => {
    return spans
      .map(({ text, looks }) => {
        const isPlain = !colours || looks.length === 0
        return isPlain ? text : styleText([...looks], text, { validateStream: false })
      })
      .join('')
  })
}

function dimmed(text: string, { colours }: Page): string {
  const isPlain = !colours || text.trim() === ''
  return isPlain ? text : styleText('dim', text, { validateStream: false })
}

/** Columns that line up. Lines that only look like a table stay as they are. */
function tableLines(rows: readonly string[], page: Page): readonly string[] {
  const [, second = ''] = rows
  if (!cellsOf(second).every(cell => /^:?-+:?$/.test(cell)))
    return rows.flatMap(row => lineOf(row, page))
  const cells = [rows[0] ?? '', ...rows.slice(2)].map(cellsOf)
  const shown = cells.map(row => row.map(cell => (page.colours ? textOf(cell) : cell)))
  const count = Math.max(...shown.map(row => row.length))
  const widths = Array.from({ length: count }, (_, index) => {
    return Math.max(1, ...shown.map(row => widthOf(row[index] ?? '')))
  })
  const fitting = fitted(widths, page.width - 3 * (count - 1))
  const columns = fitting.map((width, index) => {
    return { width, isNumber: /[^:]:$/.test(cellsOf(second)[index] ?? '') }
  })
  const [titles = [], ...rest] = shown.map(row => rowLines(row, columns))
  const bold = titles.map(line =>
    page.colours ? styleText('bold', line, { validateStream: false }) : line,
  )
  const rule = dimmed(fitting.map(width => '─'.repeat(width)).join('─┼─'), page)
  return [...bold, rule, ...rest.flat()]
}

type TableColumn = { readonly width: number; readonly isNumber: boolean }

/** A cell that is wider than its column goes on in the next line: nothing of an answer is left out. */
function rowLines(row: readonly string[], columns: readonly TableColumn[]): readonly string[] {
  const cells = columns.map(({ width }, index) => wrapToWidth(row[index] ?? '', width))
  const height = Math.max(...cells.map(lines => lines.length))
  return Array.from({ length: height }, (_, at) => {
    const parts = columns.map(({ width, isNumber }, index) => {
      const text = cells[index]?.[at] ?? ''
      const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
      return isNumber ? blanks + text : text + blanks
    })
    return parts.join(' │ ').trimEnd()
  })
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\||(?<!\\)\|$/g, '')
  return inner.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))
}

function textOf(cell: string): string {
  return spansOf(cell)
    .map(({ text }) => text)
    .join('')
}

/** The widest column gives first. */
function fitted(widths: readonly number[], room: number): readonly number[] {
  const fitting = [...widths]
  let over = fitting.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = fitting.indexOf(Math.max(...fitting))
    if ((fitting[widest] ?? 0) <= 3) break
    fitting[widest] = (fitting[widest] ?? 0) - 1
    over -= 1
  }
  return fitting
}
