// reprise store copy: a whole store from SQLite to PostgreSQL, or back.
import type { CopyProgress, CopyReport } from '../../copy/copy-whole-store.ts'
import { type StorePlace, storePlace } from '../../copy/store-place.ts'
import { RepriseError } from '../../errors.ts'
import { storeError } from '../../store/sqlite/sqlite-errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { progressBar } from '../view/progress-bar.ts'
import { daemonState } from './daemon-state.ts'

const UNITS: Readonly<Record<CopyProgress['step'], string>> = {
  verify: 'rules',
  copy: 'rows',
  sessions: 'pieces of session copies',
  compare: 'rows',
}

export async function copyStores(
  io: Io,
  places: { readonly from: string; readonly to: string },
  flags: JsonFlag,
): Promise<number> {
  const from = storePlace(places.from, io.cwd)
  const to = storePlace(places.to, io.cwd)
  for (const place of [from, to]) await refuseDaemon(place)
  const { copyWholeStore } = await import('../../copy/copy-whole-store.ts')
  try {
    const onProgress = ({ step, ...counts }: CopyProgress) =>
      progressBar(io, step, UNITS[step])(counts)
    const report = await copyWholeStore({ from, to, onProgress })
    io.line?.clear()
    return print(io, report, flags)
  } catch (error) {
    throw to.kind === 'file' ? storeError(error, to.path) : error
  } finally {
    io.line?.clear()
  }
}

async function refuseDaemon(place: StorePlace): Promise<void> {
  if (place.kind === 'postgres') return
  const { state } = await daemonState(place)
  if (state === 'none' || state === 'killed') return
  const hint = `Stop it first: REPRISE_HOME=${place.home} reprise stop`
  throw new RepriseError('busy', `a daemon uses the store at ${place.shown}`, hint)
}

function print(io: Io, report: CopyReport, { json }: JsonFlag): number {
  const { from, to, rows, pieces, damagedPieces, contentHash } = report
  if (json) printJson(io, report)
  else {
    printLine(io, `${from} is now also at ${to}: ${rows} rows, ${pieces} pieces of session copies`)
    printLine(io, `both are equal: ${contentHash}`)
  }
  if (damagedPieces > 0)
    io.stderr.write(
      `warning: ${damagedPieces} pieces of session copies were damaged and left out\n`,
    )
  return 0
}
