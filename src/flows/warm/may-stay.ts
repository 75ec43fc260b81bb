// Whether the process of a run may take another turn: before it starts, and when it has answered.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { LiveAgent } from './live-agent.ts'

/** Chains, jobs, sandboxes, work trees of repositories and single calls keep nothing. */
export function mayStay(
  { warm }: Pick<Dependencies, 'warm'>,
  {
    run,
    agent,
    sandbox,
    isSpecial,
  }: {
    readonly run: Pick<Run, 'chainId' | 'jobId'>
    readonly agent: Agent
    readonly sandbox: SandboxChoice
    /** The run has a limit, a work tree, or a call before its prompt. */
    readonly isSpecial: boolean
  },
): boolean {
  if (!warm || isSpecial || agent.through) return false
  if (run.chainId !== null || run.jobId !== null) return false
  if (sandbox.kind !== 'use' || sandbox.sandbox !== 'none') return false
  return agent.adapter.stay?.canStay(agent.runtime) ?? false
}

/** How often, and for how long, Reprise looks whether the agent has saved its answer. */
const LOOK_MS = 5
const MAX_LOOKS = 600
/** How often it then looks whether the processes have ended that the agent itself starts for a moment, such as git. */
const MAX_LOOKS_FOR_OTHERS = 20

export type Answered = {
  readonly live: LiveAgent
  readonly agent: Agent
  readonly spec: RunSpec
  readonly observation: Observation
  readonly mark: SessionMark
  readonly session: Pick<Session, 'sessionId' | 'workDir'>
}

/** The session file holds the whole answer, and the process has left no other process behind. */
export async function hasSettled(dependencies: Dependencies, answered: Answered): Promise<boolean> {
  const { live, observation } = answered
  const { stopBegan, result, lastAnchor } = observation
  if (stopBegan || !result?.ok || lastAnchor === null) return false
  const isSoon = async (maxLooks: number, look: () => boolean | Promise<boolean>) => {
    for (let looks = 0; looks < maxLooks && !observation.stopBegan; looks += 1) {
      if (await look()) return !observation.stopBegan
      await dependencies.clock.sleep(LOOK_MS)
    }
    return false
  }
  const isSaved = await isSoon(MAX_LOOKS, () => isInFile(dependencies, answered))
  return isSaved && isSoon(MAX_LOOKS_FOR_OTHERS, () => isAlone(live))
}

function isAlone(live: LiveAgent): boolean {
  return live.look()?.others === 0
}

async function isInFile(
  { files }: Dependencies,
  { agent, spec, observation, mark, session }: Answered,
): Promise<boolean> {
  const { sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  const sent = { prompt: spec.prompt ?? '' }
  const growth = await agent.adapter.sessionFiles?.growth(place, mark, sent, files)
  const last = growth?.anchors.at(-1)
  return growth?.holdsPrompt === true && last !== undefined && last === observation.lastAnchor
}
