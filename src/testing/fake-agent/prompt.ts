// The prompt as the model gets it: from the command line and stdin, plain or as stream-json lines.
import { resolve } from 'node:path'
import type { Files } from '../../core/world.ts'
import type { Arguments } from './arguments.ts'

export type Prompt = { readonly text: string } | { readonly problem: string }

const MAX_STDIN_BYTES = 10 * 1024 * 1024

export function readPrompt(args: Arguments, stdin: Uint8Array): Prompt {
  if (args.inputFormat === 'text' && stdin.byteLength > MAX_STDIN_BYTES)
    return { problem: 'Error: piped stdin input exceeds 10MB.' }
  const piped = new TextDecoder().decode(stdin)
  if (args.inputFormat === 'stream-json') return readStreamPrompt(piped)
  const text = [args.prompt, piped === '' ? null : piped].filter(part => part !== null).join('\n')
  if (text !== '') return { text }
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

/** The name of a slash command; a path such as `/a/b` is none, nor is anything after a blank. */
export function slashCommand(text: string): string | null {
  return /^\/([A-Za-z][\w:-]*)(?:\s|$)/.exec(text)?.[1] ?? null
}

function readStreamPrompt(piped: string): Prompt {
  const texts: string[] = []
  for (const line of piped.split('\n').filter(part => part.trim() !== '')) {
    const message = parseUserLine(line)
    if (message === null) return { problem: `Error parsing streaming input line: ${line}` }
    texts.push(...message)
  }
  return { text: texts.join('\n') }
}

function parseUserLine(line: string): readonly string[] | null {
  try {
    const value = JSON.parse(line) as { type?: unknown; message?: { content?: unknown } }
    if (value.type !== 'user') return []
    const content = value.message?.content
    if (typeof content === 'string') return [content]
    if (!Array.isArray(content)) return []
    return content.flatMap(block => (typeof block?.text === 'string' ? [block.text] : []))
  } catch {
    // Reported by the caller with the line.
    return null
  }
}
