import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCliHere } from '../../../test/run-cli-here.ts'
import { runCli } from '../start/run-cli.ts'

let home: string
let config: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-config-')))
  config = join(home, 'config.yaml')
})
afterEach(() => rmSync(home, { recursive: true }))

async function cli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let out = ''
  let err = ''
  const code = await runCli(args, {
    stdin: Readable.from([]),
    isStdinPiped: () => false,
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    env: { REPRISE_HOME: home, HOME: home, PATH: process.env.PATH, ...env },
    cwd: home,
    onStopRequest: () => () => {},
    exitNow: () => {},
  })
  return { code, out, err }
}

/** An editor is any program that gets the file as its last argument. */
function editor(name: string, body: string): string {
  const path = join(home, name)
  writeFileSync(path, `#!/bin/sh\nfor file; do :; done\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

test('config show and config are the same, and know the flag --no-daemon', async () => {
  const { code, out } = await cli(['config'])
  expect(code).toBe(0)
  expect(out).toMatch(/^resume\.mode +auto +default$/m)
  const { items } = JSON.parse((await cli(['--no-daemon', 'config', 'show', '--json'])).out)
  expect(items).toContainEqual({
    key: 'useDaemon',
    value: false,
    from: 'flag',
    where: '--no-daemon',
  })
})

test('config show keeps the line number of a long path on a terminal', async () => {
  const deep = join(home, 'a-directory-with-a-long-name', 'and-one-more-below-it')
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'config.yaml'), 'maxRunning: 2\n')
  let out = ''
  const stdout = { write: (text: string) => (out += text), isTTY: true, columns: 80 }
  const env = { REPRISE_HOME: deep, HOME: home, PATH: process.env.PATH }
  await runCliHere(['config', 'show'], { env, cwd: home, stdout })
  expect(out).toMatch(/^maxRunning +2 +user +….*config\.yaml:1$/m)
})

test('config path prints where the file is or would be; --project is exit 3 without one', async () => {
  expect(await cli(['config', 'path'])).toMatchObject({ code: 0, out: `${config}\n` })
  expect(await cli(['config', 'path', '--project'])).toMatchObject({ code: 3 })
})

test.each([
  ['mine: { adapter: acp }', 'agents.mine.command', 'which program speaks ACP'],
  ['codex: { adapter: codex, command: [c] }', 'agents.codex.command', 'only for agents'],
  ['mine: { adapter: codexx }', 'agents.mine.adapter', 'there is no adapter `codexx`'],
  ['codex: { adapter: codex, permissionMode: ask }', 'agents.codex.permissionMode', '`ask`'],
  ['pi: { adapter: pi, model: --help }', 'agents.pi.model', '`--help` cannot be a model'],
])(
  'A-1 config check names the setting that the adapter of an agent does not take: %s',
  async (agent, key, words) => {
    writeFileSync(config, `agents:\n  ${agent}\n`)
    const { code, out } = await cli(['config', 'check', '--json'])
    const { problems } = JSON.parse(out)
    expect([code, problems]).toEqual([
      2,
      [
        {
          file: config,
          line: 2,
          key,
          message: expect.stringContaining(words),
          hint: expect.any(String),
        },
      ],
    ])
  },
)

test('config check is exit 0 and says which files are well, or exit 2 with line and key', async () => {
  expect(await cli(['config', 'check'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('ok'),
  })
  writeFileSync(config, 'resume:\n  mod: auto\n')
  const { code, out, err } = await cli(['config', 'check'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(`${config}:2: unknown key \`resume.mod\``)
  const json = JSON.parse((await cli(['config', 'check', '--json'])).out)
  expect(json).toMatchObject({ ok: false, problems: [{ line: 2, key: 'resume.mod' }] })
  writeFileSync(config, 'resume: [\n')
  expect((await cli(['config', 'check'])).err).toContain('not YAML')
})

test('config edit puts a valid file in place, private, and keeps a link a link', async () => {
  const target = join(home, 'dotfiles.yaml')
  writeFileSync(target, 'maxRunning: 2\n')
  symlinkSync(target, config)
  const EDITOR = `${editor('ed', 'echo "maxRunning: 5" > "$file"')} --wait`
  expect(await cli(['config', 'edit'], { EDITOR })).toMatchObject({ code: 0 })
  expect(readFileSync(target, 'utf8')).toBe('maxRunning: 5\n')
  expect(lstatSync(config).isSymbolicLink()).toBe(true)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readdirSync(home).filter(name => name.includes('.edit-'))).toEqual([])
})

test('config edit leaves the config alone when the edited copy is wrong, and loses nothing', async () => {
  writeFileSync(config, 'maxRunning: 2\n')
  const VISUAL = editor('ed', 'echo "maxRuning: 5" > "$file"')
  const { code, err } = await cli(['config', 'edit'], { VISUAL, EDITOR: 'false' })
  expect(code).toBe(2)
  expect(readFileSync(config, 'utf8')).toBe('maxRunning: 2\n')
  const [, copy = ''] = /Your version is in (\S+):/.exec(err) ?? []
  expect(readFileSync(copy, 'utf8')).toBe('maxRuning: 5\n')
})

test('config edit without a change, with an editor that fails, or beside another writer', async () => {
  expect(await cli(['config', 'edit'], { EDITOR: 'true' })).toMatchObject({ code: 0 })
  expect(existsSync(config)).toBe(false)
  expect(await cli(['config', 'edit'], { EDITOR: 'false' })).toMatchObject({ code: 2 })
  expect(await cli(['config', 'edit'], { EDITOR: '/nowhere/ed' })).toMatchObject({ code: 2 })
  writeFileSync(config, 'maxRunning: 2\n')
  const EDITOR = editor('ed', `echo "maxRunning: 5" > "$file"; echo "maxRunning: 9" > ${config}`)
  expect(await cli(['config', 'edit'], { EDITOR })).toMatchObject({ code: 4 })
  expect(readFileSync(config, 'utf8')).toBe('maxRunning: 9\n')
})
