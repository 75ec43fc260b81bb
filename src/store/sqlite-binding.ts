// Where the binary of better-sqlite3 lies. It finds it by itself, too, but asks for a whole report of the process
// only to learn which C library that uses: 3 ms of a start.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** `null` wherever it is not the plain case: better-sqlite3 then looks by itself. */
export function usualBinding(): string | null {
  if (process.platform !== 'linux' || !usesGlibc()) return null
  try {
    const place = createRequire(import.meta.url).resolve('better-sqlite3/package.json')
    const file = join(dirname(place), 'prebuilds', `linux-${process.arch}.node`)
    return existsSync(file) ? file : null
  } catch {
    return null // A package that is laid out otherwise knows best where it has its binary.
  }
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
