// Flags and variables that decide whose settings Claude Code uses. They do not survive a resume, so every start has them.
import { isAbsolute, relative } from 'node:path'
import type { Trust } from '../../core/run/trust.ts'
import type { Files } from '../../core/world.ts'
import { RepriseError } from '../../errors.ts'
import type { RunSpec, Runtime } from '../adapter.ts'

/** Recognised in the help. Without these flags the settings of a repository cannot be left out. */
export const NO_SETTING_SOURCES = 'no-setting-sources'

export const TRUST_FLAGS = ['--setting-sources', '--strict-mcp-config', '--add-dir'] as const

/** As `init` of 2.1.197 and 2.1.325 lists them without any settings. */
export const BUILT_IN_AGENTS: readonly string[] = [
  ...['claude', 'Explore', 'general-purpose', 'Plan', 'statusline-setup'],
]

/** Claude Code sets these for the processes it starts: an agent that Reprise starts there must not act as its child. */
export const WITHHELD_ENV: readonly string[] = [
  ...['AI_AGENT', 'CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_AGENT_SDK_*', 'CLAUDE_CODE_SSE_PORT'],
  ...['CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_EXECPATH'],
  ...['CLAUDE_CODE_MESSAGING_*', 'CLAUDE_CODE_SESSION_*', 'CLAUDE_CODE_RESUME_INTERRUPTED_TURN'],
]

export function trustArgs(
  { trust, contextDir }: Pick<RunSpec, 'trust' | 'contextDir'>,
  { version, quirks }: Runtime,
): readonly string[] {
  if (trust === 'project') return []
  if (quirks.includes(NO_SETTING_SOURCES)) throw cannotHold(trust, version)
  return [
    ...(trust === 'user'
      ? ['--setting-sources=user']
      : ['--setting-sources=', '--strict-mcp-config']),
    ...(contextDir === null ? [] : [`--add-dir=${contextDir}`]),
  ]
}

/**
 * 2.1.197 runs `git status` at its start, and git then runs the file-system monitor that a repository's `.git/config`
 * names. A filter or an index hook would run too, so these variables turn off git's part of the start altogether.
 */
export function trustEnv({
  trust,
  env,
}: Pick<RunSpec, 'trust' | 'env'>): Readonly<Record<string, string>> {
  if (trust === 'project') return {}
  const pairs = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0
  return {
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
    GIT_CONFIG_COUNT: String(pairs + 1),
    [`GIT_CONFIG_KEY_${pairs}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${pairs}`]: 'false',
  }
}

/** The files in which a project keeps its notes for agents. */
const CONTEXT_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md']
/** Characters that an import accepts unescaped; a blank would end it. */
const IMPORTABLE = /^\/[^\s\p{Cc}\p{Cs}\\]+$/u

/**
 * Without setting sources, Claude Code reads no CLAUDE.md. This is the text of a CLAUDE.md in a directory of ours. It
 * imports the project's files, but only those that are really inside the project: a link cannot bring in other files.
 */
export async function contextText(workDir: string, files: Files): Promise<string | null> {
  const imports: string[] = []
  for (const name of CONTEXT_FILES) {
    const path = `${workDir}/${name}`
    const real = await files.realpath(path)
    if (real === null || !isInside(workDir, real)) continue
    imports.push(IMPORTABLE.test(path) ? `@${path}` : `@${path.replaceAll(/([\s\\])/g, '\\$1')}`)
  }
  return imports.length === 0 ? null : `${imports.join('\n')}\n`
}

function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}

function cannotHold(trust: Trust, version: string): RepriseError {
  return new RepriseError(
    'agent-unusable',
    `Claude Code ${version} cannot keep other settings out: its --help does not know ${TRUST_FLAGS.join(', ')}, but the trust is ${trust}`,
    'Run `claude update`, or use `--trust project` (`trust: project`) where the directory is your own.',
  )
}
