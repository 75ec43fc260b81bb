// Lines from a terminal, as a person types or pastes them.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import { openTerminal } from './terminal.ts'

function world() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const stderr = Object.assign(new PassThrough().resume(), { isTTY: true, columns: 80 })
  return { stdin, terminal: openTerminal({ stdin, stderr } as unknown as Io) }
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
