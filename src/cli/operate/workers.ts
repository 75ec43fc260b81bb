// reprise workers: the processes that work on jobs, on all hosts of this store.
import type { Worker } from '../../core/job/worker.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import type { Column } from '../view/print.ts'
import { printAll } from '../view/print-list.ts'

export async function workers(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const found = await reprise.workers()
    return printAll(io, found, { ...flags, columns: COLUMNS, empty: NOBODY })
  })
}

const NOBODY = 'nobody works on jobs: start `reprise serve` or `reprise worker`'

const COLUMNS: readonly Column<Worker>[] = [
  { title: 'host', cell: worker => worker.host },
  { title: 'pid', cell: worker => String(worker.pid), align: 'right' },
  { title: 'state', cell: worker => worker.state },
  { title: 'jobs', cell: worker => `${worker.active}/${worker.concurrency}`, align: 'right' },
  { title: 'last beat', time: worker => worker.beatAt },
  { title: 'version', cell: worker => worker.version },
  { title: 'labels', text: worker => worker.labels.join(' ') || '–' },
  { title: 'shared', text: worker => worker.sharedRoots.join(' ') || '–' },
]
