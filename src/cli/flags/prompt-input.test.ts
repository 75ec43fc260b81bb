import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import { promptWithInput } from './prompt-input.ts'

const io = (text: string, isPiped: boolean) =>
  ({
    stdin: Readable.from([text]),
    stderr: { write: () => {} },
    isStdinPiped: () => isPiped,
  }) as unknown as Io

test.each([
  ['a prompt, then what was piped in', 'explain', '+ one line\n', true, 'explain\n\n+ one line\n'],
  ['a prompt alone when the pipe was empty', 'explain', ' \n', true, 'explain'],
  ['a prompt alone when stdin is a socket or a terminal', 'explain', 'typed', false, 'explain'],
  ['stdin alone for `-`', '-', 'all of it', true, 'all of it'],
  ['stdin alone without an argument', undefined, 'all of it', false, 'all of it'],
])('U-1 gives %s', async (_, argument, text, isPiped, expected) => {
  expect(await promptWithInput(io(text, isPiped), argument)).toBe(expected)
})
