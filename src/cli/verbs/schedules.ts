// reprise schedules: lists and removes the schedules of chains.
import type { Reprise } from '../../api.ts'
import type { Schedule } from '../../core/chain/schedule.ts'
import { recurrenceWords } from '../../core/job/recurrence.ts'
import { workspaceWords } from '../../core/run/workspace.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { timesOf } from '../terminal/time.ts'
import { type Column, printJson, printLine } from '../view/print.ts'
import { printAll } from '../view/print-list.ts'

export async function listSchedules(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const empty = 'no schedules; make one with `reprise escalate --every 15m`'
    return printAll(io, await reprise.schedules.list(), { ...flags, columns: COLUMNS, empty })
  })
}

const COLUMNS: readonly Column<Schedule>[] = [
  { title: 'schedule', id: schedule => schedule.id },
  { title: 'policy', cell: schedule => schedule.policy.name },
  { title: 'when', cell: schedule => recurrenceWords(schedule.recurrence) },
  { title: 'next', time: schedule => schedule.nextAt },
  { title: 'skipped', cell: schedule => String(schedule.skipped), align: 'right' },
  { title: 'last chain', id: schedule => schedule.lastChainId },
  { title: 'where', text: whereOf },
  { title: 'prompt', text: schedule => schedule.prompt },
]

function whereOf({ workspace, workDir }: Schedule): string {
  return workspace ? workspaceWords(workspace) : (workDir ?? '–')
}

export async function removeSchedule(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    await reprise.schedules.remove(id)
    if (flags.json) printJson(io, { id })
    else printLine(io, `removed ${id}; chains that it has started go on`)
    return 0
  })
}

type Wanted = Parameters<Reprise['schedules']['create']>[0]

export async function schedulesCreate(
  io: Io,
  wanted: Wanted,
  flags: JsonFlag & { readonly cwd?: string },
): Promise<number> {
  return withReprise(
    io,
    async reprise => {
      const schedule = await reprise.schedules.create(wanted)
      if (flags.json) printJson(io, schedule)
      else {
        printLine(io, schedule.id)
        const start = 'the daemon starts it: see that `reprise serve` runs'
        io.stderr.write(
          `${recurrenceWords(schedule.recurrence)}, next at ${timesOf(io).at(schedule.nextAt)}; ${start}\n`,
        )
      }
      return 0
    },
    { cwd: flags.cwd },
  )
}
