import { expect, test } from 'vitest'
import { followHistory } from './loaded-history.ts'

const user = (text: string) => ({ sessionUpdate: 'user_message_chunk', content: { text } })
const agent = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { text } })
const call = { sessionUpdate: 'tool_call', toolCallId: 'c' }
const KNOWN = { lastPrompt: 'Go', send: 'next' }
const HELD = { lastPrompt: 'Go on', send: 'next, without what failed' }

test.each([
  [
    'a session that ends as known',
    [user('First'), agent('Yes.'), user('Go'), agent('Done.')],
    KNOWN,
  ],
  ['a prompt in which ours is only a part', [user('Go away'), agent('Done.')], null],
  [
    'a prompt that is the last line of a longer one',
    [user('Act on this:\n\nGo'), agent('.')],
    KNOWN,
  ],
  [
    'a note of the program after the prompt',
    [user('Go'), user('<note>\nx\n</note>'), agent('.')],
    KNOWN,
  ],
  ['a prompt that failed before', [user('Go'), agent('Done.'), user('Go on')], HELD],
  ['a prompt that failed after one without an answer', [user('Go'), user('Go on')], HELD],
  ['a call after the prompt that failed', [user('Go'), agent('.'), user('Go on'), call], HELD],
  ['a turn of somebody else', [user('Go'), agent('Done.'), user('And now?'), agent('Now.')], null],
  ['an earlier state of the session', [user('First'), agent('Yes.')], null],
  ['a fresh session', [], null],
])('C-2 the end of a loaded session is recognised: %s', (_, updates, end) => {
  const history = followHistory()
  for (const update of updates) history.see(update)
  expect(history.endsAs([KNOWN, HELD])).toBe(end)
  expect(history.isEmpty()).toBe(updates.length === 0)
})
