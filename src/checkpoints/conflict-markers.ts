// Which changed files of a repository still hold the markers of an unresolved merge.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { Change, Repository } from './checkpoint.ts'
import { holdsConflictMarkers } from './drift.ts'

/** Larger files are skipped: nobody merges them by hand. */
const MAX_BYTES = 1024 * 1024

export async function filesWithConflictMarkers(
  { root }: Repository,
  changes: readonly Change[],
): Promise<readonly string[]> {
  const marked: string[] = []
  for (const { path, status } of changes) {
    if (status === 'removed') continue
    // A submodule cannot be read as a file, and a file may be gone again.
    const bytes = await disk.readFile(join(root, path)).catch(() => null)
    if (bytes === null || bytes.length > MAX_BYTES) continue
    if (holdsConflictMarkers(bytes.toString('utf8'))) marked.push(path)
  }
  return marked
}
