// Brings a conversation into a new session: writes a file that the agent continues as if it were its own.
import type { Message } from '../../core/conversation/messages.ts'
import type { Seen } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { TierContext } from '../chains/tier-context.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Decided } from '../turn/decide-when-free.ts'
import type { Situation } from '../turn/gather.ts'
import { mostPromptChars } from '../turn/run-spec.ts'
import { carryOver } from './carry-over.ts'
import { modelFor } from './replay-form.ts'
import type { Written } from './written.ts'

type Wanted = {
  readonly decided: Decided
  readonly newSessionId: string | null
  /** `null`: the run is not part of a chain. */
  readonly tierContext: TierContext | null
  readonly disallowedTools: readonly string[]
}

/** Writes the session that a native replay or a trimmed tier continues. Where it cannot be written, the run takes the other form. */
export async function writeFor(
  dependencies: Dependencies,
  situation: Situation,
  { decided, newSessionId, tierContext, disallowedTools }: Wanted,
): Promise<{ readonly decision: Decision; readonly written: Written | null }> {
  const { decision, source, facts, sessions } = decided
  if (source !== null) {
    const run = { tierContext, disallowedTools, source, newSessionId, facts, sessions }
    return carryOver(dependencies, situation, { decision, ...run })
  }
  if (decision.action !== 'replay' || decision.form !== 'native' || newSessionId === null) {
    return { decision, written: null }
  }
  try {
    return { decision, written: await write(dependencies, situation, { decided, newSessionId }) }
  } catch {
    // The disk is full, or the agent's directory is not ours. The agent may still be able to answer.
    return { decision: { ...decision, form: 'prompt', formBecause: 'disk' }, written: null }
  }
}

async function write(
  { files, fileWriter, random }: Dependencies,
  situation: Situation,
  { decided, newSessionId: sessionId }: { decided: Decided; newSessionId: string },
): Promise<Written> {
  const { agent, workDir, view } = situation
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles } = agent.adapter
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  const written = agent.adapter.writtenSessions?.write({
    sessionId,
    workDir,
    version: agent.runtime.version,
    model: modelFor(situation.model, decided.sessions) ?? '',
    messages: view,
    maxChars: mostPromptChars(decided.facts),
    // A session that was too full would soon be too full again.
    shortensOutputs:
      'reason' in decided.decision && decided.decision.reason.code === 'context-full',
    uuid: random.uuid,
  })
  if (!written || !sessionFiles || !fileWriter || home === null)
    throw new TypeError('nobody can write this session')
  await fileWriter.write(home, written.text)
  return {
    seen: seenIn(view, written.anchors),
    mark: await sessionFiles.mark(place, files),
    undo: () => fileWriter.remove(home),
  }
}

/** Only answers have anchors: a fork is cut at one. */
function seenIn(view: readonly Message[], anchors: readonly (string | null)[]): readonly Seen[] {
  return view.map(({ hash, role }, index) => ({
    hash,
    anchor: role === 'assistant' ? (anchors[index] ?? null) : null,
    isPart: false,
  }))
}
