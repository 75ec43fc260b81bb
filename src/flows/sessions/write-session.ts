// Brings a conversation into a new session: writes a file that the agent continues as if it were its own.
import type { Message } from '../../core/conversation/messages.ts'
import type { Seen } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Decided } from '../turn/decide-when-free.ts'
import type { Situation } from '../turn/gather.ts'
import { mostPromptChars } from '../turn/run-spec.ts'
import { keepOutputs, type Weighed, withoutFile, writeCopy } from './carry-over.ts'
import { modelFor } from './replay-form.ts'
import type { Written } from './written.ts'

type Wanted = {
  readonly decided: Decided
  readonly weighed: Weighed
  /** `null`: the agent chooses it. */
  readonly newSessionId: string | null
}

/** Writes the session that a native replay or a trimmed run continues. Where it cannot be written, the run takes the other form. */
export async function writeFor(
  dependencies: Dependencies,
  situation: Situation,
  { decided, weighed, newSessionId }: Wanted,
): Promise<{ readonly decision: Decision; readonly written: Written | null }> {
  const { decision, copied, cuts } = weighed
  if (newSessionId === null) return { decision, written: null }
  if (copied !== null) {
    const copy = { ...weighed, decided: decided.decision, newSessionId }
    return writeCopy(dependencies, situation, copy)
  }
  if (decision.action !== 'replay' || decision.form !== 'native') return { decision, written: null }
  try {
    const written = await write(dependencies, situation, { decided, cuts, newSessionId })
    return { decision, written }
  } catch {
    // The disk is full, or the agent's directory is not ours. The agent may still be able to answer.
    return { decision: withoutFile(decision), written: null }
  }
}

async function write(
  dependencies: Dependencies,
  situation: Situation,
  {
    decided,
    cuts,
    newSessionId: sessionId,
  }: { decided: Decided; cuts: Weighed['cuts']; newSessionId: string },
): Promise<Written> {
  const { files, fileWriter, random } = dependencies
  const { agent, workDir, view } = situation
  const shorten = await keepOutputs(dependencies, cuts)
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles } = agent.adapter
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  const written = agent.adapter.writtenSessions?.write({
    sessionId,
    workDir,
    version: agent.runtime.version,
    model: modelFor(situation.model, decided.sessions) ?? '',
    messages: view.map(message => withOutputs(message, shorten)),
    maxChars: mostPromptChars(decided.facts),
    // A session that was too full would soon be too full again.
    shortensOutputs:
      cuts.length === 0 &&
      'reason' in decided.decision &&
      decided.decision.reason.code === 'context-full',
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

function withOutputs(message: Message, shorten: (output: string) => string): Message {
  const tools = message.tools.map(tool => ({
    ...tool,
    result: tool.result === null ? null : shorten(tool.result),
  }))
  return { ...message, tools }
}

/** Only answers have anchors: a fork is cut at one. */
function seenIn(view: readonly Message[], anchors: readonly (string | null)[]): readonly Seen[] {
  return view.map(({ hash, role }, index) => ({
    hash,
    anchor: role === 'assistant' ? (anchors[index] ?? null) : null,
    isPart: false,
  }))
}
