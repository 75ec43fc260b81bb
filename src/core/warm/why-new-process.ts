// Why a turn gets a new process although one could have waited for it, in words.

/** Why the process of a turn that went well was not kept. */
export type WhyNotKept = 'not-saved' | 'left-processes'

/** Why a turn that resumes the session of a kept process cannot use it. */
export type WhyNotUsed =
  | 'turn'
  | 'session'
  | 'start-files'
  | 'command'
  | 'deaf'
  | 'spoke'
  | 'ended'
  | 'bounds'
  | 'not-alone'
  | 'moved'
  | 'session-file'

/** The code of the notice that a run begins with when it cannot use the kept process. */
export const NOT_USED_CODE = 'process-not-used'

const NOT_KEPT: Readonly<Record<WhyNotKept, string>> = {
  'not-saved': 'it did not save its answer in time',
  'left-processes': 'processes that it started still run',
}

const NOT_USED: Readonly<Record<WhyNotUsed, string>> = {
  turn: 'this turn needs a process of its own',
  session: 'the session has gone on without it',
  'start-files': 'settings or notes that an agent reads only when it starts have changed',
  command: 'the program, its options or its environment have changed',
  deaf: 'it does not answer',
  spoke: 'it has done something by itself',
  ended: 'it has ended by itself',
  bounds: 'it was ended because it waited too long, or because too many were kept',
  'not-alone': 'it has started other processes',
  moved: 'its directory was moved or removed',
  'session-file': 'somebody else has written to the session file',
}

export function notKeptWords(why: WhyNotKept): string {
  return `The process of this turn is not kept for the next one: ${NOT_KEPT[why]}.`
}

export function notUsedWords(why: WhyNotUsed): string {
  return `The process that was kept for this turn is not used: ${NOT_USED[why]}.`
}
