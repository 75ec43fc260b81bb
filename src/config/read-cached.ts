// A cache of parsed config files. While their text is the same, Reprise does not even load YAML and validation.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../core/hash-text.ts'

export type ConfigCache = {
  /** The cache must be in the private data directory, because its content decides what is executed. */
  readonly directory: string
  /** The version of Reprise: another version may read the same text differently. */
  readonly version: string
}

/** `key`: everything that the parsed value depends on. */
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

/** `null` when the file cannot be read; the parser then says why. */
function keyOf(path: string, version: string): string | null {
  try {
    return `${version}\n${path}\n${readFileSync(path, 'utf8')}`
  } catch {
    return null // The parser reports it, with a hint.
  }
}

function read<F>(place: string): Kept<F> | null {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as Kept<F>
  } catch {
    return null // The cache is missing or broken, so it is written again.
  }
}

function keep<F>(place: string, kept: Kept<F>): void {
  const draft = `${place}.${process.pid}`
  try {
    mkdirSync(join(place, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
    renameSync(draft, place)
  } catch {
    // On a full or read-only disk the next start is as slow as this one.
  }
}
