// One process at a time works in a directory of ours. Each process that wants to puts a claim of its own beside it, and holds the
// lock when it then sees no other. Nobody changes the claim of a living process, and nobody ever gets the name of another claim.
import { randomInt, randomUUID } from 'node:crypto'
import { promises as disk } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RepriseError } from '../errors.ts'

/** Who holds locks, and how to tell that a holder is dead. */
export type LockHolder = {
  /** The text of this process that others judge by. */
  readonly name: string
  /** `null`: it cannot be known from here. */
  isAlive(name: string): boolean | null
}

/** A holder renews its claim this often. */
const BEAT_MS = 5_000
/** A holder that nobody can judge is dead after this long without a renewal. */
const SILENT_MS = 60_000
/** How long a process waits before it looks again; by chance, since two that claim at once both withdraw. */
const LOOK_MS = { least: 20, most: 80 } as const

type Waiting = { readonly holder: LockHolder; readonly signal?: AbortSignal | undefined }

export async function withLock<T>(
  path: string,
  { holder, signal }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const claim = `${path}-${randomUUID()}`
  await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
  while (!(await took(path, claim, holder))) {
    if (signal?.aborted) {
      const hint = 'Send the prompt again when the other process is done.'
      throw new RepriseError('cancelled', `cancelled while another process holds ${path}`, hint)
    }
    const pauseMs = randomInt(LOOK_MS.least, LOOK_MS.most)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  const beat = setInterval(() => {
    const now = new Date()
    disk.utimes(claim, now, now).catch(() => {}) // The claim is gone: this process was taken for dead.
  }, BEAT_MS)
  beat.unref()
  try {
    return await work()
  } finally {
    clearInterval(beat)
    await disk.rm(claim, { force: true })
  }
}

/** Whether a file in the directory is a claim of a process, as a sweep asks. */
export function isClaim(name: string): boolean {
  return /\.lock-[0-9a-f-]{36}$/.test(name)
}

async function took(path: string, claim: string, holder: LockHolder): Promise<boolean> {
  if (await isHeld(path, claim, holder)) return false
  await disk.writeFile(claim, `${holder.name}\n`, { flag: 'wx', mode: 0o600 })
  // Of two that claim at once, at least the second sees the first.
  if (!(await isHeld(path, claim, holder))) return true
  await disk.rm(claim, { force: true })
  return false
}

async function isHeld(path: string, own: string, holder: LockHolder): Promise<boolean> {
  const beginning = `${basename(path)}-`
  for (const name of await disk.readdir(dirname(path))) {
    const claim = join(dirname(path), name)
    if (!name.startsWith(beginning) || claim === own) continue
    if (!(await isDead(claim, holder))) return true
    await disk.rm(claim, { force: true })
  }
  return false
}

async function isDead(claim: string, holder: LockHolder): Promise<boolean> {
  const text = await disk.readFile(claim, 'utf8').catch(() => null)
  // It was withdrawn meanwhile.
  if (text === null) return true
  // Its first line may not be written yet.
  const alive = text.endsWith('\n') ? holder.isAlive(text.trimEnd()) : null
  if (alive !== null) return !alive
  const stat = await disk.stat(claim).catch(() => null) // Withdrawn meanwhile.
  return stat === null || Date.now() - stat.mtimeMs > SILENT_MS
}
