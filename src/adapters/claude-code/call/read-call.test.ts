import { describe, expect, test } from 'vitest'
import { readArguments as read, withFork, withSessionId } from './read-call.ts'

const readArguments = (args: readonly string[]) => read(args, true)

const ID = '5b2f1c6e-0d0a-4c9a-8a55-0c1f6a2f9d11'
const OTHER = '00000000-0000-4000-8000-000000000001'

describe('W-2 the arguments of a call say which session it names', () => {
  test.each([
    [['-p', 'hi'], { kind: 'new', sessionId: null }],
    [['-p', '--session-id', ID, 'hi'], { kind: 'new', sessionId: ID }],
    [['-p', '--resume', ID, 'hi'], { kind: 'resume', sessionId: ID }],
    [['-p', `--resume=${ID}`, 'hi'], { kind: 'resume', sessionId: ID }],
    [['-pr', ID, 'hi'], { kind: 'resume', sessionId: ID }],
    [['-p', `-r${ID}`, 'hi'], { kind: 'resume', sessionId: ID }],
    [['-p', '-r', ID, '--fork-session'], { kind: 'fork', from: ID, sessionId: null }],
    [
      ['-p', '-r', ID, '--fork-session', '--session-id', OTHER],
      { kind: 'fork', from: ID, sessionId: OTHER },
    ],
    [['-p', '-c', 'hi'], { kind: 'latest', fork: null }],
    [['-pc', 'hi'], { kind: 'latest', fork: null }],
    [['-pc', '--fork-session'], { kind: 'latest', fork: { sessionId: null } }],
    [
      ['-pc', '--fork-session', '--session-id', OTHER],
      { kind: 'latest', fork: { sessionId: OTHER } },
    ],
    [['-pc', '--session-id', OTHER], { kind: 'unnamed' }],
    [['-pc', '--resume', ID], { kind: 'unnamed' }],
    [['-p', '-c', '--from-pr', '12'], { kind: 'unnamed' }],
    [['-p', '-c', '-w', 'a-tree'], { kind: 'unnamed' }],
    [['-p', '--resume', 'my title', 'hi'], { kind: 'unnamed' }],
    [['-p', '--resume', '/a/b.jsonl'], { kind: 'unnamed' }],
    [['-p', '--resume'], { kind: 'unnamed' }],
  ])('%j', (args, session) => {
    expect(readArguments(args)).toMatchObject({ kind: 'print', session })
  })
})

describe('W-2 the prompt is the first word that belongs to no flag', () => {
  test.each<[string[], string | null]>([
    [['-p', 'hi'], 'hi'],
    [['hi', '-p'], 'hi'],
    [['-p', '--model', 'opus', 'hi'], 'hi'],
    [['-p', '--allowedTools', 'Bash', 'Read'], null],
    [['-p', '--allowedTools', 'Bash', '--model', 'opus', 'hi'], 'hi'],
    [['-p', '--allowed-tools=Bash', 'hi'], 'hi'],
    [['-p', '--append-system-prompt', '-x', 'hi'], 'hi'],
    [['-p', '--verbose', '--', '--not-a-flag'], '--not-a-flag'],
    [['-p', '--', '-r', ID], '-r'],
    [['-p', '--some-flag-of-tomorrow', 'hi'], 'hi'],
    [['-p'], null],
    [['-p', '-'], '-'],
  ])('%j', (args, prompt) => {
    expect(readArguments(args)).toMatchObject({ kind: 'print', prompt })
  })
})

test('W-2 the settings of a call are read for its record', () => {
  const args = ['-p', '--output-format', 'json', '--model', 'opus', '--permission-mode', 'plan']
  const tools = ['--allowedTools', 'Bash(git log:*),Read', 'Edit', '--disallowedTools', 'Write']
  expect(readArguments([...args, ...tools])).toEqual({
    kind: 'print',
    session: { kind: 'new', sessionId: null },
    output: 'json',
    input: 'text',
    prompt: null,
    model: 'opus',
    permissionMode: 'plan',
    allowedTools: ['Bash(git log:*)', 'Read', 'Edit'],
    disallowedTools: ['Write'],
  })
})

test.each([
  [['--version']],
  [['-v']],
  [['--help']],
  [['-p', '-h']],
  [['mcp', 'list']],
  [['-p', 'doctor']],
  [['--debug', 'api', 'config', 'get', 'theme']],
  [['-p', '--no-session-persistence', 'hi']],
  [['-p', '--output-format', 'yaml', 'hi']],
  [['--bg', 'hi']],
])('W-2 %j is none of our business', args => {
  expect(readArguments(args)).toEqual({ kind: 'other' })
})

test('W-2 a call without --print is a conversation in a terminal', () => {
  expect(readArguments([])).toMatchObject({ kind: 'terminal', session: { kind: 'new' } })
  expect(readArguments(['-r', ID])).toMatchObject({ kind: 'terminal', session: { sessionId: ID } })
})

test('W-2 without a terminal a call prints also without --print, as the Agent SDK calls it', () => {
  const args = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']
  expect(read(args, false)).toMatchObject({ kind: 'print', input: 'stream-json', prompt: null })
})

test('W-2 what we add to a call stands before flags that take many values', () => {
  const args = ['-p', 'hi', '--allowedTools', 'Bash']
  const named = readArguments(withSessionId(args, ID))
  expect(named).toMatchObject({ prompt: 'hi', session: { kind: 'new', sessionId: ID } })
  const forked = readArguments(withFork(['-p', '-r', ID, 'hi'], OTHER))
  expect(forked).toMatchObject({ session: { kind: 'fork', from: ID, sessionId: OTHER } })
})
