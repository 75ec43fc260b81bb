// How long it takes to judge shell lines that are made to take long.
import { expect, test } from 'vitest'
import { fenceOf, outsideOf } from '../core/fence/fence.ts'
import { readShell } from './read-shell.ts'

const facts = { harmless: [], aliases: [], shells: ['Bash'], readShell }
const bash = (command: string) => ({ name: 'Bash', input: JSON.stringify({ command }) })

/** Each shape is repeated; the time may not grow faster than its length. */
const GROWING: readonly (readonly [string, string])[] = [
  ['commands', 'a;'],
  ['substitutions', '$('],
  ['braces', '{a,'],
  ['groups', '{ '],
  ['backticks', '`a` '],
  ['here-documents', '<<A '],
  ['quotes', '"a" '],
  ['spaces', ' '],
  ['wrappers', 'nice '],
  ['options of wrappers', 'sudo -x y '],
  ['scripts', 'eval '],
  ['finds', 'find -exec '],
  ['arithmetic', '$((1+'],
  ['numbers', 'a=1;((a++));'],
  ['chains of numbers', 'a=1 && '],
  ['globs', 'a*a'],
  ['flags', '--o '],
  ['backslashes', '\\'],
]

test.each(GROWING)('E-5 U-3 the time to judge %s grows no faster than the line', (_, piece) => {
  const tier = fenceOf(
    {
      allowedTools: ['Bash(git diff:*)', 'Bash(a*a*a*b)'],
      disallowedTools: ['Bash(x*y*z*w)', 'Bash(rm -rf:*)'],
    },
    facts,
  )
  const timed = (chars: number) => {
    const line = `git diff ${piece.repeat(Math.ceil(chars / piece.length))}`
    const runs = Array.from({ length: 3 }, () => {
      // The CPU time of this thread alone: other programs on the machine do not count.
      const before = process.threadCpuUsage()
      outsideOf(tier, bash(line))
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
    return Math.min(...runs)
  }
  timed(1_000)
  // Eight times as long may take eight times as long, and as much again; under 100 ms nobody waits.
  expect(timed(15_900)).toBeLessThan(Math.max(100, 16 * timed(1_987)))
})
