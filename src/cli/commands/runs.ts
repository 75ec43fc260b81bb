// The verbs of runs, with their flags.
import { type Command, Option } from 'commander'
import {
  addChoice,
  addJsonFlag,
  parseCount,
  parseLimit,
  parseSequence,
  parseSince,
} from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

export const RUN_STATUSES = 'queued running waiting completed failed interrupted cancelled'.split(
  ' ',
)

export function addRunVerbs(program: Command, call: VerbCall): void {
  const runs = program.command('runs').description('the executions of agents: list, show, cancel')
  const verbs = () => import('../verbs/runs.ts')

  addJsonFlag(runs.command('ls'))
    .description('list runs, latest first (what `reprise runs` does)')
    .option('-t, --thread <id>', 'only runs of this thread')
    .addOption(new Option('--status <status>', 'only runs in this state').choices(RUN_STATUSES))
    .option('--chain <id>', 'only runs of this chain')
    .option('--job <id>', 'only attempts of this job')
    .option(
      '--since <time>',
      'only runs that were queued since then: 2h, 7d, 2026-01-31',
      parseSince,
    )
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the runs after this one')
    .action(call(async () => (await verbs()).listRuns))

  addJsonFlag(runs.command('show'))
    .description('show a run: decision, usage, cost, how it ended')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).showRun))

  addJsonFlag(runs.command('events'))
    .description('print the events of a run')
    .argument('<run>', 'id of the run')
    .option('--after <sequence>', 'only events after this one', parseSequence, 0)
    .option('-n, --limit <count>', 'how many at most', parseCount, 10_000)
    .action(call(async () => (await verbs()).showEvents))

  addJsonFlag(runs.command('prompt'))
    .description('print what the agent was given: the prompt as it was sent, and its arguments')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).showPrompt))

  addJsonFlag(runs.command('answer'))
    .description('answer a question of a run, and show how its turn continues')
    .argument('<run>', 'id of the run')
    .argument('<call>', 'id of the call that asks (see `reprise runs show`)')
    .argument(
      '[answer]',
      'the answer to a single question, or the number of an option; asked for on a terminal',
    )
    .option('--choose <question=answer>', 'the answer to one of several questions', addChoice)
    .addOption(new Option('--allow', 'allow the call').conflicts(['deny', 'choose']))
    .addOption(
      new Option('--for-run', 'allow every call of its rule until the run ends')
        .conflicts(['deny', 'choose'])
        .implies({ allow: true }),
    )
    .addOption(new Option('--deny', 'refuse the call').conflicts('choose'))
    .addOption(
      new Option('--message <text>', 'with --deny: the reason, for the agent').conflicts([
        'allow',
        'forRun',
        'choose',
      ]),
    )
    .action(call(async () => (await import('../verbs/answer.ts')).answer))

  addJsonFlag(runs.command('cancel'))
    .description('cancel a run and end its whole process tree')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).cancelRun))
}
