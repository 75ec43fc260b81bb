import type { Command } from 'commander'
import { parse } from 'unbash'
import { describe, expect, test } from 'vitest'
import { EXAMPLES, FIRST_EXAMPLES } from '../commands/examples.ts'
import { examplesOf, VERB_GROUPS } from './help.ts'
import { buildProgram } from './program.ts'

function leavesOf(command: Command, name = ''): readonly string[] {
  if (command.commands.length === 0) return [name]
  return command.commands.flatMap(verb => leavesOf(verb, `${name} ${verb.name()}`.trim()))
}

const verbs = leavesOf(buildProgram())

test('every verb stands in one group of the help', () => {
  const grouped = Object.values(VERB_GROUPS).flat()
  const names = buildProgram().commands.map(verb => verb.name())
  expect(names.filter(name => !grouped.includes(name))).toEqual([])
  expect(new Set(grouped).size).toBe(grouped.length)
})

test('every verb has an example, and there is none for a verb that is gone', () => {
  expect(verbs.filter(verb => examplesOf(verb).length === 0)).toEqual([])
  expect(Object.keys(EXAMPLES).filter(name => !verbs.includes(name))).toEqual([])
})

/** The words of each `reprise …` in a shell line. */
function callsIn(line: string): readonly (readonly string[])[] {
  const found: string[][] = []
  const look = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    if ('name' in node && isWord(node.name) && node.name.value === 'reprise') {
      const rest = 'suffix' in node && Array.isArray(node.suffix) ? node.suffix : []
      found.push(rest.filter(isWord).map(({ value }) => value))
    }
    for (const inner of Object.values(node)) look(inner)
  }
  look(parse(line))
  // The parser leaves a process substitution as text.
  const [, inner] = /<\((.*)\)/.exec(line) ?? []
  return inner === undefined ? found : [...found, ...callsIn(inner)]
}

function isWord(node: unknown): node is { readonly value: string } {
  return (
    node !== null && typeof node === 'object' && 'value' in node && typeof node.value === 'string'
  )
}

describe('examples', () => {
  const all = [...FIRST_EXAMPLES, ...Object.values(EXAMPLES).flat()]
  test.each(all.map(([line]) => line))('%s is a command of the CLI', async line => {
    for (const words of callsIn(line)) {
      await buildProgram().parseAsync(withVerb(words), { from: 'user' })
    }
  })

  test('a wrong example would be found', async () => {
    await expect(buildProgram().parseAsync(['send', '--fly'], { from: 'user' })).rejects.toThrow()
    expect(callsIn('source <(reprise completion bash)')).toEqual([['completion', 'bash']])
  })
})

/** `reprise jobs --status dead` means `reprise jobs ls …`, which run-cli.ts puts in. */
function withVerb([first = '', ...rest]: readonly string[]): string[] {
  const group = buildProgram().commands.find(verb => verb.name() === first)
  const isAlone = rest[0] === undefined || rest[0].startsWith('-')
  return group && group.commands.length > 0 && isAlone ? [first, 'ls', ...rest] : [first, ...rest]
}
