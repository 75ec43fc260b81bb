// Parses a line of a chat: a message to the agent, or a command to Reprise.

export type ChatCommand =
  | { readonly do: 'send'; readonly text: string }
  | { readonly do: 'edit'; readonly message: string; readonly text: string }
  | { readonly do: 'retry'; readonly message: string | null; readonly text: string | null }
  | { readonly do: 'fork'; readonly message: string | null }
  | { readonly do: 'fresh' | 'why' | 'cost' | 'show' | 'help' | 'quit' | 'nothing' }
  | { readonly do: 'complain'; readonly about: string }

export const CHAT_HELP: readonly (readonly [string, string])[] = [
  ['/fresh', 'the next message starts a fresh session, with the conversation so far'],
  ['/edit N TEXT', 'change message N in place; later ones stay'],
  [
    '/retry [N] [TEXT]',
    'drop message N (default: the last prompt) and all later ones, and ask again',
  ],
  ['/fork [N]', 'continue in a new thread with the messages up to N'],
  ['/why', 'why the last turn continued the way it did'],
  ['/cost', 'what this thread has cost, and saved'],
  ['/show', 'the thread with the numbers of its messages'],
  ['/quit', 'leave; so does Ctrl-D. The thread stays'],
  ['//TEXT', 'a message that begins with a slash'],
  ['…\\', 'a backslash at the end of a line: the message continues on the next line'],
]

const WORDS = ['fresh', 'why', 'cost', 'show', 'help', 'quit'] as const

export function parseChatLine(line: string): ChatCommand {
  if (line.startsWith('//')) return { do: 'send', text: line.slice(1) }
  if (!line.startsWith('/'))
    return line.trim() === '' ? { do: 'nothing' } : { do: 'send', text: line }
  const [, word = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? []
  const plain = WORDS.find(known => known === word)
  if (plain) return { do: plain }
  if (word === 'exit') return { do: 'quit' }
  if (word === 'edit') return editOf(rest)
  if (word === 'retry') return { do: 'retry', ...numbered(rest) }
  if (word === 'fork') return { do: 'fork', message: rest.trim() || null }
  return { do: 'complain', about: `there is no /${word} here` }
}

function editOf(rest: string): ChatCommand {
  const [, message = '', text = ''] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  if (text.trim() === '') return { do: 'complain', about: '/edit needs a number and the new text' }
  return { do: 'edit', message, text }
}

/** If the first word is a number or an id, it names the message; the rest is text. */
function numbered(rest: string): { readonly message: string | null; readonly text: string | null } {
  const [, message, text = ''] = /^(#?\d+|msg_\w+)(?:\s+([\s\S]*))?$/.exec(rest.trim()) ?? []
  const words = message === undefined ? rest.trim() : text
  return { message: message ?? null, text: words || null }
}
