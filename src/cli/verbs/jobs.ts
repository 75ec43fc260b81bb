// reprise jobs: submit, list, show, retry, cancel, remove, checkpoints, prune. restore.ts has restore.
import type { JobDetails, ListedJob, Reprise } from '../../api.ts'
import type { JobStatus } from '../../core/job/job.ts'
import { recurrenceWords } from '../../core/job/recurrence.ts'
import { stepWords } from '../../core/job/retry-words.ts'
import { type WaitingInWords, waitingInWords, waitingLine } from '../../core/job/waiting-for.ts'
import { workspaceWords } from '../../core/run/workspace.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type JobFlags, jobRequestOf } from '../flags/job-flags.ts'
import { promptWithInput } from '../flags/prompt-input.ts'
import { withReprise } from '../open/open.ts'
import { exitCodeOfJob } from '../start/exit-code.ts'
import type { Io } from '../start/io.ts'
import { timesOf } from '../terminal/time.ts'
import { canAsk, confirm, type YesFlag } from '../view/confirm.ts'
import { followJob, textView } from '../view/follow-job.ts'
import { beside, type Column, costOf, cut, printJson, printLine } from '../view/print.ts'
import { type PageFlags, printAll, printPage } from '../view/print-list.ts'
import { printRemoved } from '../view/print-removed.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'
import { summaryOf } from '../view/stream-turn.ts'

export async function jobsSubmit(
  io: Io,
  argument: string | undefined,
  flags: JobFlags,
): Promise<number> {
  const prompt = await promptWithInput(io, argument)
  const use = async (reprise: Reprise) => {
    const job = await reprise.jobs.submit(jobRequestOf(io, prompt, flags))
    if (flags.wait) return waitFor(io, reprise, { id: job.id, skip: 0, flags })
    if (flags.json) printJson(io, job)
    else printSubmitted(io, job)
    // On stderr, so that a script still reads the id or the JSON.
    const waiting = await waitingOf(reprise, job)
    if (waiting) io.stderr.write(`${beside(io.stderr, 0, waitingWords(job, waiting))}\n`)
    return 0
  }
  return withReprise(io, use, { cwd: flags.cwd, ...(flags.wait && { workers: 1 }) })
}

function printSubmitted(io: Io, { id, schedule, dueAt }: JobDetails): void {
  printLine(io, id)
  if (schedule === null) return
  io.stderr.write(`${recurrenceWords(schedule)}, next at ${timesOf(io).at(dueAt)}\n`)
}

/** Of a job that is due later it only counts whether anybody works at all. */
async function waitingOf(reprise: Reprise, job: JobDetails): Promise<WaitingInWords | null> {
  if (job.schedule === null || job.waitingFor) return job.waitingFor
  const isWorked = (await reprise.workers()).some(({ state }) => state === 'working')
  return isWorked ? null : waitingInWords({ code: 'no-worker', since: job.createdAt })
}

function waitingWords({ id, schedule }: JobDetails, { code, words, hint }: WaitingInWords): string {
  const isAnywhere = code === 'no-worker' && schedule === null
  const here = isAnywhere ? ` Or work on it here: reprise jobs retry ${id} --wait` : ''
  return `${words}. ${hint}${here}`
}

type Waiting = { readonly id: string; readonly skip: number; readonly flags: JsonFlag }

/** Prints the progress on stderr and the result on stdout. */
async function waitFor(io: Io, reprise: Reprise, { id, skip, flags }: Waiting): Promise<number> {
  io.stderr.write(`${id}\n`)
  const progressOn = flags.json ? {} : io
  const job = await followJob(io, reprise, { id, skip, show: textView(io.stderr), progressOn })
  if (flags.json) printJson(io, job)
  // On a terminal the user has just read the text.
  else printJob(io, io.stderr.isTTY ? { ...job, text: null } : job)
  return exitCodeOfJob(job)
}

export type JobListFlags = PageFlags & { readonly status?: JobStatus }

export async function listJobs(io: Io, flags: JobListFlags): Promise<number> {
  const { status, since, cursor } = flags
  return withReprise(io, reprise => {
    const list = (limit: number) => reprise.jobs.list({ status, since, cursor, limit })
    return printPage(io, list, { ...flags, columns: JOB_COLUMNS, empty: 'no jobs' })
  })
}

const JOB_COLUMNS: readonly Column<ListedJob>[] = [
  { title: 'job', id: job => job.id },
  { title: 'submitted', time: job => job.createdAt },
  { title: 'agent', cell: job => job.agent },
  { title: 'status', cell: job => job.status },
  { title: 'next attempt', time: job => job.nextAttemptAt },
  { title: 'waits for', text: job => job.waitingFor?.words ?? '–' },
  { title: 'prompt', text: job => job.prompt },
]

export async function showJob(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const job = await reprise.jobs.get(id)
    if (flags.json) printJson(io, job)
    else printJob(io, job)
    return 0
  })
}

