// The agent program of a scenario: a small script in front of the fake or a real agent, which writes down how it was called.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFakeAgent } from '../../fake-agent.ts'

export const OLDER = '2.1.197'
/** The newest version that Reprise is tested with: that of the Agent SDK in `test/real-agents/package.json`, and the newest in `quirks.ts`. */
export const NEWEST = '2.1.327'
export const REAL_VERSIONS = [OLDER, NEWEST] as const

export type RealVersion = (typeof REAL_VERSIONS)[number]
/** `in-process`: the fake agent without a program, for tests that must be quick. */
export type Kind = 'fake' | 'fake 2.1.197' | 'in-process' | RealVersion

/** Whether Reprise talks to the program itself, or through the Agent SDK. */
export type Transport = 'cli' | 'sdk'

/**
 * `other-version`: the neighbour of the same kind. `unguarded`: never hears that it is to ask before each call. The last
 * four do not know flags, by what their help says.
 */
export type Variant =
  | 'usual'
  | 'elsewhere'
  | 'other-version'
  | 'unguarded'
  | 'no-resume'
  | 'no-session-id'
  | 'no-snapshot-flag'
  | 'no-setting-sources'

const HIDDEN_FLAGS: Partial<Record<Variant, readonly string[]>> = {
  'no-resume': ['--resume', '--fork-session'],
  'no-session-id': ['--session-id'],
  'no-snapshot-flag': ['--system-prompt-snapshot'],
  'no-setting-sources': ['--setting-sources'],
}

/** What the help of a program in the directory of a scenario does not say. */
export function hiddenFlags(file: string): readonly string[] {
  const hides = Object.entries(HIDDEN_FLAGS).find(([variant]) => file.endsWith(`agent-${variant}`))
  return hides?.[1] ?? []
}

const PACKAGES: Record<RealVersion, string> = {
  [OLDER]: `claude-code-linux-${process.arch}`,
  [NEWEST]: `claude-agent-sdk-linux-${process.arch}`,
}

export function isReal(kind: Kind): kind is RealVersion {
  return REAL_VERSIONS.some(version => version === kind)
}

export class ProgramDirectory {
  readonly #root: string
  readonly #kind: Kind

  constructor(root: string, kind: Kind) {
    this.#root = root
    this.#kind = kind
  }

  async path(variant: Variant): Promise<string> {
    const path = join(this.#root, `agent-${variant}`)
    if (existsSync(path)) return path
    const target = await this.#target(variant === 'other-version' ? 'other' : 'same')
    // The runner inside of this process reads the version in the file, and does itself what the wrapper does.
    const isRead = this.#kind === 'in-process'
    const text = wrapper({ target, root: this.#root, variant })
    writeFileSync(path, isRead ? `${readFileSync(target, 'utf8')}# ${variant}\n` : text)
    chmodSync(path, 0o755)
    return path
  }

  /** Shell commands that run once, after Reprise has decided and before the agent starts. */
  beforeNextStart(commands: string): void {
    writeFileSync(join(this.#root, 'before-start'), commands)
  }

  /** Arguments of every start, probes left out, by the run they belong to. */
  starts(): readonly { readonly runId: string; readonly args: readonly string[] }[] {
    const path = join(this.#root, 'starts')
    if (!existsSync(path)) return []
    const entries = readFileSync(path, 'utf8').split('\n\n').slice(0, -1)
    return entries.map(entry => {
      const [runId = '', ...args] = entry.split('\n')
      return { runId, args }
    })
  }

  async #target(which: 'same' | 'other'): Promise<string> {
    const kind = which === 'same' ? this.#kind : OTHER[this.#kind]
    if (isReal(kind)) return realAgent(kind)
    const version = kind === 'fake 2.1.197' ? '2.1.197' : '2.1.325'
    return builtFakeAgent(this.#root, { name: `fake-${version}`, version })
  }
}

const OTHER: Record<Kind, Kind> = {
  fake: 'fake 2.1.197',
  'in-process': 'fake 2.1.197',
  'fake 2.1.197': 'fake',
  [OLDER]: NEWEST,
  [NEWEST]: OLDER,
}

export function realAgent(version: RealVersion): string {
  const modules = new URL('../../real-agents/node_modules/@anthropic-ai/', import.meta.url)
  const path = fileURLToPath(new URL(`${PACKAGES[version]}/claude`, modules))
  if (existsSync(path)) return path
  throw new Error(`${path} is missing: run \`npm ci --prefix test/real-agents\``)
}

/**
 * A real agent lives for a second or two here. Without garbage collection, without the compilers of its JavaScript engine and
 * without threads for either, a start takes a quarter to a third less CPU time.
 */
const ENGINE = [
  'export BUN_JSC_useGC=0 BUN_JSC_useDFGJIT=0 BUN_JSC_useBaselineJIT=0',
  'export BUN_JSC_useConcurrentGC=0 BUN_JSC_useConcurrentJIT=0',
].join('\n')

/**
 * A program says the same about itself in every world, so each is asked once in a test run. Where two ask at the same time, the
 * file of one replaces that of the other.
 */
function wordsAbout(target: string, variant: Variant): readonly string[] {
  const words = join(tmpdir(), `words-of-${target.split('/').slice(-2).join('-')}`)
  const hidden = HIDDEN_FLAGS[variant]?.map(flag => `-e ${flag}`).join(' ')
  return [
    'if [ "$1" = --version ] || [ "$1" = --help ]; then',
    `  words='${words}'"$1"`,
    `  if ! [ -f "$words" ]; then '${target}' "$1" > "$words.$$" || exit; /bin/mv "$words.$$" "$words"; fi`,
    hidden ? `  if [ "$1" = --help ]; then grep -v ${hidden} "$words"; exit; fi` : '',
    '  exec /bin/cat "$words"',
    'fi',
  ]
}

/** A real agent without a scenario around it: one script for all tests of a process, and nothing is written down. */
export function quickAgent(version: RealVersion): string {
  const path = join(tmpdir(), `quick-agent-${version}-${process.pid}`)
  if (existsSync(path)) return path
  const target = realAgent(version)
  const lines = ['#!/bin/sh', ENGINE, ...wordsAbout(target, 'usual'), `exec '${target}' "$@"`, '']
  writeFileSync(path, lines.join('\n'), { mode: 0o755 })
  return path
}

/** One write per start, so that starts at the same time do not mix. The header tells the model API whose request it is. */
function wrapper(wrapped: { target: string; root: string; variant: Variant }): string {
  const { target, root, variant } = wrapped
  return [
    '#!/bin/sh',
    ENGINE,
    ...wordsAbout(target, variant),
    'if [ "$1" = --print ]; then',
    `  printf '%s\\n' "$REPRISE_RUN_ID" "$@" "" >> '${root}/starts'`,
    `  if [ -f '${root}/before-start' ]; then`,
    `    mv '${root}/before-start' '${root}/before-start.done'`,
    `    . '${root}/before-start.done'`,
    '  fi',
    'fi',
    'export ANTHROPIC_CUSTOM_HEADERS="x-reprise-run: $REPRISE_RUN_ID"',
    variant === 'unguarded'
      ? `sed -u '/"initialize"/d' | '${target}' "$@"`
      : `exec '${target}' "$@"`,
    '',
  ].join('\n')
}
