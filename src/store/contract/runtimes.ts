// What a store keeps of the programs of agents.
import type { Runtime } from '../../adapters/adapter.ts'

export type RuntimeVerbs = {
  cachedRuntime(key: string): Promise<Runtime | null>
  cacheRuntime(key: string, runtime: Runtime): Promise<void>
  /** Whatever is cached of an executable. */
  forgetRuntime(executable: string): Promise<void>
}
