// Recognises pi by what `pi --version` and `pi --help` print.
import type { Adapter } from '../adapter.ts'

/** The version that the adapter is tested with. */
export const TESTED = '0.87.1'

const NEEDED_FLAGS = ['--mode', '--session <', '--tools']

export const recognise: Adapter['recognise'] = ([versionText = '', help = '']) => {
  const version = /^(\d{1,9}\.\d{1,9}\.\d{1,9})$/m.exec(versionText)?.[1]
  if (version === undefined || !help.includes('pi [options]'))
    return { problem: 'it is not pi: its --help does not say how to use pi' }
  const missing = NEEDED_FLAGS.filter(flag => !help.includes(flag))
  if (missing.length > 0)
    return { problem: `this pi is too old: its --help does not know ${missing.join(', ')}` }
  return {
    version,
    abilities: {
      resume: true,
      fork: help.includes('--fork'),
      forkAtMessage: false,
      chooseSessionId: false,
      resumeAcrossWorkDirs: false,
    },
    quirks: [],
    warning:
      version === TESTED ? null : `pi ${version} is not the tested version, which is ${TESTED}`,
  }
}
