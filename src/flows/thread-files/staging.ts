// Directories in which thread files are packed and unpacked. One whose process died is removed, with what it had put into the vault.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import type { VaultKey } from '../../vault/vault.ts'
import { writeWhole } from '../../vault/write-whole.ts'
import type { Dependencies } from '../dependencies.ts'

export type Staging = {
  readonly directory: string
  /** Called before anything is put into the vault for a thread that is not stored yet. */
  plan(planned: Planned): Promise<void>
  remove(): Promise<void>
}

/** What an import puts into the vault. It belongs to nobody until the thread is stored. */
export type Planned = { readonly threadId: string; readonly sessions: readonly VaultKey[] }

type Surroundings = Pick<
  Dependencies,
  'hiddenDir' | 'owner' | 'random' | 'store' | 'vault' | 'isAlive'
>

const PLAN = 'plan.json'

const rootOf = ({ hiddenDir }: Pick<Dependencies, 'hiddenDir'>) => join(hiddenDir, 'staging')

export async function openStaging(dependencies: Surroundings): Promise<Staging> {
  const { owner, random } = dependencies
  const root = rootOf(dependencies)
  const directory = join(root, random.uuid())
  await disk.mkdir(directory, { recursive: true, mode: 0o700 })
  await writeWhole(join(directory, 'owner.json'), Buffer.from(JSON.stringify(owner)))
  return {
    directory,
    plan: planned => writeWhole(join(directory, PLAN), Buffer.from(JSON.stringify(planned))),
    remove: () => disk.rm(directory, { recursive: true, force: true }),
  }
}

/** Removes what processes that died have left. Gives how many directories that were. */
export async function clearStaging(dependencies: Surroundings): Promise<number> {
  const root = rootOf(dependencies)
  const names = await disk.readdir(root).catch(() => []) // Nothing was ever staged.
  let cleared = 0
  for (const name of names) {
    const directory = join(root, name)
    const owner = await readJson<Dependencies['owner']>(join(directory, 'owner.json'))
    // Without an owner, its process has only just begun or died then; one of another host cannot be asked.
    const isAlive = owner === null ? null : dependencies.isAlive(owner)
    if (isAlive ?? !(await isOld(directory))) continue
    const planned = await readJson<Planned>(join(directory, PLAN))
    if (planned) await dropPlanned(dependencies, planned)
    await disk.rm(directory, { recursive: true, force: true })
    cleared += 1
  }
  return cleared
}

/** Removes from the vault what belongs to a thread that was not stored. */
export async function dropPlanned(
  { store, vault }: Pick<Dependencies, 'store' | 'vault'>,
  { threadId, sessions }: Planned,
): Promise<void> {
  if ((await store.thread(threadId)) !== null) return
  for (const session of sessions) await vault.remove(session)
  await vault.objects.remove(threadId)
}

const OLD_MS = 3_600_000

async function isOld(directory: string): Promise<boolean> {
  const stat = await disk.stat(directory).catch(() => null) // Gone meanwhile.
  return stat !== null && Date.now() - stat.mtimeMs > OLD_MS
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await disk.readFile(path, 'utf8')) as T
  } catch {
    return null // It was not written yet.
  }
}
