// Where the binary of better-sqlite3 lies. It finds it by itself, too, but asks for a whole report of the process
// only to learn which C library that uses: 3 ms of a start.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `null` wherever it is not the plain case: better-sqlite3 then looks by itself. */
export function usualBinding(): string | null {
  if (process.platform !== 'linux' || !usesGlibc()) return null
  const file = join('node_modules', 'better-sqlite3', 'prebuilds', `linux-${process.arch}.node`)
  const here = dirname(fileURLToPath(import.meta.url))
  // Upwards, as Node looks for packages; what is laid out otherwise knows best where it has its binary.
  return (
    withParents(here)
      .map(directory => join(directory, file))
      .find(existsSync) ?? null
  )
}

function withParents(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...withParents(parent)]
}

/** By what this process has loaded: a machine may have both. */
function usesGlibc(): boolean {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8')
    return /\/libc(?:\.so\.6|-2\.\d+\.so)/.test(maps) && !maps.includes('musl')
  } catch {
    return false // Without /proc it cannot be told this way.
  }
}
