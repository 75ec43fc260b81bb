// The verbs of threads, with their flags.
import { type Command, Option } from 'commander'
import { addJsonFlag, addTurnFlags, parseLimit, parseSince } from '../flags/flags.ts'
import { addExportFlags, addImportFlags } from '../flags/thread-file-flags.ts'
import type { VerbCall } from '../start/call.ts'
import { RUN_STATUSES } from './runs.ts'

const MESSAGE = 'id of the message, a unique beginning of the id, or its position (3)'
const ACTIONS = 'resume fork replay handover start wait'.split(' ')

export function addThreadVerbs(program: Command, call: VerbCall): void {
  const threads = program
    .command('threads')
    .description('the conversations: list, show, change their history, take them elsewhere')
  const verbs = () => import('../verbs/threads.ts')

  addJsonFlag(threads.command('ls'))
    .description('list threads, latest first (what `reprise threads` does)')
    .option(
      '-q, --query <text>',
      'only threads whose title, directory or messages hold this text, or whose id begins with it',
    )
    .option('-a, --agent <name>', 'only threads of this agent')
    .addOption(
      new Option('--kind <kind>', 'whose threads (default: chat)').choices([
        'chat',
        'chain',
        'job',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'only threads whose last run is in this state').choices(
        RUN_STATUSES,
      ),
    )
    .addOption(
      new Option('--action <action>', 'only threads whose last run was decided so').choices(
        ACTIONS,
      ),
    )
    .option(
      '--since <time>',
      'only threads that were used since then: 2h, 7d, 2026-01-31',
      parseSince,
    )
    .option('--unapproved', 'only imported threads that wait for `reprise threads approve`')
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the threads after this one')
    .action(call(async () => (await verbs()).listThreads))

  addJsonFlag(threads.command('show'))
    .description('show the messages of a thread with positions, ids and decisions')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).showThread))

  addJsonFlag(threads.command('edit'))
    .description('change a message in place; later messages stay')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'the new text; `-`, or nothing in a pipe, reads it from stdin')
    .action(call(async () => (await verbs()).editMessage))

  addTurnFlags(threads.command('retry'))
    .description('drop a message and all later ones, and ask again, perhaps with a new text')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'the new text; `-` reads it from stdin')
    .option('--preview', 'only say what that would do and cost; drops and sends nothing')
    .action(call(async () => (await import('../verbs/retry.ts')).retryMessage))

  addJsonFlag(threads.command('truncate'))
    .description('drop a message and all later ones')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .action(call(async () => (await verbs()).truncateThread))

  addJsonFlag(threads.command('select'))
    .description('show another version of a message: its branch becomes the current one')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', 'id of the version, as `threads show` prints it')
    .action(call(async () => (await verbs()).selectVersion))

  addJsonFlag(threads.command('fork'))
    .description('create a thread with the messages up to one of them')
    .argument('<thread>', 'id of the thread')
    .option('--at <message>', `the last message to copy (default: all); ${MESSAGE}`)
    .option('--title <text>', 'title of the new thread')
    .action(call(async () => (await verbs()).forkThread))

  addJsonFlag(threads.command('rename'))
    .description('give a thread another title')
    .argument('<thread>', 'id of the thread')
    .argument('<title...>', 'the title; several words need no quotes')
    .action(call(async () => (await verbs()).renameThread))

  const files = () => import('../thread-files/thread-files.ts')

  addExportFlags(threads.command('export'))
    .description('write a thread with its sessions and kept checkpoints as one signed file')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await files()).threadsExport))

  addImportFlags(threads.command('import'))
    .description(
      'take in a thread file, as a whole or not at all; one of somebody else is only data until `threads approve`',
    )
    .action(call(async () => (await files()).threadsImport))

  addJsonFlag(threads.command('approve'))
    .description('let agents go on with a thread that came in a file of somebody else')
    .argument('<thread>', 'id of the thread')
    .option('--yes', 'ask nothing; without a terminal nothing is asked anyway')
    .action(call(async () => (await files()).threadsApprove))

  addJsonFlag(threads.command('key'))
    .description('print the public key that signs the thread files of this store')
    .action(call(async () => (await files()).threadsKey))

  addJsonFlag(threads.command('rm'))
    .description('remove a thread and everything stored about it, with the checkpoints of its job')
    .argument('<thread>', 'id of the thread')
    .option('--yes', 'ask nothing; without a terminal nothing is asked anyway')
    .action(call(async () => (await verbs()).threadsRemove))
}
