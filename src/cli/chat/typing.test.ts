import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { Io } from '../start/io.ts'
import { inputRow, listenToTyping } from './typing.ts'

function typing(draft = '') {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const queue: string[] = []
  const on = { interrupted: vi.fn(), ended: vi.fn(), changed: vi.fn() }
  const io = { stdin, stderr: { columns: 40 } } as unknown as Io
  const complete = (line: string) => [['/fresh '], line] as const
  const listening = listenToTyping(
    io,
    { draft, history: ['earlier'], complete },
    { ...on, queued: () => queue, enqueue: text => void queue.push(text) },
  )
  return { stdin, queue, on, listening }
}

test('what is typed stands in a row of its own; Enter queues it, and pasted lines are one message', async () => {
  const { stdin, queue, listening } = typing('dra')
  stdin.write('ft')
  await vi.waitFor(() => expect(listening.rows()).toEqual([{ text: 'you ▸ draft', cursor: 11 }]))
  stdin.write('\r')
  await vi.waitFor(() => expect(queue).toEqual(['draft']))
  expect(listening.rows()[0]).toEqual({ text: 'queued ▸ draft', look: 'dim' })
  stdin.write('one\rtwo\r')
  await vi.waitFor(() => expect(queue).toEqual(['draft', 'one\ntwo']))
  expect(listening.stop()).toBe('')
})

test('Tab, arrows and Ctrl-C work as at the prompt; the line that was not finished is kept', async () => {
  const { stdin, on, listening } = typing()
  stdin.write('/fr\t')
  await vi.waitFor(() => expect(listening.rows().at(-1)?.text).toBe('you ▸ /fresh '))
  stdin.write('\x15')
  stdin.write('\x1b[A')
  await vi.waitFor(() => expect(listening.rows().at(-1)?.text).toBe('you ▸ earlier'))
  stdin.write('\x03')
  await vi.waitFor(() => expect(on.interrupted).toHaveBeenCalledTimes(1))
  expect(listening.stop()).toBe('earlier')
  expect(on.ended).not.toHaveBeenCalled()
})

test('Ctrl-D on an empty line asks to leave after the answer', async () => {
  const { stdin, on, listening } = typing()
  stdin.write('\x04')
  await vi.waitFor(() => expect(on.ended).toHaveBeenCalledTimes(1))
  listening.stop()
})

test('a long line is shown around its cursor', () => {
  expect(inputRow('abc', 1, 40)).toEqual({ text: 'you ▸ abc', cursor: 7 })
  const { text, cursor } = inputRow('0123456789', 10, 12)
  expect([text, cursor]).toEqual(['you ▸ 56789', 11])
})
