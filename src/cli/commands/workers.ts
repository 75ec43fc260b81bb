// The verbs of workers, with their flags: worker, workers.
import { type Command, InvalidArgumentError } from 'commander'
import { addJsonFlag, parseCount } from '../flags/flags.ts'
import { parseLabels } from '../flags/labels.ts'
import { parseDrain } from '../flags/recurrence-flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addWorkerVerbs(program: Command, call: VerbCall): void {
  addJsonFlag(program.command('worker'))
    .description(
      'work on jobs, without HTTP: on the machine of the store, or on any other of its hosts',
    )
    .option(
      '--concurrency <count>',
      'how many jobs run at the same time (default: `worker.concurrency` of the config, else 2)',
      parseCount,
    )
    .option(
      '--label <label>',
      'take jobs that name this label, too; may be repeated (default: `worker.labels`)',
      parseLabels,
    )
    .option(
      '--shared-root <dir>',
      'a directory that other hosts have under the same path; may be repeated (default: `worker.sharedRoots`)',
      parseTexts,
    )
    .option(
      '--drain <time>',
      'how long running jobs may continue when the worker stops: 30s, 5m (default: `daemon.drainMs` of the config, else 0)',
      parseDrain,
    )
    .action(call(async () => (await import('../operate/worker.ts')).worker))

  addJsonFlag(program.command('workers'))
    .description('list the processes that work on jobs, on all hosts: load, labels, last beat')
    .action(call(async () => (await import('../operate/workers.ts')).workers))
}

function parseTexts(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return [...before, text]
}
