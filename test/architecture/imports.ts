// Reads sources for the architecture test: what a file imports, and its code without comments and strings.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export type Source = {
  /** Relative to the folder it was read from, with `/`. */
  readonly path: string
  readonly text: string
}

export function readSources(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.includes('node_modules'))
    .map(path => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

const IMPORT =
  /\b(?:import|export)\b(?:[\w\s{},*$]|\/\/[^\n]*\n)*?\bfrom\s*(['"])([^'"]+)\1|\bimport\s*\(?\s*(['"])([^'"]+)\3/g

/** Module names as written: static, type-only, dynamic, re-exported, `import('…')` in types. */
export function importsOf(source: Source): readonly string[] {
  return [...source.text.matchAll(IMPORT)].map(match => match[2] ?? match[4] ?? '')
}

/** The imported files of ours, relative to the same folder. */
export function ownImportsOf(source: Source): readonly string[] {
  return importsOf(source)
    .filter(name => name.startsWith('.'))
    .map(name => normalize(join(dirname(source.path), name)))
}

const COMMENTS_AND_STRINGS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

export function codeOf(source: Source): string {
  return source.text.replace(COMMENTS_AND_STRINGS, found => (found.startsWith('/') ? '' : "''"))
}
