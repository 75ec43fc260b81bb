// What could stand at the cursor, by the verbs and flags of the program itself. Pure: ids and files are only named by kind.
import type { Argument, Command, Option } from 'commander'
import type { IdKind } from '../../store/sql/recent-ids.ts'

export type Candidate = { readonly value: string; readonly about: string }

export type Candidates = {
  readonly values: readonly Candidate[]
  /** Ids of this kind that begin so. */
  readonly ids: { readonly kind: IdKind; readonly prefix: string } | null
  /** The shell itself lists files or directories. */
  readonly paths: 'files' | 'dirs' | null
}

const NOTHING: Candidates = { values: [], ids: null, paths: null }

/** `words`: those after `reprise` up to the cursor; the last one is being typed and may be empty. */
export function candidatesFor(program: Command, words: readonly string[]): Candidates {
  const typed = joinedAtEquals(words)
  const current = typed.at(-1) ?? ''
  const place = walk(program, typed.slice(0, -1))
  if (place.awaits) return valuesOf(place.awaits, current)
  if (place.isText) return valuesOfArgument(place, current)
  const [name = '', value] = splitAtEquals(current)
  const option = value === null ? undefined : optionNamed(place.command, program, name)
  if (option && value !== null) return withPrefix(`${name}=`, valuesOf(option, value))
  if (current.startsWith('-')) return flagsOf(place.command, program, current)
  if (place.command.commands.length > 0) return verbsOf(place.command, current)
  return valuesOfArgument(place, current)
}

type Place = {
  readonly command: Command
  /** How many arguments stand before the cursor. */
  readonly given: number
  /** The flag whose value comes next. */
  readonly awaits: Option | null
  /** After `--` nothing is a flag. */
  readonly isText: boolean
}

function walk(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, given: 0, awaits: null, isText: false }
  for (const word of words) place = step(place, word, program)
  return place
}

function step(place: Place, word: string, program: Command): Place {
  const { command, given, awaits, isText } = place
  if (awaits) return { ...place, awaits: null }
  if (isText) return { ...place, given: given + 1 }
  if (word === '--') return { ...place, isText: true }
  if (word.startsWith('-') && word !== '-') {
    const [name = '', value] = splitAtEquals(word)
    const option = optionNamed(command, program, name)
    const takesNext = option !== undefined && (option.required || option.optional) && value === null
    return takesNext ? { ...place, awaits: option } : place
  }
  const verb = command.commands.find(one => one.name() === word)
  return verb ? { ...place, command: verb, given: 0 } : { ...place, given: given + 1 }
}

/** Bash splits `--status=run` into three words. */
function joinedAtEquals(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (word !== '=' || index === 0) return [word]
    // `=` alone: the value after it is still empty.
    return index === words.length - 1 ? [''] : []
  })
}

function splitAtEquals(word: string): readonly [string, string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)]
}

function optionNamed(command: Command, program: Command, name: string): Option | undefined {
  return [...command.options, ...program.options].find(
    option => option.long === name || option.short === name,
  )
}

function verbsOf(command: Command, current: string): Candidates {
  const verbs = command.createHelp().visibleCommands(command)
  const all = verbs.map(verb => ({ value: verb.name(), about: verb.description() }))
  return { ...NOTHING, values: startingWith(all, current) }
}

function flagsOf(command: Command, program: Command, current: string): Candidates {
  const own = command.createHelp().visibleOptions(command)
  const all = command === program ? own : [...own, ...program.options.filter(isGlobal)]
  const flags = all.map(option => ({
    value: option.long ?? option.short ?? '',
    about: option.description,
  }))
  return { ...NOTHING, values: startingWith(flags, current) }
}

function isGlobal({ long }: Option): boolean {
  return long !== '--version'
}

function valuesOf(option: Option, current: string): Candidates {
  if (option.argChoices) return choices(option.argChoices, current)
  return byName(FLAG_VALUES[option.long ?? ''], current)
}

function valuesOfArgument({ command, given }: Place, current: string): Candidates {
  const argument = argumentAt(command.registeredArguments, given)
  if (!argument) return NOTHING
  if (argument.argChoices) return choices(argument.argChoices, current)
  return byName(ARGUMENT_VALUES[argument.name()], current)
}

function argumentAt(all: readonly Argument[], at: number): Argument | undefined {
  const last = all.at(-1)
  return all[at] ?? (last?.variadic ? last : undefined)
}

type Source = IdKind | 'files' | 'dirs'

const FLAG_VALUES: Readonly<Record<string, Source>> = {
  '--thread': 'thread',
  '--cwd': 'dirs',
  '--data-dir': 'dirs',
  '--instructions': 'files',
  '--policy': 'files',
  '--settings': 'files',
  '--token-file': 'files',
}

const ARGUMENT_VALUES: Readonly<Record<string, Source>> = {
  thread: 'thread',
  run: 'run',
  job: 'job',
  chain: 'chain',
  session: 'session',
  schedule: 'schedule',
  policy: 'files',
  file: 'files',
}

function byName(source: Source | undefined, current: string): Candidates {
  if (source === undefined) return NOTHING
  if (source === 'files' || source === 'dirs') return { ...NOTHING, paths: source }
  return { ...NOTHING, ids: { kind: source, prefix: current } }
}

function choices(all: readonly string[], current: string): Candidates {
  const values = all.map(value => ({ value, about: '' }))
  return { ...NOTHING, values: startingWith(values, current) }
}

function startingWith(all: readonly Candidate[], current: string): readonly Candidate[] {
  return all.filter(({ value }) => value.startsWith(current))
}

/** A shell that does not split at `=` replaces the whole word. */
function withPrefix(prefix: string, { values, paths }: Candidates): Candidates {
  const whole = values.map(({ value, about }) => ({ value: `${prefix}${value}`, about }))
  return { values: whole, ids: null, paths }
}
