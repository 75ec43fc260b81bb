// The verbs that explain, report and keep, with their flags: why, agents, savings, backup, verify.
import { type Command, Option } from 'commander'
import { addJsonFlag, parseSince } from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addReportVerbs(program: Command, call: VerbCall): void {
  addJsonFlag(program.command('why'))
    .description('explain why a run continued the way it did: every guard with the fact it saw')
    .argument('<run>', 'id of the run')
    .option(
      '--settings <file>',
      'decide again with the resume settings in this file (YAML or JSON)',
    )
    .action(call(async () => (await import('../verbs/why.ts')).why))

  addJsonFlag(program.command('agents'))
    .description(
      'list the agents of the config with version, abilities and quirks in force; exit 2 when none can be used',
    )
    .action(call(async () => (await import('../verbs/agents.ts')).agents))

  addJsonFlag(program.command('savings'))
    .description('compare measured tokens and cost with the estimate of cold starts')
    .addOption(
      new Option('--by <what>', 'what each row sums up')
        .choices(['day', 'thread', 'agent'])
        .default('day'),
    )
    .option('--since <time>', 'only runs from then on: 7d, 12h, or a date (2026-01-31)', parseSince)
    .action(call(async () => (await import('../verbs/savings.ts')).savings))

  addJsonFlag(program.command('backup'))
    .description(
      'write the store and the session copies to a tar file, also while the daemon works; it never replaces a file',
    )
    .argument('<file>', 'the file; one that ends in .gz or .tgz is compressed')
    .action(call(async () => (await import('../operate/backup.ts')).backup))

  addJsonFlag(program.command('verify'))
    .description('check the invariants of the store; exit 70 when one is broken')
    .action(call(async () => (await import('../operate/verify.ts')).verify))
}
