// `--help`: verbs in groups, examples below, and `reprise help VERB`.
import type { Command } from 'commander'
import { RepriseError } from '../../errors.ts'
import { EXAMPLES, type Example, FIRST_EXAMPLES } from '../commands/examples.ts'
import { printJson } from '../view/print.ts'
import type { Io } from './io.ts'

/** The groups of verbs, in the order of the help. */
export const VERB_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Talk to an agent:': ['send', 'chat', 'claude', 'threads', 'runs', 'why'],
  'Work that gets done by itself:': ['jobs', 'escalate', 'chains', 'schedules', 'policies'],
  'Look around:': ['agents', 'sessions', 'savings'],
  'The daemon:': ['serve', 'worker', 'workers', 'status', 'stop', 'logs', 'login', 'token'],
  'This installation:': [
    'config',
    'doctor',
    'verify',
    'backup',
    'store',
    'completion',
    'demo',
    'help',
  ],
}

export function examplesOf(name: string): readonly Example[] {
  return name === '' ? FIRST_EXAMPLES : (EXAMPLES[name] ?? [])
}

export function addHelp(program: Command): void {
  for (const [heading, names] of Object.entries(VERB_GROUPS)) {
    for (const verb of program.commands) if (names.includes(verb.name())) verb.helpGroup(heading)
  }
  addExamples(program, '')
  program.addHelpText('after', '\nMore about a verb: reprise help VERB\n')
}

function addExamples(command: Command, name: string): void {
  for (const inner of command.commands) addExamples(inner, `${name} ${inner.name()}`.trim())
  // A group shows the first example of each of its verbs.
  const own = examplesOf(name)
  const inner = command.commands.flatMap(verb => examplesOf(`${name} ${verb.name()}`).slice(0, 1))
  const examples = own.length > 0 ? own : inner
  if (examples.length === 0) return
  const lines = examples.map(([text, words]) => `  ${text}\n      ${words}\n`)
  command.addHelpText('after', `\nExamples:\n${lines.join('')}`)
}

/** `reprise help jobs submit`. */
function verbNamed(program: Command, words: readonly string[]): Command {
  let found = program
  for (const [index, word] of words.entries()) {
    const next = found.commands.find(verb => verb.name() === word)
    if (!next) {
      const name = words.slice(0, index + 1).join(' ')
      const hint = 'Run `reprise help` to see all verbs.'
      throw new RepriseError('bad-input', `there is no verb \`${name}\``, hint)
    }
    found = next
  }
  return found
}

export type HelpRequest = { readonly words: readonly string[]; readonly json?: true }

export function printHelp(io: Io, program: Command, { words, json }: HelpRequest): void {
  const verb = verbNamed(program, words)
  if (json) printJson(io, described(verb, words.join(' ')))
  else verb.outputHelp()
}

function described(command: Command, name: string) {
  return {
    name: ['reprise', name].join(' ').trim(),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map(argument => ({
      name: argument.name(),
      required: argument.required,
      description: argument.description,
    })),
    options: command.options.map(({ flags, description }) => ({ flags, description })),
    verbs: command.commands.map(verb => ({ name: verb.name(), description: verb.description() })),
    examples: examplesOf(name).map(([text, words]) => ({ command: text, description: words })),
  }
}
