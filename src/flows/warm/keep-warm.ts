// Keeps the process of a run that has answered, together with where it has left its session.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { Remains } from '../turn/record-end.ts'
import type { KeptProcess, LeftAt } from './kept-processes.ts'
import type { LiveAgent } from './live-agent.ts'
import { commandKey } from './start-key.ts'

export type Resting = {
  readonly live: LiveAgent
  readonly threadId: string
  readonly agent: Agent
  readonly spec: RunSpec
  /** The files that the process has read at its start. */
  readonly filesKey: string
  readonly observation: Observation
  readonly remains: Remains
}

/** `null`: nobody could say later whether the session is still where the process has left it. */
export async function restingProcess(
  dependencies: Dependencies,
  resting: Resting,
): Promise<KeptProcess | null> {
  const { live } = resting
  const leftAt = await leftAtOf(dependencies, resting)
  if (leftAt === null || live.lastLook === null) return null
  return {
    live,
    leftAt,
    startedAt: live.startedAt,
    restsSince: dependencies.clock.now(),
    memoryBytes: live.lastLook.memoryBytes,
  }
}

async function leftAtOf(
  { files }: Dependencies,
  { threadId, agent, spec, filesKey, observation, remains }: Resting,
): Promise<LeftAt | null> {
  const { session, growth } = remains
  const totalUsd = observation.lastResult?.totalCostUsd ?? null
  if (!session || !growth.holdsPrompt || growth.end === null || totalUsd === null) return null
  const { id, sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  // Its cost is not read: while the process lives, the file does not say it.
  const path = (await agent.adapter.sessionFiles?.locate(place, files))?.found ?? null
  const stat = path === null ? null : await files.stat(path)
  if (path === null || !stat) return null
  return {
    threadId,
    agent: agent.name,
    ...{ id, sessionId, knownEnd: growth.end },
    ...{ path, sizeBytes: stat.sizeBytes, fileState: { modifiedMs: stat.modifiedMs } },
    commandKey: commandKey(
      agent,
      { ...spec, model: nextModel(agent, spec, observation) },
      sessionId,
    ),
    filesKey,
    totalUsd,
  }
}

/** The next run names the model that answered, unless a user chooses another one. */
function nextModel({ adapter }: Agent, { model }: RunSpec, observed: Observation): string | null {
  if (model !== null || observed.model === null) return model
  return adapter.words.takesModel(observed.model) ? observed.model : null
}
