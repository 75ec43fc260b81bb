// Completion in real shells: bash on every machine; zsh and fish only have their script checked here where they are installed.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliWorld, LAUNCHER } from './cli-world.ts'

let world: CliWorld
let script: string
let threadId: string
beforeAll(async () => {
  world = await new CliWorld().open()
  mkdirSync(world.path('bin'))
  symlinkSync(LAUNCHER, world.path('bin/reprise'))
  script = world.path('completion.bash')
  writeFileSync(script, (await world.here(['completion', 'bash'])).out)
  const title = 'evil $(touch pwned) `touch pwned`\u001b[2J'
  const sent = await world.here(['send', '--json', '--title', title, 'hello'])
  threadId = JSON.parse(sent.out).threadId
})
afterAll(() => world.close())

const run = promisify(execFile)

/** What bash would propose for these words; the last one is being typed. */
async function proposed(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const bash = `source "$1"; shift
    COMP_WORDS=(reprise "$@"); COMP_CWORD=$#
    _reprise reprise "${'$'}{!#}" ''
    printf '%s\n' "${'$'}{COMPREPLY[@]}"`
  const env = { ...world.env, PATH: `${world.path('bin')}:${process.env.PATH}`, ...more }
  const args = ['--norc', '-c', bash, 'bash', script, ...words]
  const { stdout, stderr } = await run('bash', args, { env, cwd: world.workDir })
  return { values: stdout.trim().split('\n').filter(Boolean), err: stderr }
}

test('bash completes verbs, flags, values, ids and files, and is silent on stderr', async () => {
  expect(await proposed(['thr'])).toEqual({ values: ['threads'], err: '' })
  expect((await proposed(['send', '--fresh'])).values).toEqual(['--fresh-session'])
  expect((await proposed(['runs', 'ls', '--status', '=', 'com'])).values).toEqual(['completed'])
  expect(await proposed(['threads', 'show', 'thr_'])).toEqual({ values: [threadId], err: '' })
  expect((await proposed(['send', '-t', threadId.slice(0, 8)])).values).toEqual([threadId])
  writeFileSync(join(world.workDir, 'a file.yaml'), '')
  expect((await proposed(['escalate', '-p', 'a'])).values).toEqual(['a file.yaml'])
})

test('what was typed is never run, and titles reach no terminal as they are', async () => {
  const { values, err } = await proposed(['threads', 'show', '$(touch pwned)`touch pwned`'])
  expect({ values, err }).toEqual({ values: [], err: '' })
  const env = { ...world.env }
  const out = execFileSync(LAUNCHER, ['__complete', '--', 'threads', 'show', ''], { env })
  expect(String(out)).toContain(`${threadId}\t`)
  expect(String(out)).not.toContain('\u001b')
  expect(execFileSync('ls', [world.workDir], { encoding: 'utf8' })).not.toContain('pwned')
})

test.each([
  ['without a store', { REPRISE_HOME: '/nowhere/at/all' }],
  ['with a relative data directory', { REPRISE_HOME: 'relative' }],
  ['without reprise', { PATH: '/usr/bin:/bin' }],
])('it proposes nothing and prints nothing %s', async (_, env) => {
  expect(await proposed(['threads', 'show', 'thr_'], env)).toEqual({ values: [], err: '' })
})

test('the script can be loaded twice', () => {
  const bash = 'set -eu; source "$1"; source "$1"; complete -p reprise'
  const out = execFileSync('bash', ['--norc', '-c', bash, 'bash', script], { encoding: 'utf8' })
  expect(out).toBe('complete -F _reprise reprise\n')
})
