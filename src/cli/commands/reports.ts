// The verbs that explain, report and keep, with their flags: why, agents, savings, backup, store, verify.
import { type Command, Option } from 'commander'
import { addJsonFlag, type JsonFlag, parseSince } from '../flags/flags.ts'
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
      'list the agents that Reprise knows with version, abilities and quirks in force, and how to get them; exit 2 when none of the config can be used',
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

  const store = program.command('store').description('the store as a whole')

  addJsonFlag(store.command('copy'))
    .description(
      'copy a store that nobody uses, with its session copies, between SQLite and PostgreSQL, and check that both are equal; a copy that was broken off goes on',
    )
    .argument('<from>', 'a data directory, a SQLite file, or a postgres:// URL')
    .argument('<to>', 'the same; it must be empty')
    .action(
      call(async () => {
        const { copyStores } = await import('../operate/store-copy.ts')
        return (io, from: string, to: string, flags: JsonFlag) =>
          copyStores(io, { from, to }, flags)
      }),
    )

  addJsonFlag(program.command('verify'))
    .description('check the invariants of the store; exit 70 when one is broken')
    .action(call(async () => (await import('../operate/verify.ts')).verify))
}
