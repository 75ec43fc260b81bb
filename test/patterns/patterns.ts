// Every regular expression of the product code, found by its syntax tree, and texts that are made to be hard for it.
import { parseAst } from 'rolldown/parseAst'
import type { Source } from '../architecture/imports.ts'

export type Pattern = { readonly path: string; readonly regex: RegExp }

export function patternsOf(sources: readonly Source[]): readonly Pattern[] {
  return sources.flatMap(({ path, text }) =>
    literalsIn(parseAst(text, { lang: 'ts' })).map(regex => ({ path, regex })),
  )
}

function literalsIn(node: unknown): readonly RegExp[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn)
  if (typeof node !== 'object' || node === null) return []
  if ('regex' in node) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string }
    return [new RegExp(pattern, flags)]
  }
  return Object.values(node).flatMap(literalsIn)
}

/** Texts of about this length: a beginning that the pattern likes, then one thing again and again, then an end that it does not like. */
export function hostileTexts(regex: RegExp, length: number): readonly string[] {
  const words = literalWords(regex.source)
  const fillers = [...new Set([...regex.source, ...' \n\taA0_-./:=\\"\'([{,;@%'])]
  const pumps = [
    ...fillers,
    ...words,
    ...words.flatMap(word => [`${word}a`, `-${word}${'a'.repeat(12)}`, `${word} `, ` ${word}=`]),
  ]
  return ['', ...words.slice(0, 3)].flatMap(start =>
    pumps.map(pump => `${start}${pump.repeat(Math.ceil(length / pump.length))}\u0000`),
  )
}

/** The letters of a pattern that stand for themselves, stretch by stretch. */
function literalWords(source: string): readonly string[] {
  const plain = source
    .replace(/\\[dwsbDWSB]|\\p\{[^}]*\}|\(\?<?[:=!]?|\{[\d,]+\}|\[[^\]]*\]/g, '\u0001')
    .replace(/\\(.)/g, '$1')
  const words = plain.split(/[\u0001()|?*+^$]+/).filter(word => word.length > 0)
  return [...new Set(words)].slice(0, 8)
}
