// Says whether a replay can be a session that we write, or why it must be a transcript in the prompt.
import { modelOfLatest, type Session } from '../../core/conversation/session.ts'
import type { PromptBecause, ReplayForm } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

export type Replayed = {
  readonly agent: Agent
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
  { files, fileWriter }: Dependencies,
  turn: Replayed,
  sessions: readonly Session[],
): Promise<PromptBecause | null> {
  const { agent, resume, workDir } = turn
  if (resume.replay === 'prompt') return 'set'
  if (turn.writtenWasRefused) return 'refused'
  const { adapter, runtime, fullEnv: env } = agent
  if (!adapter.writtenSessions || !fileWriter) return 'agent'
  if (!runtime.abilities.resume || !runtime.abilities.chooseSessionId) return 'agent'
  if (!adapter.writtenSessions.areTaken(runtime)) return 'version'
  if (modelFor(turn.model, sessions) === null) return 'model'
  const place = { sessionId: 'new', workDir, env }
  const found = await adapter.sessionFiles?.locate(place, files)
  return found?.home == null ? 'agent' : null
}

/** The agent goes on with the model of the last answer. */
export function modelFor(model: string | null, sessions: readonly Session[]): string | null {
  return model ?? modelOfLatest(sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt))
}
