// Config files as they were understood last time: while their text is the same, YAML and validation are not even loaded.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../core/hash-text.ts'

export type ConfigCache = {
  /** In the data directory: one that others can write to could choose what is executed. */
  readonly directory: string
  /** Of Reprise: another one may understand the same text otherwise. */
  readonly version: string
}

/** `key`: all that the file was understood from. */
type Kept<F> = { readonly key: string; readonly file: F }

export async function readCached<F>(
  path: string,
  cache: ConfigCache,
  parse: () => Promise<F>,
): Promise<F> {
  const key = keyOf(path, cache.version)
  const place = join(cache.directory, `config-${hashText(path).slice(0, 32)}.json`)
  const kept = key === null ? null : read<F>(place)
  if (kept && kept.key === key) return kept.file
  const file = await parse()
  if (key !== null) keep(place, { key, file })
  return file
}

/** `null` when it cannot be read: the parser will say why. */
function keyOf(path: string, version: string): string | null {
  try {
    return `${version}\n${path}\n${readFileSync(path, 'utf8')}`
  } catch {
    return null // Told by the parser, with a hint.
  }
}

function read<F>(place: string): Kept<F> | null {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as Kept<F>
  } catch {
    return null // Not there yet, or broken: it is made again.
  }
}

function keep<F>(place: string, kept: Kept<F>): void {
  const draft = `${place}.${process.pid}`
  try {
    mkdirSync(join(place, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
    renameSync(draft, place)
  } catch {
    // A full or read-only disk only means that the next start is as slow as this one.
  }
}
