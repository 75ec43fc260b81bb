// The prompt as the model gets it: from the command line and stdin, plain or as stream-json lines.
import { resolve } from 'node:path'
import type { Files } from '../../../core/world.ts'
import type { FileBlock } from '../session-file.ts'
import type { Habits } from '../versions.ts'
import type { Arguments } from './arguments.ts'

export type GivenPrompt =
  | {
      /** As the model gets it. */
      readonly text: string
      /** As the session file keeps it. */
      readonly content: string | readonly FileBlock[]
      /** The part that is searched for /commands and @files. */
      readonly scanned: string
    }
  | { readonly problem: string }

const MAX_STDIN_BYTES = 10 * 1024 * 1024

export function readPrompt(args: Arguments, habits: Habits, stdin: Uint8Array): GivenPrompt {
  if (args.inputFormat === 'text' && stdin.byteLength > MAX_STDIN_BYTES)
    return { problem: 'Error: piped stdin input exceeds 10MB.' }
  const piped = new TextDecoder().decode(stdin)
  if (args.inputFormat === 'stream-json') return readStreamPrompt(piped, habits)
  const text = [args.prompt, piped === '' ? null : piped].filter(part => part !== null).join('\n')
  if (text !== '') return { text, content: text, scanned: text }
  const problem =
    'Error: Input must be provided either through stdin or as a prompt argument when using --print'
  return { problem }
}

/** Files that `@path` in a prompt pulls into it, whatever the tools allowed. */
export async function inlinedFiles(
  text: string,
  cwd: string,
  files: Files,
): Promise<readonly string[]> {
  const names = [...text.matchAll(/(?:^|\s)@([^\s@]+)/g)].map(match => match[1] ?? '')
  const paths = names.map(name => resolve(cwd, name))
  const found = await Promise.all(paths.map(path => files.stat(path)))
  return paths.filter((_, index) => found[index]?.kind === 'file')
}

/** The name of a slash command. A path such as `/a/b` is not one, nor is anything after a blank. */
export function slashCommand(text: string): string | null {
  return /^\/([A-Za-z][\w:-]*)(?:\s|$)/.exec(text)?.[1] ?? null
}

/** Several messages at once become one prompt, as the real program merges what is queued. */
function readStreamPrompt(piped: string, habits: Habits): GivenPrompt {
  const messages: UserLine[] = []
  for (const line of piped.split('\n').filter(part => part.trim() !== '')) {
    const message = parseUserLine(line)
    if (message === null) return { problem: `Error parsing streaming input line: ${line}` }
    if (message.type === 'user') messages.push(message)
  }
  const blocks = messages.flatMap(message => textBlocks(message.message?.content))
  const only = messages.length === 1 ? messages[0]?.message?.content : undefined
  const composed =
    habits.knowsComposed && messages.every(message => message.client_composed === true)
  return {
    text: blocks.filter(text => text.trim() !== '').join('\n'),
    content: typeof only === 'string' ? only : blocks.map(text => ({ type: 'text', text })),
    scanned: composed ? '' : (blocks.at(-1) ?? ''),
  }
}

type UserLine = {
  readonly type?: unknown
  readonly client_composed?: unknown
  readonly message?: { readonly content?: unknown }
}

function textBlocks(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap(block => (typeof block?.text === 'string' ? [block.text] : []))
}

function parseUserLine(line: string): UserLine | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? (value as UserLine | null) : null
  } catch {
    // Reported by the caller with the line.
    return null
  }
}
