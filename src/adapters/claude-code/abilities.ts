// Recognises Claude Code, and programs that imitate it, by what `--version` and `--help` print.
import type { Adapter } from '../adapter.ts'
import { isAtLeast } from '../versions.ts'
import { type QuirkName, quirksOf, TESTED } from './quirks.ts'
import { NO_SETTING_SOURCES, TRUST_FLAGS } from './trust.ts'

export const PROBES: Adapter['probes'] = [['--version'], ['--help']]

/** Reprise needs these flags, and no other program has all of them. */
const NEEDED_FLAGS = ['--print', '--output-format', '--input-format', '--permission-mode']

/** Recognised by its help, not by its version. */
export const NO_STRUCTURED_OUTPUT = 'no-structured-output'
/** It keeps sending the system prompt of a session's first run, unless a flag says not to. */
export const RECORDS_SYSTEM_PROMPT = 'system-prompt-recorded'

/** Recognised by its help: a program that takes several messages knows `--replay-user-messages`. */
export const ONE_TURN = 'one-turn'

/** Another program with the same flags. */
export const LOOK_ALIKE = 'look-alike'

const FORK_AT_MESSAGE_SINCE = TESTED.oldest
const ACROSS_WORK_DIRS_SINCE = '2.1.223'

export const recognise: Adapter['recognise'] = outputs => {
  const [versionText = '', help = ''] = outputs
  const missing = NEEDED_FLAGS.filter(flag => !hasFlag(help, flag))
  const isNamed = /\bClaude Code\b/.test(versionText)
  if (missing.length > 0) return { problem: problemOf(isNamed, missing) }
  const version = /(?<!\d)\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(versionText)?.[0]
  if (version === undefined) return { problem: 'its --version prints no version number' }
  const can = (flag: string) => hasFlag(help, flag)
  const resume = can('--resume')
  const fork = resume && can('--fork-session')
  return {
    version,
    abilities: {
      resume,
      fork,
      // The flag is hidden from the help: only versions of the real program are known to have it.
      forkAtMessage: fork && isNamed && isAtLeast(version, FORK_AT_MESSAGE_SINCE),
      chooseSessionId: can('--session-id'),
      resumeAcrossWorkDirs: resume && isNamed && isAtLeast(version, ACROSS_WORK_DIRS_SINCE),
    },
    // A look-alike has version numbers of its own, so it counts as the oldest Claude Code.
    quirks: [
      ...withSnapshotFlag(quirksOf(isNamed ? version : '0.0.0'), can('--system-prompt-snapshot')),
      ...(isNamed ? [] : [LOOK_ALIKE]),
      ...(can('--json-schema') ? [] : [NO_STRUCTURED_OUTPUT]),
      ...(can('--replay-user-messages') ? [] : [ONE_TURN]),
      ...(TRUST_FLAGS.every(can) ? [] : [NO_SETTING_SOURCES]),
    ],
    warning: warningOf(isNamed, version),
  }
}

/** With the flag, the current instructions also apply on a resume. */
function withSnapshotFlag(quirks: readonly QuirkName[], knowsFlag: boolean): readonly string[] {
  if (!knowsFlag) return quirks
  const others = quirks.filter(quirk => quirk !== 'instructions-ignored-on-resume')
  return [...others, RECORDS_SYSTEM_PROMPT]
}

function hasFlag(help: string, flag: string): boolean {
  return new RegExp(`(^|[\\s,])${flag}(?![\\w-])`, 'm').test(help)
}

function problemOf(isNamed: boolean, missing: readonly string[]): string {
  if (!isNamed) return `it is not Claude Code: its --help does not know ${missing.join(', ')}`
  return `this Claude Code is too old: its --help does not know ${missing.join(', ')}`
}

function warningOf(isNamed: boolean, version: string): string | null {
  if (!isNamed)
    return 'its --version does not say Claude Code, but it has the same flags: treated as the oldest known one'
  if (!isAtLeast(version, TESTED.oldest))
    return `Claude Code ${version} is older than the oldest tested version ${TESTED.oldest}`
  if (version !== TESTED.newest && isAtLeast(version, TESTED.newest))
    return `Claude Code ${version} is newer than the newest tested version ${TESTED.newest}`
  return null
}
