import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCliHere } from '../../../test/run-cli-here.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-cli-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function cli(...args: readonly string[]) {
  return runCliHere(args, { env: { REPRISE_HOME: home, HOME: home }, cwd: home })
}

describe('wrong use', () => {
  test.each([
    [['fly'], "unknown command 'fly'"],
    [['threads', 'fly'], "unknown command 'fly'"],
    [['send', '-x'], "unknown option '-x'"],
    [['send', 'two', 'words'], 'too many arguments'],
    [['why'], "missing required argument 'run'"],
    [['runs', 'answer', 'r', 'c', '--allow', '--message', 'x'], 'cannot be used with option'],
    [['runs', 'answer', 'r', 'c', '--for-run', '--message', 'x'], 'cannot be used with option'],
    [['runs', 'ls', '--limit', '0'], 'from 1 to 1000'],
    [['stop', '--drain=30'], 'a time with its unit such as 30s'],
    [['serve', '--drain=soon'], 'a time such as 90s'],
    [['stop', '--drain=1s', '--now'], 'cannot be used with option'],
    [['savings', '--by', 'moon'], 'Allowed choices are day, thread, agent'],
  ])('U-4 %j is exit 2 with what and a hint on stderr, nothing on stdout', async (args, what) => {
    const { code, out, err } = await cli(...args)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^error: .+\nhint: .+\n$/)
    expect(err).toContain(what)
  })

  test('U-4 with --json the error is JSON on stdout, nothing on stderr', async () => {
    const { code, out, err } = await cli('fly', '--json')
    expect(code).toBe(2)
    expect(err).toBe('')
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'bad-input',
        message: "unknown command 'fly'",
        hint: expect.stringContaining('--help'),
      },
    })
  })

  test('U-1 on a terminal an error and its hint are broken at their words; in a pipe each is one line', async () => {
    let screen = ''
    const stderr = { isTTY: true, columns: 44, write: (text: string) => (screen += text) }
    const env = { REPRISE_HOME: home, HOME: home, NO_COLOR: '1' }
    await runCliHere(['send', '-x'], { env, cwd: home, stderr })
    expect(screen).toBe(
      [
        "error: unknown option '-x'",
        'hint: see `--help` after the verb; text that',
        '      starts with `-` goes after `--`',
        '',
      ].join('\n'),
    )
    expect((await cli('send', '-x')).err.split('\n')).toHaveLength(3)
  })

  test('U-4 --json after -- is text, not a flag', async () => {
    const { out } = await cli('fly', '--', '--json')
    expect(out).toBe('')
  })

  test('no verb at all prints the help to stderr and is exit 2', async () => {
    const { code, out, err } = await cli()
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('Usage: reprise')
  })

  test('U-4 a config with an unknown key is exit 2 and names the line', async () => {
    writeFileSync(join(home, 'config.yaml'), 'resume:\n  mod: auto\n')
    const { code, err } = await cli('threads')
    expect(code).toBe(2)
    expect(err).toContain('config.yaml:2: unknown key `resume.mod`')
    expect(err).toContain('hint: Did you mean `mode`?')
  })
})

test('help is on stdout with exit 0', async () => {
  const { code, out, err } = await cli('send', '--help')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('--fresh-session')
})
