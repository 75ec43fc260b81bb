// The verbs of jobs, with their flags.
import { type Command, Option } from 'commander'
import { addJsonFlag, parseCount, parseLimit, parseSince } from '../flags/flags.ts'
import { addJobFlags } from '../flags/job-flags.ts'
import { addRepositoryFlags } from '../flags/place-flags.ts'
import type { VerbCall } from '../start/call.ts'

const JOB = 'id of the job'
const JOB_STATUSES = 'queued running waiting parked completed failed cancelled dead'.split(' ')

export function addJobVerbs(program: Command, call: VerbCall): void {
  const jobs = program
    .command('jobs')
    .description('durable work, which continues after crashes, limits and restarts')
  const verbs = () => import('../verbs/jobs.ts')

  addJsonFlag(jobs.command('ls'))
    .description('list jobs, latest first (what `reprise jobs` does)')
    .addOption(new Option('--status <status>', 'only jobs in this state').choices(JOB_STATUSES))
    .option(
      '--since <time>',
      'only jobs that were submitted since then: 2h, 7d, 2026-01-31',
      parseSince,
    )
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the jobs after this one')
    .action(call(async () => (await verbs()).listJobs))

  addRepositoryFlags(addJobFlags(jobs.command('submit')))
    .description('store a job for the daemon; with --wait and no daemon, this process works on it')
    .argument(
      '[prompt]',
      'the task; what is piped in follows it (`< /dev/null`: nothing); `-`, or nothing in a pipe, reads all of it from stdin',
    )
    .action(call(async () => (await verbs()).jobsSubmit))

  addJsonFlag(jobs.command('show'))
    .description('show a job: why it waits or how it ended, and its attempts')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).showJob))

  addJsonFlag(jobs.command('logs'))
    .description('print the prompts and the answers of all attempts')
    .argument('<job>', JOB)
    .addOption(
      new Option('-f, --follow', 'print new output as it comes, until the job is over').conflicts(
        'json',
      ),
    )
    .addOption(
      new Option('--stream-json', 'follow, and print one event per line').conflicts('json'),
    )
    .action(call(async () => (await import('../verbs/job-logs.ts')).jobLogs))

  addJsonFlag(jobs.command('retry'))
    .description('try a job once more, also when it is dead, failed or done')
    .argument('<job>', JOB)
    .option('--resume', 'resume the same session if possible (default)', true)
    .option('--no-resume', 'start a new session, with a list of what is already done')
    .option('--wait', 'wait until the job is over; without a daemon, this process works on it')
    .action(call(async () => (await verbs()).jobsRetry))

  addJsonFlag(jobs.command('cancel'))
    .description('cancel a job and end the whole process tree of its attempt')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCancel))

  addJsonFlag(jobs.command('rm'))
    .description('remove a job that is not running, with its thread and its checkpoints')
    .argument('<job>', JOB)
    .option('--yes', 'ask nothing; without a terminal nothing is asked anyway')
    .action(call(async () => (await verbs()).removeJob))

  addJsonFlag(jobs.command('prune'))
    .description(
      'remove checkpoints that are older than `checkpoints.keepDays`, or whose job is gone',
    )
    .action(call(async () => (await verbs()).jobsPrune))

  addJsonFlag(jobs.command('checkpoints'))
    .description('list the checkpoints of a job: stored states of its git work dir')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCheckpoints))

  addJsonFlag(jobs.command('diff'))
    .description('show what changed between a checkpoint and the one before it')
    .argument('<job>', JOB)
    .argument('<number>', 'number of the checkpoint', parseCount)
    .action(call(async () => (await verbs()).jobsDiff))

  addJsonFlag(jobs.command('restore'))
    .description(
      'restore files and thread to a checkpoint; branches and index stay; a new checkpoint keeps what it overwrites',
    )
    .argument('<job>', JOB)
    .argument('<number>', 'number of the checkpoint', parseCount)
    .option('--dry-run', 'only say what it would overwrite and remove')
    .option('--yes', 'ask nothing; without a terminal nothing is asked anyway')
    .action(call(async () => (await import('../verbs/restore.ts')).jobsRestore))
}
