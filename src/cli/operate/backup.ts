// reprise backup: a tar file with the store at one moment and what else is needed to go on, also while the daemon works.
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { VERSION } from '../../core/version.ts'
import type { Violation } from '../../core/violation.ts'
import { RepriseError } from '../../errors.ts'
import { STORE_VERSION } from '../../store/sql/version.ts'
import { copyStore } from '../../store/sqlite/copy-store.ts'
import { storeError } from '../../store/sqlite/sqlite-errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { progressBar } from '../view/progress-bar.ts'
import { checkArchive, type Kept, type Member, writeArchive } from './backup-archive.ts'
import { filesToKeep } from './backup-files.ts'
import { settleCopy } from './settle-copy.ts'

export async function backup(io: Io, file: string, flags: JsonFlag): Promise<number> {
  const config = await loadConfig({ env: io.env, cwd: io.cwd })
  const target = resolve(io.cwd, file)
  const database = databaseFile(config)
  refuseTarget(target, config.home)
  const staging = `${target}.staging-${process.pid}`
  const partial = `${target}.partial-${process.pid}`
  try {
    mkdirSync(staging, { mode: 0o700 })
    const { kept, violations } = await make(io, config, { database, staging, partial })
    putInPlace(partial, target)
    return report(io, { target, kept, violations }, flags)
  } catch (error) {
    throw storeError(error, target)
  } finally {
    io.line?.clear()
    rmSync(staging, { recursive: true, force: true })
    rmSync(partial, { force: true })
  }
}

type Places = { readonly database: string; readonly staging: string; readonly partial: string }
type Made = { readonly kept: readonly Kept[]; readonly violations: readonly Violation[] }

async function make(io: Io, config: Config, places: Places): Promise<Made> {
  const { database, staging, partial } = places
  const copy = join(staging, 'reprise.db')
  const version = await copyStore(database, copy, progressBar(io, 'copy', 'pages'))
  // A store of an older version stays as it is: the Reprise that restores it brings it up to date.
  const isCurrent = version === STORE_VERSION
  const violations = isCurrent ? await settleCopy(io, config, staging) : []
  // After the store: a session copy that is newer than the store does no harm.
  const names = filesToKeep(config.home)
  const about = { reprise: VERSION, store: version, createdAt: new Date().toISOString() }
  writeFileSync(join(staging, 'backup.json'), `${JSON.stringify(about)}\n`, { mode: 0o600 })
  const members: readonly Member[] = [
    { name: 'backup.json', path: join(staging, 'backup.json') },
    { name: 'reprise.db', path: copy },
    ...names.map(name => ({ name, path: join(config.home, name) })),
  ]
  const show = progressBar(io, 'write', 'files')
  const kept = await writeArchive(partial, members, done => show({ done, total: members.length }))
  io.line?.show([{ text: 'reading the backup back', look: 'dim' }])
  await checkArchive(partial, kept)
  return { kept, violations }
}

function databaseFile({ home, database }: Config): string {
  if (database.kind !== 'file') {
    const hint =
      'Back up the database with `pg_dump --schema=reprise` (docs/backup.md); it holds the session copies too. Or, while nobody uses it, copy it to a file: reprise store copy.'
    throw new RepriseError('bad-config', 'the store is in PostgreSQL, not in a file', hint)
  }
  if (existsSync(database.path)) return database.path
  const hint = 'Set REPRISE_HOME to the data directory that you want to back up.'
  throw new RepriseError('not-found', `there is no store in ${home}`, hint)
}

function refuseTarget(target: string, home: string): void {
  if (lstatSync(target, { throwIfNoEntry: false })) {
    const hint = 'Name another file, such as one with the date; an old backup is not replaced.'
    throw new RepriseError('conflict', `${target} exists`, hint)
  }
  const directory = dirname(target)
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    const hint = `Make it first: mkdir -p ${directory}`
    throw new RepriseError('bad-input', `there is no directory ${directory}`, hint)
  }
  if (`${realpathSync(directory)}/`.startsWith(`${realpathSync(home)}/`)) {
    const hint = 'Name a file elsewhere, at best on another disk.'
    throw new RepriseError('bad-input', 'a backup does not belong into the data directory', hint)
  }
}

/** A link never replaces a file, even one that appeared meanwhile. */
function putInPlace(partial: string, target: string): void {
  try {
    linkSync(partial, target)
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) throw error
    throw new RepriseError('conflict', `${target} exists`, 'Name another file.', error)
  }
}

type Report = Made & { readonly target: string }

/** A store with a broken promise is kept all the same, but a script must learn of it. */
function report(io: Io, { target, kept, violations }: Report, flags: JsonFlag): number {
  const { size } = statSync(target)
  const ok = violations.length === 0
  if (flags.json) printJson(io, { file: target, bytes: size, files: kept.length, ok, violations })
  else
    printLine(io, `${target}  ${(size / 1024 ** 2).toFixed(1)} MB, ${kept.length} files, checked`)
  if (!ok) {
    const count = violations.length
    io.stderr.write(
      `warning: the store breaks ${count} of its promises, and so does its copy: reprise verify\n`,
    )
  }
  return ok ? 0 : 70
}
