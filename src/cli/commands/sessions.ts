// The verbs of sessions, with their flags.
import type { Command } from 'commander'
import { addJsonFlag, parseLimit, parseSince } from '../flags/flags.ts'
import { addExportFlags, addImportFlags } from '../flags/thread-file-flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addSessionVerbs(program: Command, call: VerbCall): void {
  const sessions = program
    .command('sessions')
    .description("the agents' own conversations, as Reprise knows them: list, show, archive, check")
  const verbs = () => import('../verbs/sessions.ts')

  addJsonFlag(sessions.command('ls'))
    .description('list sessions, latest first (what `reprise sessions` does)')
    .option('-t, --thread <id>', 'only sessions of this thread')
    .option('-a, --agent <name>', 'only sessions of this agent')
    .option(
      '--since <time>',
      'only sessions that were used since then: 2h, 7d, 2026-01-31',
      parseSince,
    )
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the sessions after this one')
    .action(call(async () => (await verbs()).listSessions))

  addJsonFlag(sessions.command('show'))
    .description(
      'show a session: pointer, state, file, our copy, what the next turn pays for a cold cache',
    )
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).showSession))

  addJsonFlag(sessions.command('archive'))
    .description('write a session to files in `agent-sessions` of the data directory')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).sessionsArchive))

  addJsonFlag(sessions.command('unarchive'))
    .description('take an archived session back into use; the files that were written stay')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).sessionsUnarchive))

  const files = () => import('../thread-files/thread-files.ts')

  addExportFlags(sessions.command('export'))
    .description('write a session as one signed file, with the thread that it belongs to')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await files()).sessionsExport))

  addImportFlags(sessions.command('import'))
    .description('take in such a file; does the same as `reprise threads import`')
    .action(call(async () => (await files()).threadsImport))

  addJsonFlag(sessions.command('doctor').alias('verify'))
    .description(
      'check the files of all sessions in use (exit 1 when one is lost and has no copy), or say what is wrong with one',
    )
    .argument('[session]', 'our id of it')
    .option(
      '--repair',
      'make a repaired copy under a new id and resume it on the agent without a prompt, to prove it; the file itself stays as it is',
    )
    .action(call(async () => (await import('../verbs/sessions-doctor.ts')).sessionsDoctor))
}
