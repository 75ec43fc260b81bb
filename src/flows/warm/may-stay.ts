// Whether the process of a run may take another turn: before it starts, and when it has answered.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { LiveAgent } from '../turn/live-agent.ts'

/** Chains, jobs, sandboxes, work trees of repositories and single calls keep nothing. */
export function mayStay(
  { warm }: Pick<Dependencies, 'warm'>,
  {
    run,
    agent,
    sandbox,
    isSpecial,
  }: {
    readonly run: Run
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
  const look = live.process.turns?.look()
  if (!look || look.others > 0) return false
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    if (await isSaved(dependencies, answered)) return !observation.stopBegan
    await dependencies.clock.sleep(LOOK_MS)
    if (observation.stopBegan) return false
  }
  return false
}

async function isSaved(
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
