// How adapters refuse options of a run that their agent cannot be held to: the same words for every agent.
import { RepriseError } from '../errors.ts'
import type { RunSpec } from './adapter.ts'

export type Refusals = {
  /** The error about an option that the agent would not obey. */
  cannot(what: string, hint: string): RepriseError
  /** Returns the value, which may now stand on the command line. */
  valid(what: string, value: string, pattern: RegExp): string
  /** The error about a permission mode that is not one of the agent's. */
  noMode(mode: string, modes: readonly string[]): RepriseError
  /** Refuses what an agent without rules about tools and without trust cannot be held to. */
  refuseUnheld(spec: RunSpec, agent: Unruled): void
}

type Unruled = {
  /** What a user chooses by the permission mode, such as `its tools`. */
  readonly modeChooses: string
  readonly modes: readonly string[]
  /** What the agent reads although a run is not trusted. */
  readonly stillReads: string
}

/** The refusals of an agent, which they call by this name. */
export function refusalsOf(agent: string): Refusals {
  const cannot = (what: string, hint: string) =>
    new RepriseError('bad-input', `${agent} cannot be held to ${what}`, hint)
  return {
    cannot,
    valid(what, value, pattern) {
      if (pattern.test(value)) return value
      throw new RepriseError(
        'bad-input',
        `${quoted(value)} cannot be used as ${what} of ${agent}`,
        `Use a ${what} that matches ${pattern.source}.`,
      )
    },
    noMode: (mode, modes) =>
      new RepriseError(
        'bad-input',
        `${agent} has no permission mode ${quoted(mode)}`,
        `Use one of ${modes.join(', ')} as --permission-mode or \`permissionMode\`.`,
      ),
    // A rule that nobody obeys must not look like one.
    refuseUnheld({ allowedTools, disallowedTools, trust, maxTurns }, unruled) {
      const [rule] = [...allowedTools, ...disallowedTools]
      if (rule !== undefined) {
        throw cannot(
          `the tool rule ${quoted(rule)}`,
          `Leave tool rules out, and choose ${unruled.modeChooses} by its permission mode: ${unruled.modes.join(', ')}.`,
        )
      }
      if (trust !== 'project') {
        throw cannot(
          `trust ${trust}: it would still read ${unruled.stillReads}`,
          'Use `--trust project` (`trust: project`) where the directory is your own.',
        )
      }
      if (maxTurns !== undefined) throw cannot('maxTurns', 'Leave `maxTurns` out.')
    },
  }
}

/** An error stays readable whatever was given. */
function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
