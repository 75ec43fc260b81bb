import { expect, test } from 'vitest'
import { hashOf, type Message, type ToolUse } from '../conversation/messages.ts'
import { type NotesInput, previewNotes } from './preview-notes.ts'

const answer = (...tools: readonly ToolUse[]): Message => {
  const content = { role: 'assistant', agent: 'claude', text: 'done' } as const
  const rest = { interrupted: false, runId: null, createdAt: 0 }
  return { ...content, ...rest, id: 'msg_1', hash: hashOf(content), tools }
}
const call = (name: string, input: string, more: Partial<ToolUse> = {}): ToolUse => {
  return { id: 'call', name, input, result: 'ok', isError: false, ...more }
}
const write = (path: string, more: Partial<ToolUse> = {}) =>
  call('Write', JSON.stringify({ file_path: path, content: '"file_path":"no"' }), more)
const shell = call('Bash', '{"command":"make"}')

const quiet: NotesInput = {
  isBusy: false,
  dropped: null,
  workDir: '/srv/shop',
  writingTools: { Write: 'file_path', NotebookEdit: 'notebook_path' },
  shellTools: ['Bash'],
}
const leaves = '1 message leaves this branch and stays stored.'
const stay = (what: string) =>
  `Files stay as they are: ${what} after this message. The agent is not asked to undo that.`

test.each<readonly [string, Partial<NotesInput>, readonly string[]]>([
  ['nothing for a turn at the end of a quiet thread', {}, []],
  [
    'that a turn waits for the run under way',
    { isBusy: true },
    ['A run is under way; this turn waits until it has ended.'],
  ],
  [
    'that the run under way must be stopped before messages are dropped',
    { isBusy: true, dropped: [] },
    ['A run is under way; it must be stopped first.'],
  ],
  ['how many messages leave the branch', { dropped: [answer()] }, [leaves]],
  [
    'how many messages leave the branch',
    { dropped: [answer(), answer()] },
    ['2 messages leave this branch and stay stored.'],
  ],
  [
    'which file was written, by its path in the work dir',
    { dropped: [answer(write('/srv/shop/docs/health.md'))] },
    [leaves, stay('docs/health.md was written')],
  ],
  [
    'how many files were written, each once',
    { dropped: [answer(write('/srv/shop/a'), write('/etc/b'), write('/srv/shop/a'))] },
    [leaves, stay('a and 1 more were written')],
  ],
  [
    'a path outside of the work dir in full',
    { dropped: [answer(write('/srv/shop-2/a'))] },
    [leaves, stay('/srv/shop-2/a was written')],
  ],
  [
    'a file whose call was cut off when it was stored',
    { dropped: [answer(call('Write', '{"file_path":"/srv/shop/\\"a\\"","content":"aaa…'))] },
    [leaves, stay('"a" was written')],
  ],
  [
    'a file that may have been written',
    { dropped: [answer(write('/srv/shop/a', { result: null }))] },
    [leaves, stay('a was written')],
  ],
  ['nothing of a failed call', { dropped: [answer(write('/a', { isError: true }))] }, [leaves]],
  ['nothing of a call without a path', { dropped: [answer(call('Write', '{"x":1}'))] }, [leaves]],
  ['nothing of a tool that only reads', { dropped: [answer(call('Read', '{}'))] }, [leaves]],
  ['that commands ran', { dropped: [answer(shell)] }, [leaves, stay('1 command ran')]],
  [
    'files and commands together',
    { dropped: [answer(write('/srv/shop/a'), shell, shell)] },
    [leaves, stay('a was written and 2 commands ran')],
  ],
])('T-4 a preview says %s', (_, change, notes) => {
  expect(previewNotes({ ...quiet, ...change })).toEqual(notes)
})
