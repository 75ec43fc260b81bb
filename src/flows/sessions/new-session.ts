// Makes the record of a session that a run begins, with our id or with the id that the agent names.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { Seen, Session } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { NewSession } from '../../store/contract/sessions.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Situation } from '../turn/gather.ts'
import type { Instructions } from '../turn/instructions.ts'
import type { Written } from './written.ts'

/** Gives the session whose id we chose, which is known before the process starts. */
export function announcedSession(
  { random }: Dependencies,
  plan: {
    situation: Situation
    spec: RunSpec
    decision: Decision
    source: Session | null
    instructions: Instructions
    written: Written | null
  },
): NewSession | null {
  const { continuation } = plan.spec
  if (continuation.kind === 'resume' || continuation.sessionId === null) return null
  return newSession(random.id('ses'), continuation.sessionId, plan)
}

export function newSession(
  id: string,
  sessionId: string,
  plan: {
    readonly situation: Pick<Situation, 'agent' | 'threadId' | 'workDir' | 'model'>
    readonly decision: Decision
    readonly source: Session | null
    readonly instructions: Pick<Instructions, 'hash'>
    readonly written: Pick<Written, 'seen'> | null
  },
): NewSession {
  const { situation, decision, source, written } = plan
  return {
    id,
    sessionId,
    threadId: situation.threadId,
    agent: situation.agent.name,
    workDir: situation.workDir,
    model: situation.model,
    runtime: situation.agent.runtime.fingerprint,
    forkedFrom: decision.action === 'fork' ? decision.session.id : null,
    instructionsHash: plan.instructions.hash,
    // Set when its first run has ended.
    knownEnd: null,
    seen: decision.action === 'fork' ? seenUntil(source, decision.at) : (written?.seen ?? []),
  }
}

/** What a fork has seen after it was cut at an answer. */
function seenUntil(source: Session | null, anchor: string | null): readonly Seen[] {
  if (anchor === null) return source?.seen ?? []
  const end = source?.seen.findIndex(entry => entry.anchor === anchor) ?? -1
  return source?.seen.slice(0, end + 1) ?? []
}
