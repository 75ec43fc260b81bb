import { describe, expect, test } from 'vitest'
import { recognise } from './abilities.ts'

const HELP = [
  'Usage: claude [options] [command] [prompt]',
  '  -p, --print                 Print response and exit',
  '  --output-format <format>    "text", "json" or "stream-json"',
  '  --input-format <format>     "text" or "stream-json"',
  '  --permission-mode <mode>    Permission mode',
  '  --fork-session              When resuming, create a new session ID',
  '  -r, --resume [value]        Resume a conversation',
  '  --session-id <uuid>         Use a specific session ID',
].join('\n')

const without = (flag: string) => HELP.replace(new RegExp(`.*${flag} .*\n?`), '')

describe('Claude Code', () => {
  test('of the oldest tested version can do all but resume from elsewhere', () => {
    expect(recognise(['2.1.197 (Claude Code)\n', HELP])).toMatchObject({
      version: '2.1.197',
      abilities: {
        resume: true,
        fork: true,
        forkAtMessage: true,
        chooseSessionId: true,
        resumeAcrossWorkDirs: false,
      },
      warning: null,
    })
  })

  test('of the newest tested version can do all', () => {
    const { abilities, warning } = { ...unwrap(recognise(['2.1.327 (Claude Code)\n', HELP])) }
    expect(Object.values(abilities)).toEqual([true, true, true, true, true])
    expect(warning).toBeNull()
  })

  test.each([
    ['2.1.196', 'older'],
    ['2.1.328', 'newer'],
    ['3.0.0', 'newer'],
  ])('%s works with a warning that it is %s than tested', (version, word) => {
    expect(unwrap(recognise([`${version} (Claude Code)`, HELP])).warning).toContain(word)
  })

  test('loses an ability with its flag', () => {
    const of = (flag: string) =>
      unwrap(recognise(['2.1.325 (Claude Code)', without(flag)])).abilities
    expect(of('--resume')).toMatchObject({ resume: false, fork: false, forkAtMessage: false })
    expect(of('--fork-session')).toMatchObject({ resume: true, fork: false, forkAtMessage: false })
    expect(of('--session-id')).toMatchObject({ chooseSessionId: false })
  })

  test('too old for structured output is a problem', () => {
    const found = recognise(['0.1.0 (Claude Code)', without('--input-format')])
    expect(found).toEqual({ problem: expect.stringContaining('too old') })
  })
})

test('T-8 a version that records the system prompt ignores changed instructions, unless its help knows the flag against it', () => {
  const quirks = (help: string) => unwrap(recognise(['2.1.325 (Claude Code)', help])).quirks
  expect(quirks(HELP)).toContain('instructions-ignored-on-resume')
  const known = quirks(`${HELP}\n  --system-prompt-snapshot <on|off>  Record the system prompt`)
  expect(known).toContain('system-prompt-recorded')
  expect(known).not.toContain('instructions-ignored-on-resume')
})

test('a look-alike is recognised by its help, gets fewer abilities, and comes with a warning', () => {
  const found = unwrap(recognise(['v9.9.9 (openclaude)', HELP]))
  expect(found.abilities).toMatchObject({ resume: true, fork: true, forkAtMessage: false })
  expect(found.quirks).toContain('prompt-scanned')
  expect(found.warning).toContain('does not say Claude Code')
})

test.each([
  ['nothing', ['', '']],
  ['node', ['v24.0.0', 'Usage: node [options] [ script.js ] [arguments]\n  -p, --print  evaluate']],
  ['a longer flag of the same beginning', ['1.0.0', HELP.replaceAll('--print', '--print-all')]],
  ['no version number', ['(Claude Code)', HELP]],
])('%s is not Claude Code', (_, outputs) => {
  expect(recognise(outputs)).toEqual({ problem: expect.any(String) })
})

function unwrap(found: ReturnType<typeof recognise>) {
  if ('problem' in found) throw new Error(found.problem)
  return found
}
