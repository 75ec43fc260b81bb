// What Tab completes in a chat: commands at the beginning of a line, and names of files.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CHAT_HELP } from './command.ts'

/** What a reader of lines wants: the candidates, and the part of the line that they replace. */
export type Completed = readonly [candidates: readonly string[], part: string]

const COMMANDS: readonly string[] = CHAT_HELP.map(([usage]) => /^\/\w+/.exec(usage)?.[0] ?? '')
  .concat('/help')
  .filter((command, index, all) => command !== '' && all.indexOf(command) === index)
const MOST = 100

export function completed(line: string, workDir: string): Completed {
  if (/^\/\w*$/.test(line)) {
    const fitting = COMMANDS.filter(command => command.startsWith(line))
    // A path such as /etc begins like a command.
    return fitting.length > 0 ? [fitting.map(command => `${command} `), line] : files(line, workDir)
  }
  const word = /\S*$/.exec(line)?.[0] ?? ''
  return word === '' ? [[], ''] : files(word, workDir)
}

/** `@src/ma` is a file with the mark that agents know. */
function files(word: string, workDir: string): Completed {
  const mark = word.startsWith('@') ? '@' : ''
  const path = word.slice(mark.length)
  const at = path.lastIndexOf('/') + 1
  const [directory, beginning] = [path.slice(0, at), path.slice(at)]
  const candidates = entriesOf(resolve(workDir, directory))
    .filter(({ name }) => name.startsWith(beginning))
    .filter(({ name }) => beginning.startsWith('.') || !name.startsWith('.'))
    .slice(0, MOST)
    .map(({ name, isDirectory }) => `${mark}${join(directory, name)}${isDirectory ? '/' : ''}`)
    .map(candidate =>
      directory.startsWith('./') ? candidate.replace(mark, `${mark}./`) : candidate,
    )
  return [candidates, word]
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .map(entry => ({ name: entry.name, isDirectory: entry.isDirectory() }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return [] // There is no such directory, so there is nothing to complete.
  }
}
