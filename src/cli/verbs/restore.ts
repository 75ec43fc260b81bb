// reprise jobs restore: says what it will overwrite, asks at a terminal, and restores files and thread to a checkpoint.
import type { RestoredJob, RestorePreview } from '../../api.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { withWaitingLine } from '../terminal/waiting-line.ts'
import { canAsk, confirm, type YesFlag } from '../view/confirm.ts'
import { printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export type RestoreFlags = JsonFlag & YesFlag & { readonly dryRun?: true }

/** A person reads at most so many paths before the question. */
const SHOWN_PATHS = 20

export async function jobsRestore(
  io: Io,
  id: string,
  number: number,
  flags: RestoreFlags,
): Promise<number> {
  return withReprise(io, async reprise => {
    if (flags.dryRun) {
      printPreview(io, await reprise.jobs.previewRestore(id, number), flags)
      return 0
    }
    if (canAsk(io, flags)) {
      const preview = await reprise.jobs.previewRestore(id, number)
      showBefore(io, preview)
      await confirm(io, `Restore checkpoint ${number}?`)
    }
    const words = () => `restoring checkpoint ${number}`
    const restored = await withWaitingLine({ io, words }, () => reprise.jobs.restore(id, number))
    if (flags.json) printJson(io, restored)
    else printRestored(io, restored)
    return 0
  })
}

function showBefore(io: Io, { changes, messages }: RestorePreview): void {
  for (const change of changes.slice(0, SHOWN_PATHS)) io.stderr.write(`  ${wordsOf(change)}\n`)
  const left = changes.length - SHOWN_PATHS
  if (left > 0) io.stderr.write(`  … and ${left} more\n`)
  io.stderr.write(`${sumOf({ changes, messages })}; a checkpoint keeps the files as they are now\n`)
}

function printPreview(io: Io, preview: RestorePreview, flags: JsonFlag): void {
  if (flags.json) {
    printJson(io, preview)
    return
  }
  for (const change of preview.changes) printLine(io, wordsOf(change))
  io.stderr.write(`${sumOf(preview)}; nothing was changed\n`)
}

const VERBS = { added: 'bring back', changed: 'overwrite', removed: 'remove' } as const

function wordsOf({ status, path }: RestorePreview['changes'][number]): string {
  return `${VERBS[status]} ${sanitiseLine(path)}`
}

function sumOf({ changes, messages }: Pick<RestorePreview, 'changes' | 'messages'>): string {
  const files = changes.length === 1 ? '1 file' : `${changes.length} files`
  const cut = messages === 0 ? '' : `, drops the last ${messages} messages of its thread`
  return `this changes ${files}${cut}`
}

function printRestored(io: Io, { job, safety, changes }: RestoredJob): void {
  for (const { status, path } of changes) printLine(io, `${status} ${sanitiseLine(path)}`)
  if (changes.length === 0) io.stderr.write('nothing had to be changed\n')
  io.stderr.write(
    `as it was before: checkpoint ${safety.number}; go on: reprise jobs retry ${job.id}\n`,
  )
}
