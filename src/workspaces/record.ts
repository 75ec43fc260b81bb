// What this host knows of a work tree: a small file beside it, out of the reach of agents in a sandbox.

import { randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'

export type WorkspaceRecord = {
  readonly repository: string
  /** The commit at which it began. */
  readonly commit: string
  /** The last checkpoint of the work tree that other hosts can get; `null`: none yet. */
  readonly kept: string | null
  /** The caches whose objects it borrows: that of the repository, and those of its submodules. */
  readonly caches: readonly string[]
  /** What the next agent must know about the files; `null`: they are as they were left. */
  readonly news: string | null
}

export const recordPath = (directory: string) => `${directory}.json`

/** `null` when there is none, or when it is not ours. */
export async function readRecord(directory: string): Promise<WorkspaceRecord | null> {
  try {
    const text = await disk.readFile(recordPath(directory), 'utf8')
    const found = JSON.parse(text) as Partial<WorkspaceRecord>
    const { repository, commit, kept = null, caches = [], news = null } = found
    if (typeof repository !== 'string' || typeof commit !== 'string') return null
    return { repository, commit, kept, caches, news }
  } catch {
    return null // Without a whole record the work tree is not trusted.
  }
}

/** The time of the file is when the work tree was last used. */
export async function writeRecord(directory: string, record: WorkspaceRecord): Promise<void> {
  const draft = `${recordPath(directory)}.${randomUUID()}.draft`
  await disk.writeFile(draft, `${JSON.stringify(record)}\n`, { flag: 'wx', mode: 0o600 })
  await disk.rename(draft, recordPath(directory))
}
