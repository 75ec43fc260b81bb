// What differs between the versions of Claude Code that the fake agent can be.

export const DEFAULT_VERSION = '2.1.325'

export type Habits = {
  readonly version: string
  /** The cost of a result covers the whole session; `cost-state` lines keep it. */
  readonly costsOfSession: boolean
  readonly deltaPerResult: boolean
  /** Instructions stay those of the first run. */
  readonly keepsInstructions: boolean
  readonly findsOtherWorkDirs: boolean
  readonly reportsDenials: boolean
  readonly namesApiErrors: boolean
  /** The model sees a call without a result as interrupted; otherwise the call is dropped. */
  readonly tellsInterruptedCalls: boolean
  /** An unknown `/word` is answered by the agent itself. */
  readonly answersSlashWords: boolean
  /** `client_composed` keeps a prompt from being searched for /commands and @files. */
  readonly knowsComposed: boolean
  /** Newer models have a window of a million tokens without `[1m]` in their name. */
  readonly hasLongWindows: boolean
  readonly defaultModel: string
}

export function habitsOf(version: string): Habits {
  return {
    version,
    costsOfSession: atLeast(version, '2.1.277'),
    deltaPerResult: atLeast(version, '2.1.309'),
    keepsInstructions: atLeast(version, '2.1.269'),
    findsOtherWorkDirs: atLeast(version, '2.1.223'),
    reportsDenials: atLeast(version, '2.1.309'),
    namesApiErrors: atLeast(version, '2.1.309'),
    tellsInterruptedCalls: atLeast(version, '2.1.281'),
    answersSlashWords: !atLeast(version, '2.1.309'),
    knowsComposed: atLeast(version, '2.1.248'),
    hasLongWindows: atLeast(version, '2.1.325'),
    defaultModel: atLeast(version, '2.1.309') ? 'claude-opus-5-5' : 'claude-opus-4-8[1m]',
  }
}

function atLeast(version: string, other: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(other)]
  for (const [index, number] of right.entries()) {
    const difference = (left[index] ?? 0) - number
    if (difference !== 0) return difference > 0
  }
  return true
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(part => Number.parseInt(part, 10) || 0)
}
