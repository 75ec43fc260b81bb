// Recognises codex by what `codex --version` and `codex exec --help` print.
import type { Adapter } from '../adapter.ts'

export const PROBES: Adapter['probes'] = [['--version'], ['exec', '--help']]

/** The version that the adapter is tested with. */
export const TESTED = '0.169.0'

const NEEDED_FLAGS = ['--json', '--skip-git-repo-check', '--sandbox']

export const recognise: Adapter['recognise'] = outputs => {
  const [versionText = '', help = ''] = outputs
  const version = /\bcodex-cli (\d{1,9}\.\d{1,9}\.\d{1,9})/.exec(versionText)?.[1]
  if (version === undefined)
    return { problem: 'it is not codex: its --version does not say codex-cli' }
  const missing = NEEDED_FLAGS.filter(flag => !help.includes(flag))
  if (missing.length > 0) {
    return {
      problem: `this codex is too old: \`codex exec --help\` does not know ${missing.join(', ')}`,
    }
  }
  const has = (verb: string) => new RegExp(`^ {2}${verb}\\s`, 'm').test(help)
  return {
    version,
    abilities: {
      resume: has('resume'),
      fork: has('fork'),
      forkAtMessage: false,
      chooseSessionId: false,
      resumeAcrossWorkDirs: has('resume'),
    },
    quirks: [],
    warning:
      version === TESTED ? null : `codex ${version} is not the tested version, which is ${TESTED}`,
  }
}
