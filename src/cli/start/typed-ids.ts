// Finds the ids among the arguments and flags of a verb, by the names that the verb gave them.
import type { Command } from 'commander'
import type { GivenId } from '../../complete-id.ts'
import type { IdSubject } from '../../core/id-kind.ts'
import { completeIds, isIdKind } from '../open/resolve-ids.ts'
import type { Io } from './io.ts'

/** Where an id was typed, and how it is put back. */
type Slot = GivenId & { readonly put: (id: string) => void }

/**
 * Gives the arguments of a verb with whole ids. An argument that is named after what has an id (`<run>`) is an id, and so is
 * a flag of such a name that takes an `<id>` (`--thread <id>`). A flag `--cursor <id>` is an id of what its group lists.
 */
export async function withWholeIds<Input extends readonly unknown[]>(
  io: Io,
  command: Command,
  input: Input,
): Promise<Input> {
  const values: unknown[] = [...input]
  const slots = [...argumentSlots(command, values), ...flagSlots(command, values)]
  if (slots.length === 0) return input
  const ids = await completeIds(io, slots)
  slots.forEach(({ put }, index) => {
    put(ids[index] ?? '')
  })
  // The same arguments in the same places; only texts of ids are longer.
  return values as unknown as Input
}

function argumentSlots(command: Command, values: unknown[]): readonly Slot[] {
  return command.registeredArguments.flatMap((argument, at) => {
    const kinds =
      KINDS_OF_ARGUMENT[`${command.name()} ${argument.name()}`] ?? kindNamed(argument.name())
    const text = values[at]
    if (typeof text !== 'string' || kinds.length === 0) return []
    const put = (id: string) => {
      values[at] = id
    }
    return [{ text, kinds, put }]
  })
}

/** Arguments that are named otherwise, or that take ids of two kinds. */
const KINDS_OF_ARGUMENT: Readonly<Record<string, readonly IdSubject[]>> = {
  'show chain': ['chain', 'run'],
  // `findMessage` finds these on the branch, where a position is an answer too.
  'edit message': [],
  'retry message': [],
  'truncate message': [],
}

function kindNamed(name: string): readonly IdSubject[] {
  return isIdKind(name) ? [name] : []
}

function flagSlots(command: Command, values: unknown[]): readonly Slot[] {
  const at = command.registeredArguments.length
  const flags = values[at]
  if (typeof flags !== 'object' || flags === null) return []
  const whole: Record<string, unknown> = { ...flags }
  values[at] = whole
  return command.options.flatMap(option => {
    const name = option.attributeName()
    const text = whole[name]
    if (typeof text !== 'string' || !option.flags.includes('<id>')) return []
    const kinds = name === 'cursor' ? listedBy(command) : kindNamed(name)
    const put = (id: string) => {
      whole[name] = id
    }
    return kinds.length === 0 ? [] : [{ text, kinds, put }]
  })
}

/** `reprise runs ls` lists runs. */
function listedBy(command: Command): readonly IdSubject[] {
  return kindNamed((command.parent?.name() ?? '').replace(/s$/, ''))
}
