// Compares what a page shows with what a command printed: ids, numbers and line breaks may differ, words may not.

/** Ids of the page, each with the id that stands for it in this world. */
export type Bindings = Map<string, string>

const ID = /\b(thr|run|msg|job|chn|ses|sch|tok)_[a-z0-9]{4,}\b/
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/
const NUMBER = /\d[\d,.:]*/
/** Stands for any number of lines: a line of the page that begins with `…`. */
const LINES = '\u0001'
const PART = new RegExp(`${ID.source}|${UUID.source}|${NUMBER.source}|${LINES}|…|\\s+`, 'g')

/** `null` when the output is what the page shows; it then knows the ids of the page. */
export function differs(page: string, printed: string, bindings: Bindings): string | null {
  const shown = page.replace(/\n?^[ \t]*….*$\n?/gm, LINES)
  const ids: string[] = []
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  let pattern = ''
  let end = 0
  for (const { 0: part, 1: kind, index } of shown.matchAll(PART)) {
    pattern += escaped(shown.slice(end, index))
    end = index + part.length
    if (kind !== undefined) {
      ids.push(part)
      pattern += `(${kind}_[a-z0-9]+)`
    } else if (part === LINES) pattern += '[\\s\\S]*'
    else if (part === '…') pattern += '.*'
    else if (part.trim() === '') pattern += '\\s+'
    else pattern += UUID.test(part) ? UUID.source : '[\\d,.:]+'
  }
  pattern += escaped(shown.slice(end))
  const found = new RegExp(`^\\s*${pattern}\\s*$`).exec(printed)
  if (!found) return `it shows\n${page}\nbut this was printed\n${printed}`
  for (const [index, id] of ids.entries()) {
    const real = found[index + 1] ?? ''
    const bound = bindings.get(id)
    if (bound !== undefined && bound !== real) return `${id} was ${bound} and is now ${real}`
    bindings.set(id, real)
  }
  return null
}
