// The engine for one machine, in this process and on the store. It notices a dead process by its pid or its missing heartbeat.
import type { WorkVerbs } from '../store/contract/work.ts'
import type { EngineTiming } from './consumer.ts'
import type { Engine } from './engine.ts'
import { createWorkEngine, type EngineParts } from './work-engine.ts'

export function createEmbeddedEngine(
  { store, ...parts }: EngineParts & { readonly store: WorkVerbs },
  timing?: EngineTiming,
): Engine {
  return createWorkEngine({ kept: store, inside: transaction => transaction }, parts, timing)
}
