// The fake agent as an executable file, for settings that name the path of a program.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type JournalEntry, parseJournal } from './journal.ts'
import type { FakeScript } from './script.ts'

/**
 * Writes the program `fake-claude` into a directory and returns its absolute path. Its environment decides what it does:
 * `FAKE_AGENT_SCRIPT` names its script, `FAKE_AGENT_JOURNAL` the file in which it writes what it got.
 *
 * @example
 * ```ts
 * const executable = await fakeAgentExecutable(directory)
 * const script = await writeFakeScript(`${directory}/script.json`, [
 *   { when: 'weather', do: [{ type: 'text', text: 'It rains.' }] },
 * ])
 * const agents = [claudeCode({ executable, env: { FAKE_AGENT_SCRIPT: script } })]
 * ```
 */
export async function fakeAgentExecutable(
  directory: string,
  options: {
    readonly name?: string
    readonly version?: string
    /** The program to start; by default the one beside this file. */
    readonly program?: string
  } = {},
): Promise<string> {
  await mkdir(directory, { recursive: true })
  const path = resolve(directory, options.name ?? 'fake-claude')
  const isSource = import.meta.url.endsWith('.ts')
  const beside = new URL(isSource ? './main.ts' : './main.cjs', import.meta.url)
  const program = options.program ?? fileURLToPath(beside)
  const version =
    options.version === undefined
      ? []
      : [`export FAKE_AGENT_VERSION="\${FAKE_AGENT_VERSION:-${options.version}}"`]
  const call = `exec ${quote(process.execPath)} ${quote(program)} "$@"`
  await writeFile(path, ['#!/bin/sh', ...version, call, ''].join('\n'))
  await chmod(path, 0o755)
  return path
}

/** The version that `fakeAgentExecutable` wrote into a program; `null` when there is none. */
export function versionInExecutable(content: string): string | null {
  return (
    /^export FAKE_AGENT_VERSION="\$\{FAKE_AGENT_VERSION:-([^}]+)\}"$/m.exec(content)?.[1] ?? null
  )
}

/** Writes a script to a file for `FAKE_AGENT_SCRIPT`, and returns its absolute path. */
export async function writeFakeScript(path: string, script: FakeScript): Promise<string> {
  await writeFile(path, JSON.stringify(script))
  return resolve(path)
}

/** Reads the file that `FAKE_AGENT_JOURNAL` names. The result is empty before the first run. */
export async function readJournal(path: string): Promise<readonly JournalEntry[]> {
  try {
    return parseJournal(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
