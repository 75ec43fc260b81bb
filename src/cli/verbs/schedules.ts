// reprise schedules: lists and removes the schedules of chains.
import type { Reprise } from '../../api.ts'
import type { Schedule } from '../../core/chain/schedule.ts'
import { recurrenceWords } from '../../core/job/recurrence.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, printJson, printLine, table, when } from '../view/print.ts'

export async function listSchedules(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const schedules = await reprise.schedules.list()
    if (flags.json) printJson(io, schedules)
    else if (schedules.length === 0)
      io.stderr.write('no schedules; make one with `reprise escalate --every 15m`\n')
    else io.stdout.write(table(schedules, COLUMNS))
    return 0
  })
}

const COLUMNS: readonly Column<Schedule>[] = [
  { title: 'schedule', cell: schedule => schedule.id },
  { title: 'policy', cell: schedule => schedule.policy.name },
  { title: 'when', cell: schedule => recurrenceWords(schedule.recurrence) },
  { title: 'next', cell: schedule => when(schedule.nextAt) },
  { title: 'skipped', cell: schedule => String(schedule.skipped), align: 'right' },
  { title: 'last chain', cell: schedule => schedule.lastChainId ?? '–' },
  { title: 'prompt', cell: schedule => schedule.prompt, max: 40 },
]

export async function removeSchedule(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    await reprise.schedules.remove(id)
    if (flags.json) printJson(io, { removed: id })
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
          `${recurrenceWords(schedule.recurrence)}, next at ${when(schedule.nextAt)} UTC; ${start}\n`,
        )
      }
      return 0
    },
    { cwd: flags.cwd },
  )
}
