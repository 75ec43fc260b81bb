// Lines from a terminal, as a person types or pastes them.
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { Io } from '../start/io.ts'
import { openTerminal } from './terminal.ts'

function world() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const stderr = Object.assign(new PassThrough().resume(), { isTTY: true, columns: 80 })
  const io = { stdin, stderr } as unknown as Io
  let begun = 0
  const help = {
    begun: () => {
      begun += 1
    },
    history: { latestFirst: () => [], add: () => {} },
    complete: () => [[], ''] as [string[], string],
  }
  return { stdin, terminal: openTerminal(io, help), begun: () => begun }
}

test('U-1 what is pasted is one message, with all its lines', async () => {
  const { stdin, terminal } = world()
  stdin.write('one\ntwo\nthree\n')
  expect(await terminal.ask('you ▸ ')).toEqual({ kind: 'line', text: 'one\ntwo\nthree' })
  stdin.write('four\r')
  expect(await terminal.ask('you ▸ ')).toEqual({ kind: 'line', text: 'four' })
})

test('U-1 what stands after the last line break of a paste belongs to it, until Enter', async () => {
  const { stdin, terminal } = world()
  stdin.write('one\ntwo')
  stdin.write(' and more\r')
  expect(await terminal.ask('you ▸ ')).toEqual({ kind: 'line', text: 'one\ntwo and more' })
})

test.each([
  ['hello', 1],
  ['/quit', 0],
  ['', 0],
])('W-1 it says once that a message is begun: %j', async (text, times) => {
  const { stdin, terminal, begun } = world()
  const typed = terminal.askMessage('you ▸ ')
  await new Promise(setImmediate)
  for (const key of text) stdin.write(key)
  await new Promise(setImmediate)
  if (text !== '') await vi.waitFor(() => expect(begun()).toBe(times))
  stdin.write('\r')
  expect(await typed).toEqual({ kind: 'line', text })
  expect(begun()).toBe(times)
})
