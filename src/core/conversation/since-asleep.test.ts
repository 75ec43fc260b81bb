import { expect, test } from 'vitest'
import { headSince, namedFiles, sinceAsleepBrief } from './since-asleep.ts'

const [A, B, C] = ['a', 'b', 'c'].map(letter => letter.repeat(40))
const NOTHING = { head: null, changed: [], gone: [] }

test('W-4 a brief has a line for HEAD, for changed files and for those that are gone; without a change there is none', () => {
  expect(sinceAsleepBrief(NOTHING)).toBeNull()
  const brief = sinceAsleepBrief({
    head: { was: String(A), now: String(B) },
    changed: ['src/a.ts', 'odd\nname'],
    gone: ['b.txt'],
  })
  expect(brief?.split('\n')).toEqual([
    'Since you last spoke, this changed in your work dir:',
    '- HEAD is now at bbbbbbbbbbbb; it was at aaaaaaaaaaaa.',
    '- Changed: src/a.ts, "odd\\nname".',
    '- Gone: b.txt.',
    'What you know of it is out of date.',
  ])
  const many = Array.from({ length: 12 }, (_, index) => `f${index}`)
  expect(sinceAsleepBrief({ ...NOTHING, changed: many })).toContain('f9 and 2 more.')
})

test('W-4 a brief says which version the program is now and which rules about tools are new, only when they changed', () => {
  const rules = { allowedTools: ['Read', 'Bash(ls:*)'], disallowedTools: ['Bash'] }
  const program = (version: string) => `/bin/agent ${version} (resume, fork)`
  const same = { was: program('2.1.9'), now: program('2.1.9') }
  const tools = { was: rules, now: rules }
  expect(sinceAsleepBrief({ ...NOTHING, tools, runtime: same })).toBeNull()
  const moved = { was: '/old/agent 2.1.9 (resume)', now: program('2.1.9') }
  expect(sinceAsleepBrief({ ...NOTHING, runtime: moved })).toBeNull()
  const brief = sinceAsleepBrief({
    ...NOTHING,
    gone: ['b.txt'],
    runtime: { was: program('2.1.9'), now: program('3.0.0') },
    tools: { was: rules, now: { allowedTools: ['Read', 'Edit'], disallowedTools: ['WebFetch'] } },
  })
  expect(brief?.split('\n')).toEqual([
    'Since you last spoke, this changed:',
    '- Gone: b.txt.',
    '- Your program is now version 3.0.0; it was 2.1.9.',
    '- Forbidden tools now: WebFetch.',
    '- Tools that are no longer forbidden: Bash.',
    '- Tools you may now use without asking: Edit.',
    '- Tools you may no longer use without asking: "Bash(ls:*)".',
    'What you know of it is out of date.',
  ])
})

test('W-4 HEAD moved where git logged it after the session was last used', () => {
  const log = [
    `${A} ${B} Ada <ada@example.org> 100 +0000\tcommit: one`,
    `${B} ${C} Ada <ada@example.org> 200 +0000\tcheckout: moving`,
    'no line of a log',
  ].join('\n')
  expect(headSince(log, 50_000)).toEqual({ was: A, now: C })
  expect(headSince(log, 100_999)).toEqual({ was: B, now: C })
  expect(headSince(log, 200_000)).toBeNull()
  expect(headSince(`${log}\n${C} ${B} A <a> 300 +0000\treset`, 150_000)).toBeNull()
  expect(headSince('', 0)).toBeNull()
})

test('W-4 files are named in inputs of calls, also in those that were cut off, each once', () => {
  const inputs = [
    '{"file_path":"/w/a"}',
    '{"file_path": "/w/b\\"c", "old',
    '{"file_path":"/w/a"}',
    '{"command":"x"}',
    '{"file_path":"\\x"}',
  ]
  expect(namedFiles(inputs, new Set(['file_path']))).toEqual(['/w/b"c', '/w/a'])
})
