// Says whether a replay can be a session that we write, or why it must be a transcript in the prompt.
import type { Message } from '../../core/conversation/messages.ts'
import { modelOfLatest, type Session } from '../../core/conversation/session.ts'
import { isNative } from '../../core/decide/continuation.ts'
import type { PromptBecause, ReplayForm } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import { SESSION_FAULTS } from '../../core/run/failure.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

export type Replayed = {
  readonly agent: Agent
  readonly view: readonly Message[]
  readonly workDir: string
  /** `null`: the agent chooses. */
  readonly model: string | null
  readonly resume: ResumeSettings
  /** The agent refused the session that we wrote for this turn. */
  readonly writtenWasRefused?: boolean
}

export async function replayFormOf(
  dependencies: Dependencies,
  turn: Replayed,
  sessions: readonly Session[],
): Promise<ReplayForm> {
  const formBecause = await notNative(dependencies, turn, sessions)
  return formBecause === null ? { form: 'native' } : { form: 'prompt', formBecause }
}

async function notNative(
  dependencies: Dependencies,
  turn: Replayed,
  sessions: readonly Session[],
): Promise<PromptBecause | null> {
  const { agent, resume, workDir } = turn
  const { files, fileWriter } = dependencies
  if (resume.replay === 'prompt') return 'set'
  if (turn.writtenWasRefused) return 'refused'
  const { adapter, runtime, fullEnv: env } = agent
  if (!adapter.writtenSessions || !fileWriter) return 'agent'
  if (!runtime.abilities.resume || !runtime.abilities.chooseSessionId) return 'agent'
  if (!adapter.writtenSessions.areTaken(runtime)) return 'version'
  const place = { sessionId: 'new', workDir, env }
  const found = await adapter.sessionFiles?.locate(place, files)
  if (found?.home == null) return 'agent'
  if ((await modelFor(dependencies, turn, sessions)) === null) return 'model'
  return (await hasFailedWritten(dependencies, turn, sessions)) ? 'failed' : null
}

/**
 * The agent goes on with the model of the last answer, also where that answer comes from a session of another thread, as after a fork of
 * a thread. The answers of an adopted session come from no run: the session knows their model.
 */
export async function modelFor(
  { store }: Pick<Dependencies, 'store'>,
  { model, view, agent }: Pick<Replayed, 'model' | 'view' | 'agent'>,
  sessions: readonly Session[],
): Promise<string | null> {
  if (model !== null) return model
  for (const message of view.toReversed()) {
    if (message.agent !== agent.name || message.runId === null) continue
    const run = await store.run(message.runId)
    // What a run said before it failed does not prove its model.
    if (run?.status === 'completed' && run.model !== null) return run.model
  }
  const confirmed = sessions.filter(({ confirmedAt }) => confirmedAt !== null)
  return modelOfLatest(confirmed.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt))
}

/**
 * Whether a session that we wrote for this program has brought no answers. The next replay is a transcript then: what the agent, its
 * API or the model could not go on with is not written again.
 */
async function hasFailedWritten(
  { store }: Pick<Dependencies, 'store'>,
  { agent, resume }: Replayed,
  sessions: readonly Session[],
): Promise<boolean> {
  const failed = sessions.filter(
    session => session.runtime === agent.runtime.fingerprint && hasFailed(session, resume),
  )
  for (const session of failed) if (await failedFromStart(store, session)) return true
  return false
}

function hasFailed(session: Session, { maxFruitlessResumes }: ResumeSettings): boolean {
  const { retiredBecause, failedResumes, fruitlessResumes } = session
  if (retiredBecause !== null) return FAULTS.includes(retiredBecause.code)
  return failedResumes > 0 || fruitlessResumes >= maxFruitlessResumes
}

const FAULTS: readonly string[] = ['refused', 'failed-twice', 'never-persisted']

/**
 * Whether we wrote the session, and its fault is that of its first run. A session that has answered says nothing against the next one:
 * it may be refused later because its file is gone.
 */
async function failedFromStart(store: Dependencies['store'], session: Session): Promise<boolean> {
  const { sessionId, retiredBecause, failedResumes } = session
  // Only the run that begins a session replays into it.
  const [first] = await store.listRuns({ sessionId, action: 'replay', limit: 1 })
  if (!first?.decision || !isNative(first.decision)) return false
  if (retiredBecause?.code === 'never-persisted') return true
  const isFaulty = retiredBecause !== null || failedResumes > 0
  if (isFaulty && !(first.failure && SESSION_FAULTS.includes(first.failure.class))) return false
  return (await store.listRuns({ sessionId, status: 'completed', limit: 1 })).length === 0
}
