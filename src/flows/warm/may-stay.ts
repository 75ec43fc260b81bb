// Whether the process of a run may take another turn: before it starts, and when it has answered.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import type { WhyNotKept } from '../../core/warm/why-new-process.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { LiveAgent } from './live-agent.ts'
import { isAloneSoon, lookUntil } from './look-until.ts'

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

/** How often Reprise looks whether the agent has saved its answer. */
const MAX_LOOKS = 600

export type Answered = {
  readonly live: LiveAgent
  readonly agent: Agent
  readonly spec: RunSpec
  readonly observation: Observation
  readonly mark: SessionMark
  readonly session: Pick<Session, 'sessionId' | 'workDir'>
}

/**
 * `kept`: the session file holds the whole answer, and the process has left no other process behind. `ends`: the turn was no success, or
 * somebody stops it.
 */
export async function whetherKept(
  dependencies: Dependencies,
  answered: Answered,
): Promise<'kept' | 'ends' | WhyNotKept> {
  const { live, observation } = answered
  const { result, lastAnchor } = observation
  const isOver = () => observation.stopBegan
  if (isOver() || !result?.ok || lastAnchor === null) return 'ends'
  const looking = { clock: dependencies.clock, isOver }
  const isSaved = await lookUntil({ ...looking, maxLooks: MAX_LOOKS }, async () =>
    (await isInFile(dependencies, answered)) ? true : null,
  )
  const isAlone = isSaved && (await isAloneSoon(live, looking))
  if (isOver()) return 'ends'
  if (!isSaved) return 'not-saved'
  return isAlone ? 'kept' : 'left-processes'
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
