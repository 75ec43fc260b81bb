// The verbs of threads, with their flags.
import type { Command } from 'commander'
import { addJsonFlag, addTurnFlags, parseLimit } from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

const MESSAGE = 'id of the message, a unique beginning of the id, or its position (3)'

export function addThreadVerbs(program: Command, call: VerbCall): void {
  const threads = program
    .command('threads')
    .description('the conversations: list, show, change their history')
  const verbs = () => import('../verbs/threads.ts')

  addJsonFlag(threads.command('ls'))
    .description('list threads, latest first (what `reprise threads` does)')
    .option('-q, --query <text>', 'only threads whose title or messages hold this text')
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
    .action(call(async () => (await import('../verbs/retry.ts')).retryMessage))

  addJsonFlag(threads.command('truncate'))
    .description('drop a message and all later ones')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .action(call(async () => (await verbs()).truncateThread))

  addJsonFlag(threads.command('fork'))
    .description('create a thread with the messages up to one of them')
    .argument('<thread>', 'id of the thread')
    .option('--at <message>', `the last message to copy (default: all); ${MESSAGE}`)
    .option('--title <text>', 'title of the new thread')
    .action(call(async () => (await verbs()).forkThread))

  addJsonFlag(threads.command('rm'))
    .description('remove a thread and everything stored about it, with the checkpoints of its job')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).threadsRemove))
}
