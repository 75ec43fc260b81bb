// Finds a message of a thread by its id, a unique beginning of the id, or its position (`3` or `#3`, counted from 1).
import type { Message } from '../../core/conversation/messages.ts'
import { RepriseError } from '../../errors.ts'

export function findMessage(messages: readonly Message[], reference: string): Message {
  const position = /^#?(\d{1,9})$/.exec(reference)?.[1]
  if (position !== undefined) return atPosition(messages, Number(position))
  const matches = messages.filter(message => message.id.startsWith(reference))
  const exact = matches.find(message => message.id === reference)
  const [first, second] = matches
  if (exact) return exact
  if (reference !== '' && first && !second) return first
  if (reference !== '' && first) {
    throw new RepriseError(
      'bad-input',
      `\`${reference}\` is the beginning of more than one id: ${candidatesOf(matches)}`,
      'Give more letters of the id, or the position of the message.',
    )
  }
  throw new RepriseError(
    'not-found',
    `there is no message \`${reference}\` on this branch`,
    'see `reprise threads show` for the messages and their ids',
  )
}

const WHOLE_ID = /^msg_[a-z0-9]{16}$/

/** For a retry. The prompt of a turn that never ran is on no branch: its whole id is taken as it is. */
export function retriedMessage(messages: readonly Message[], reference: string): string {
  if (WHOLE_ID.test(reference)) return reference
  return findMessage(messages, reference).id
}

const MOST_SHOWN = 10

function candidatesOf(matches: readonly Message[]): string {
  const shown = matches.slice(0, MOST_SHOWN).map(({ id }) => id)
  return [...shown, ...(matches.length > MOST_SHOWN ? ['…'] : [])].join(', ')
}

function atPosition(messages: readonly Message[], position: number): Message {
  const message = messages[position - 1]
  if (message) return message
  throw new RepriseError(
    'not-found',
    `there is no message #${position}: the branch has ${messages.length}`,
    'see `reprise threads show` for the messages and their positions',
  )
}
