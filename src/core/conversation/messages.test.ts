import { describe, expect, test } from 'vitest'
import { relate } from '../decide/history.ts'
import type { Message } from './messages.ts'
import { charsIn, hashOf, userMessage, viewOf } from './messages.ts'

let count = 0
function message(agent: string | null, text: string): Message {
  const role = agent ? 'assistant' : 'user'
  const content = { role, agent, text } as const
  count += 1
  const rest = { tools: [], interrupted: false, runId: null, createdAt: count }
  return { ...content, ...rest, id: `msg_${count}`, hash: hashOf(content) }
}
const user = (text: string) => message(null, text)
const claude = (text: string) => message('claude', text)
const codex = (text: string) => message('codex', text)
const seenBy = (messages: readonly Message[]) =>
  messages.map(({ hash, role, id }) => ({
    hash,
    anchor: role === 'assistant' ? `at-${id}` : null,
    isPart: false,
  }))

test('D-4 a message is known by role, agent and text, not by its id', () => {
  expect(user('continue').hash).toBe(user('continue').hash)
  expect(user('a').hash).not.toBe(claude('a').hash)
  expect(claude('a').hash).not.toBe(codex('a').hash)
})

test('D-4 a message of a user has no tools, and half a character in it becomes a sign of its own', () => {
  const said = { id: 'msg_1', text: 'a\uD800', runId: null, createdAt: 7 }
  const content = { role: 'user', agent: null, text: 'a\uFFFD' } as const
  expect(userMessage(said)).toEqual({
    ...said,
    ...content,
    tools: [],
    interrupted: false,
    hash: hashOf(content),
  })
})

describe('D-5 views', () => {
  const branch = [user('1'), claude('2'), user('3'), codex('4'), user('5'), claude('6')]
  test('`all` shows everything to everyone', () => {
    expect(viewOf(branch, 'all', 'claude')).toEqual(branch)
  })
  test('`own` starts after the latest turn of a different agent', () => {
    expect(viewOf(branch, 'own', 'claude').map(({ text }) => text)).toEqual(['5', '6'])
    expect(viewOf(branch, 'own', 'codex')).toEqual([])
  })
  test('T-5 editing a foreign turn that stays the boundary changes nothing for the agent', () => {
    const edited = branch.with(3, codex('4, edited'))
    expect(viewOf(edited, 'own', 'claude')).toEqual(viewOf(branch, 'own', 'claude'))
  })
  test('T-5 truncating at the boundary takes the shared history away', () => {
    const seen = seenBy(viewOf(branch, 'own', 'claude'))
    const truncated = viewOf(branch.slice(0, 3), 'own', 'claude')
    expect(relate(truncated, seen)).toMatchObject({ kind: 'diverged', shared: 0, fork: null })
  })
})

describe('D-4 relate', () => {
  const [a, b, c, d] = [user('1'), claude('2'), user('3'), claude('4')]
  const seen = seenBy([a, b, c, d])
  test('same', () => {
    expect(relate([a, b, c, d], seen)).toEqual({ kind: 'same', shared: 4 })
  })
  test('T-2 a session that missed messages is behind', () => {
    expect(relate([a, b, c, d, user('5'), codex('6')], seen)).toEqual({ kind: 'behind', shared: 4 })
  })
  test('T-4 an edit of any earlier message is seen, and the fork point is the last shared answer', () => {
    const fork = { shared: 2, anchor: `at-${b.id}` }
    expect(relate([a, b, user('3!'), d], seen)).toEqual({
      kind: 'diverged',
      shared: 2,
      seen: 4,
      fork,
    })
    expect(relate([a, b, c, claude('4!')], seen)).toEqual({
      kind: 'diverged',
      shared: 3,
      seen: 4,
      fork,
    })
    expect(relate([user('1!'), b, c, d], seen)).toMatchObject({ shared: 0, fork: null })
  })
  test('T-4 truncation leaves a session that knows too much', () => {
    expect(relate([a, b], seen)).toMatchObject({ kind: 'diverged', shared: 2 })
  })
  test('an edit that is undone is as if it had never been', () => {
    expect(relate([a, b, user('3'), d], seen)).toEqual({ kind: 'same', shared: 4 })
  })
})

test('T-3 the size of a conversation counts its texts, and what its calls were given and gave', () => {
  const call = { id: 't', name: 'Read', input: '12345', isError: false }
  const answer = {
    ...claude('done'),
    tools: [
      { ...call, result: '123' },
      { ...call, result: null },
    ],
  }
  expect(charsIn([user('go on'), answer])).toBe(5 + 4 + 5 + 3 + 5)
  expect(charsIn([])).toBe(0)
})
