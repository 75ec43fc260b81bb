// Changes of a thread between its turns, each checked against what the thread said before.
import { expect } from 'vitest'
import type { Thread } from '../../../src/api.ts'
import { fromEnd } from './commands.ts'

export async function editMessage(
  thread: Thread,
  pick: number,
  words: () => string,
): Promise<void> {
  const { messages } = await thread.show()
  const message = fromEnd(messages, pick)
  if (!message) return
  const edited = await thread.edit(message.id, words())
  const after = (await thread.show()).messages.map(({ id }) => id)
  expect(after).toEqual(messages.map(({ id }) => (id === message.id ? edited.id : id)))
}

export async function truncateThread(thread: Thread, pick: number): Promise<void> {
  const { messages } = await thread.show()
  const message = fromEnd(messages, pick)
  if (!message) return
  await thread.truncate(message.id)
  expect((await thread.show()).messages).toEqual(messages.slice(0, messages.indexOf(message)))
}

export async function forkThread(thread: Thread, pick: number): Promise<Thread> {
  const { messages } = await thread.show()
  const message = fromEnd(messages, pick)
  const forked = await thread.fork(message ? { at: message.id } : {})
  const kept = message ? messages.slice(0, messages.indexOf(message) + 1) : []
  const copied = (await forked.show()).messages
  expect(copied.map(({ hash }) => hash)).toEqual(kept.map(({ hash }) => hash))
  return forked
}
