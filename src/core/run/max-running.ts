// How many turns run at a time on a machine when no setting says it.

/** One short turn of Claude Code 2.1.197 or 2.1.325 took 0.7 to 0.9 seconds of a core and up to 290 MB; the rest is waiting for the model. */
const AGENT_BYTES = 300 * 1024 * 1024
const PER_CORE = 4
const AT_LEAST = 2

export function defaultMaxRunning(machine: {
  readonly cores: number
  readonly memoryBytes: number
}): number {
  const fitting = Math.floor(machine.memoryBytes / 2 / AGENT_BYTES)
  return Math.max(AT_LEAST, Math.min(PER_CORE * machine.cores, fitting))
}
