// The files under deploy/ name commands, flags, variables and directives that exist.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildProgram } from '../../src/cli/start/program.ts'

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const UNITS = readdirSync(root('deploy')).filter(name => name.endsWith('.service'))
/** The directives that our units use; systemd itself knows them all. */
const DIRECTIVES: Readonly<Record<string, readonly string[]>> = {
  Unit: ['Description', 'After', 'Wants'],
  Service: [
    ...['Type', 'ExecStart', 'Environment', 'EnvironmentFile', 'KillMode', 'TimeoutStopSec'],
    ...['Restart', 'RestartSec', 'RestartPreventExitStatus', 'UMask', 'NoNewPrivileges'],
  ],
  Install: ['WantedBy'],
}

/** Section, name and value of each line; a line that is none of that is an error. */
function linesOf(text: string) {
  let section = ''
  return text.split('\n').flatMap(line => {
    if (line === '' || line.startsWith('#')) return []
    const [, opened] = /^\[(\w+)\]$/.exec(line) ?? []
    if (opened !== undefined) {
      section = opened
      return []
    }
    const [, name, value] = /^(\w+)=(.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`not a directive: ${line}`)
    return [{ section, name, value }]
  })
}

/** Throws when the CLI does not have this command with these flags. */
const parsed = (words: readonly string[]) => buildProgram().parseAsync(words, { from: 'user' })

describe.each(UNITS)('the unit %s', unit => {
  const lines = linesOf(readFileSync(root(`deploy/${unit}`), 'utf8'))
  const settingOf = (wanted: string) => lines.find(({ name }) => name === wanted)?.value ?? ''

  test('has known directives only, stops the agents after the program, and runs a command of the CLI', async () => {
    for (const { section, name } of lines) expect(DIRECTIVES[section]).toContain(name)
    expect(settingOf('KillMode')).toBe('mixed')
    const [, command = ''] = /^\/usr\/bin\/env reprise (.*)$/.exec(settingOf('ExecStart')) ?? []
    await parsed(command.split(' '))
    await expect(parsed([...command.split(' '), '--no-such-flag'])).rejects.toThrow()
    const [, drain] = /--drain (\d+)s/.exec(command) ?? []
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(Number(drain))
  })

  // Where there is no systemd, the test above has read the directives.
  test.runIf(existsSync('/usr/bin/systemd-analyze'))('is one that systemd accepts', () => {
    const home = mkdtempSync(join(tmpdir(), 'reprise-unit-'))
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home }
    try {
      const path = root(`deploy/${unit}`)
      execFileSync('systemd-analyze', ['--user', 'verify', path], { env, stdio: 'pipe' })
    } finally {
      rmSync(home, { recursive: true })
    }
  })
})

type Service = {
  readonly command?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}

test('the compose file names commands, variables, services and volumes that exist', async () => {
  const text = readFileSync(root('deploy/compose.yaml'), 'utf8')
  const { services, volumes } = parse(text, { merge: true }) as Compose
  expect(Object.keys(services)).toEqual(['postgres', 'daemon', 'worker-1', 'worker-2'])
  const known =
    readFileSync(root('src/config/variables.ts'), 'utf8') +
    readFileSync(root('docs/cli.md'), 'utf8')
  const hosts = new Set<string>()
  for (const { command, environment, volumes: mounted, depends_on = {} } of Object.values(
    services,
  )) {
    for (const mount of mounted) expect(volumes).toHaveProperty([mount.split(':')[0] ?? ''])
    for (const service of Object.keys(depends_on)) expect(services).toHaveProperty([service])
    if (command === undefined) continue
    expect(command[0]).toBe('reprise')
    await parsed(command.slice(1))
    const ours = Object.keys(environment).filter(name => name.startsWith('REPRISE_'))
    for (const name of ours) expect(known).toContain(name)
    expect(ours).toContain('REPRISE_DATABASE_URL')
    hosts.add(environment.REPRISE_HOST ?? '')
  }
  expect(hosts.size).toBe(3)
})
