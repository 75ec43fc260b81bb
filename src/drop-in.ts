// Opens the parts of Reprise for one call of an agent by another program, and closes them when the agent has ended.
import { RepriseError } from './errors.ts'
import type { Dependencies } from './flows/dependencies.ts'
import { type StandInRequest, type StoodIn, standIn } from './flows/drop-in/stand-in.ts'
import { LiveRuns } from './flows/queue/live-runs.ts'
import { openDependencies } from './open-dependencies.ts'
import type { RepriseOptions } from './reprise-options.ts'

export type { StandInRequest, StoodIn }

/** Throws only `busy`, when the settings refuse a call: any other trouble is a reason to run the agent without Reprise. */
export async function dropIn(options: RepriseOptions, request: StandInRequest): Promise<StoodIn> {
  try {
    const dependencies = await openDependencies(options, new LiveRuns())
    return await standIn(dependencies, request).finally(() => close(dependencies))
  } catch (error) {
    if (error instanceof RepriseError && error.code === 'busy') throw error
    return { kind: 'bare', because: error instanceof Error ? error.message : String(error) }
  }
}

/** The agent may have answered: trouble here must not be a reason to run it once more. */
async function close({ log, engine, store }: Dependencies): Promise<void> {
  for (const part of [log, engine, store]) await part.close().catch(() => {}) // Everything is stored by now.
}
