// Every test runs in an environment that would lead it astray: a home, config directories and variables that belong to
// somebody else. What looks there runs a trap or leaves a trace, and the whole test run fails.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { offerPostgres } from './postgres/shared.ts'

const MARK = 'REPRISE_TEST_TRAPS'

/** Vitest calls it before and after the tests of each project; the first project lays the traps for all. */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env[MARK] !== undefined) return async () => {}
  const root = mkdtempSync(join(tmpdir(), 'reprise-tests-'))
  const decoy = layTraps(join(root, 'somebody'))
  const before = contentOf(decoy)
  const own = join(root, 'own')
  mkdirSync(own)
  // Some tests run a program as another user, and that user must be able to enter these directories.
  for (const directory of [root, own]) chmodSync(directory, 0o755)
  const compiled = { NODE_COMPILE_CACHE: join(own, 'compiled-code') }
  const ours = { TMPDIR: own, ...OWN_GIT, ...compiled, [MARK]: decoy }
  Object.assign(process.env, hostileVariables(decoy), ours)
  const stopPostgres = await offerPostgres(own)
  return async () => {
    await stopPostgres()
    const traces = differences(before, contentOf(decoy))
    rmSync(root, { recursive: true, force: true })
    if (traces.length > 0) {
      throw new Error(`a test has used what is not its own:\n${traces.join('\n')}`)
    }
  }
}

/** Tests call git often, and none of these calls may read the config of a developer or a machine. */
const OWN_GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

/** What a developer's environment may say. Tests that need one of these variables set it themselves. */
function hostileVariables(decoy: string): Readonly<Record<string, string>> {
  return {
    HOME: decoy,
    CLAUDE_CONFIG_DIR: join(decoy, '.claude'),
    REPRISE_HOME: join(decoy, '.reprise'),
    REPRISE_AGENT: 'nobody',
    REPRISE_TOKEN: 'somebody-elses-token',
    XDG_CONFIG_HOME: join(decoy, '.config'),
    XDG_DATA_HOME: join(decoy, '.local', 'share'),
    XDG_CACHE_HOME: join(decoy, '.cache'),
    ANTHROPIC_MODEL: 'somebody-elses-model',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  }
}

/** Config files whose hooks leave a trace when a program reads them. Nobody but their reader gets to know of them. */
export function layTraps(decoy: string): string {
  const trap = join(decoy, 'trap')
  const files: Readonly<Record<string, string>> = {
    trap: `#!/bin/sh\necho "$0 $*" >> '${join(decoy, 'sprung')}'\n`,
    '.gitconfig': `[core]\n\thooksPath = ${decoy}\n\tfsmonitor = ${trap}\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = ${trap}\n`,
    '.claude/settings.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: trap }] }] },
    }),
    '.reprise/config.yaml': 'agents: "somebody else\'s, and not even valid"\n',
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(decoy, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  chmodSync(trap, 0o755)
  return decoy
}

type Content = ReadonlyMap<string, string>

export function contentOf(directory: string): Content {
  const names = existsSync(directory) ? readdirSync(directory, { recursive: true }) : []
  return new Map(
    names.map(name => {
      const path = join(directory, String(name))
      return [String(name), textOf(path)]
    }),
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '(not a file)'
  }
}

export function differences(before: Content, after: Content): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}
