// What a store caches about the programs of agents.
import type { Runtime } from '../../adapters/adapter.ts'

/** `printed`: the output of its probes; rows of earlier versions do not have it. */
export type ProbedRuntime = Runtime & { readonly printed?: readonly string[] }

export type AgentProbeVerbs = {
  cachedRuntime(key: string): Promise<ProbedRuntime | null>
  cacheRuntime(key: string, runtime: ProbedRuntime): Promise<void>
  /** Removes everything cached about an executable. */
  forgetRuntime(executable: string): Promise<void>
}
