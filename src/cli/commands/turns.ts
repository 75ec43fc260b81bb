// The verbs that talk to an agent, with their flags.
import type { Command } from 'commander'
import { addTurnFlags } from '../flags/flags.ts'
import { addRepositoryFlags } from '../flags/place-flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addTurnVerbs(program: Command, call: VerbCall): void {
  addRepositoryFlags(addTurnFlags(program.command('send')))
    .description(
      'send a prompt and print the answer; starts a new thread unless -t or -c names one',
    )
    .argument(
      '[prompt]',
      'the prompt; what is piped in follows it (`< /dev/null`: nothing); `-`, or nothing in a pipe, reads all of it from stdin',
    )
    .option('-t, --thread <id>', 'the thread to continue')
    .option('-c, --continue', 'continue the latest thread of this directory')
    .option('--title <text>', 'title of a new thread')
    .option('--preview', 'only say what the turn would do and cost; needs -t, and sends nothing')
    .action(call(async () => (await import('../verbs/send.ts')).send))

  addTurnFlags(program.command('chat'))
    .description('talk to the agent in the terminal; type /help there for the commands')
    .option('-t, --thread <id>', 'the thread to continue')
    .option('-c, --continue', 'continue the latest thread of this directory')
    .option(
      '--no-warm',
      'start a process for each turn: none is kept, and none starts while you type',
    )
    .action(call(async () => (await import('../chat/chat.ts')).chat))

  program
    .command('claude')
    .description(
      'run the real `claude` with these arguments for a program or a script, with the same output and exit code; Reprise adds record, copy, lease and rescue',
    )
    .argument('[arguments...]', 'arguments of `claude`, all of them')
    .usage('[arguments...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(call(async () => (await import('../drop-in/claude.ts')).claudeVerb))
}