function printJob(io: Io, job: JobDetails): void {
  const facts: readonly (readonly [string, string | null])[] = [
    ['job', job.id],
    ['status', job.status],
    ['why', job.step && stepWords(job.step)],
    ['next attempt', job.nextAttemptAt === null ? null : timesOf(io).at(job.nextAttemptAt)],
    ['waits for', job.waitingFor && waitingLine(job.waitingFor, Date.now())],
    ['schedule', job.schedule && recurrenceWords(job.schedule)],
    ['agent', job.agent],
    ['repository', job.workspace && workspaceWords(job.workspace)],
    ['work dir', job.workDir],
    ['host', job.host ?? job.attempts.at(-1)?.host ?? null],
    ['labels', job.labels.join(', ') || null],
    ['cost', job.attempts.length === 0 ? null : costOf(job.costUsd, job.attempts)],
    ['checkpoints', job.checkpoints.length === 0 ? null : String(job.checkpoints.length)],
  ]
  for (const [name, value] of facts) {
    if (value !== null) printFact(io, name, sanitiseLine(value))
  }
  for (const run of job.attempts) {
    const failure = run.failure ? ` · ${run.failure.class}` : ''
    const said = `${run.id} · ${run.status}${failure} · ${summaryOf(run)}`
    printFact(io, `attempt ${run.attempt}`, said)
  }
  if (job.text) printLine(io, `\n${sanitise(job.text)}`)
  if (!job.waitingFor) return
  io.stderr.write(`${beside(io.stderr, 0, waitingWords(job, job.waitingFor))}\n`)
}

function printFact(io: Io, name: string, value: string): void {
  printLine(io, `${name.padEnd(14)}${beside(io.stdout, 14, value)}`)
}

export type RetryFlags = JsonFlag & { readonly resume: boolean; readonly wait?: true }

export async function jobsRetry(io: Io, id: string, flags: RetryFlags): Promise<number> {
  const use = async (reprise: Reprise) => {
    const job = await reprise.jobs.retry(id, { resume: flags.resume })
    if (flags.wait) return waitFor(io, reprise, { id, skip: job.attempts.length, flags })
    if (flags.json) printJson(io, job)
    else printLine(io, `${job.id} is ${job.status}`)
    return 0
  }
  return withReprise(io, use, flags.wait ? { workers: 1 } : {})
}

export async function jobsCancel(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const job = await reprise.jobs.cancel(id)
    if (flags.json) printJson(io, job)
    else printLine(io, `${job.id} is ${job.status}`)
    return 0
  })
}

export async function removeJob(io: Io, id: string, flags: JsonFlag & YesFlag): Promise<number> {
  return withReprise(io, async reprise => {
    if (canAsk(io, flags)) {
      const { prompt, attempts } = await reprise.jobs.get(id)
      const what = `"${cut(sanitiseLine(prompt), 50)}" with ${attempts.length} attempts and its checkpoints`
      await confirm(io, `Remove ${what}?`)
    }
    const { checkpoints } = await reprise.jobs.remove(id)
    if (flags.json) printJson(io, { id, checkpoints })
    else {
      printLine(io, `removed ${id}`)
      printRemoved(io, checkpoints)
    }
    return 0
  })
}

export async function jobsPrune(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const checkpoints = await reprise.jobs.prune()
    if (flags.json) printJson(io, { checkpoints })
    else if (checkpoints.length === 0) io.stderr.write('no old checkpoints\n')
    else printRemoved(io, checkpoints)
    return 0
  })
}

export async function jobsCheckpoints(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const { checkpoints } = await reprise.jobs.get(id)
    const columns = CHECKPOINT_COLUMNS
    return printAll(io, checkpoints, { ...flags, columns, empty: 'no checkpoints' })
  })
}

const CHECKPOINT_COLUMNS: readonly Column<JobDetails['checkpoints'][number]>[] = [
  { title: 'number', cell: point => String(point.number), align: 'right' },
  { title: 'taken', time: point => point.at },
  { title: 'kind', cell: point => point.kind },
  { title: 'branch', cell: point => point.head.branch ?? '–' },
  { title: 'ref', text: point => point.ref },
]

export async function jobsDiff(
  io: Io,
  id: string,
  number: number,
  flags: JsonFlag,
): Promise<number> {
  return withReprise(io, async reprise => {
    const diff = await reprise.jobs.diff(id, number)
    if (flags.json) printJson(io, diff)
    else {
      for (const { patch, status, path } of diff.files)
        printLine(
          io,
          patch === null ? `${status} ${sanitiseLine(path)}` : sanitise(patch.trimEnd()),
        )
      if (diff.files.length === 0) io.stderr.write('nothing has changed\n')
      if (diff.truncated) io.stderr.write('some files or patches were left out\n')
    }
    return 0
  })
}
