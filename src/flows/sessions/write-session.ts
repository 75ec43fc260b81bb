// Brings a conversation into a new session: writes a file that the agent continues as if it were its own.
import type { SessionPlace } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Seen } from '../../core/conversation/session.ts'
import { isNative } from '../../core/decide/continuation.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { DEFAULT_RESUME, type ResumeSettings } from '../../core/decide/settings.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
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

type Writing = {
  readonly decision: Decision
  readonly written: Written | null
}

/**
 * Writes the session that a native replay or a trimmed run continues. Where it cannot be written, the run takes the other form, and
 * gets another id: an agent refuses to begin a session under the id of a file.
 */
export async function writeFor(
  dependencies: Dependencies,
  situation: Situation,
  wanted: Wanted,
): Promise<Writing & Pick<Wanted, 'newSessionId'>> {
  const { weighed, newSessionId } = wanted
  const { decision } = weighed
  const getsFile = weighed.copied !== null || isNative(decision)
  if (newSessionId === null || !getsFile) return { decision, written: null, newSessionId }
  // Looked up before anything lies there: what cannot be read any more can often still be removed.
  const home = await homeOf(dependencies, situation, newSessionId)
  const writing = await tryWrite(dependencies, situation, { ...wanted, newSessionId, home })
  if (writing.written !== null) return { ...writing, newSessionId }
  // `--continue` of the agent would take what is left for the newest session. What the disk does not give up has an id of its own.
  if (home !== null) await dependencies.fileWriter?.remove(home).catch(() => {})
  return { ...writing, newSessionId: dependencies.random.uuid() }
}

/** `null`: nobody can say where the agent would look for the session. */
async function homeOf(
  { files }: Dependencies,
  { agent, workDir }: Situation,
  sessionId: string,
): Promise<string | null> {
  const place = { sessionId, workDir, env: agent.fullEnv }
  const found = await agent.adapter.sessionFiles?.locate(place, files).catch(() => null)
  return found?.home ?? null
}

/** A session that gets a file. */
type Placed = Wanted & { readonly newSessionId: string; readonly home: string | null }

async function tryWrite(
  dependencies: Dependencies,
  situation: Situation,
  placed: Placed,
): Promise<Writing> {
  const { decided, weighed, newSessionId } = placed
  const { decision, copied } = weighed
  if (copied !== null) {
    const copy = { ...weighed, decided: decided.decision, newSessionId }
    return writeCopy(dependencies, situation, copy)
  }
  try {
    const written = await write(dependencies, situation, placed)
    return { decision: written ? decision : withoutFile(decision, 'unsound'), written }
  } catch {
    // The disk is full, or the agent's directory is not ours. The agent may still be able to answer.
    return { decision: withoutFile(decision), written: null }
  }
}

/** `null`: what was written did not pass the check. */
async function write(
  dependencies: Dependencies,
  situation: Situation,
  { decided, weighed, newSessionId: sessionId, home }: Placed,
): Promise<Written | null> {
  const { files, fileWriter, random } = dependencies
  const { agent, workDir, view } = situation
  const shorten = await keepOutputs(dependencies, weighed.cuts)
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles } = agent.adapter
  const most = mostPromptChars(decided.facts)
  const model = await modelFor(dependencies, situation, decided.sessions)
  const wasFull = 'reason' in decided.decision && decided.decision.reason.code === 'context-full'
  const session = agent.adapter.writtenSessions?.write({
    sessionId,
    workDir,
    version: agent.runtime.version,
    model: model ?? '',
    messages: view.map(message => withOutputs(message, shorten)),
    maxChars: wasFull ? charsUnder(most, situation.resume) : most,
    shortensOutputs: wasFull,
    uuid: random.uuid,
  })
  if (!session || !sessionFiles || !fileWriter || home === null)
    throw new TypeError('nobody can write this session')
  const { text, anchors } = session
  await fileWriter.write(home, text)
  if (!(await isSound(dependencies, agent, { place, home, anchors }))) return null
  const mark = await sessionFiles.mark(place, files)
  return { seen: seenIn(view, anchors), model, mark, undo: () => fileWriter.remove(home) }
}

type Anchors = readonly (string | null)[]

/** The check that every session file gets before a resume, and the one that a doctor makes of a whole file. */
async function isSound(
  { files, random }: Dependencies,
  { adapter, runtime }: Agent,
  { place, home, anchors }: { place: SessionPlace; home: string; anchors: Anchors },
): Promise<boolean> {
  const { sessionFiles } = adapter
  const known = { anchors: anchors.filter(anchor => anchor !== null), end: anchors.at(-1) ?? null }
  const state = await sessionFiles?.inspect({ ...place, known }, runtime, files)
  if (state?.state !== 'present' || state.foreign) return false
  const file = await files.read(home)
  const repairing = { sessionId: place.sessionId, known, model: null, uuid: random.uuid }
  const found = file && sessionFiles?.repair?.(file, repairing).found
  return found === undefined || found?.length === 0
}

const LEAST_CHARS = 20_000

/** A session that was too full must not be too full again at once, also where the threshold is lower than usual. */
function charsUnder(most: number, { contextThreshold }: ResumeSettings): number {
  const share = Math.min(1, contextThreshold / DEFAULT_RESUME.contextThreshold)
  return Math.max(most * share, LEAST_CHARS)
}

function withOutputs(message: Message, shorten: (output: string) => string): Message {
  const tools = message.tools.map(tool => ({
    ...tool,
    result: tool.result === null ? null : shorten(tool.result),
  }))
  return { ...message, tools }
}

/** Only answers have anchors: a fork is cut at one. */
function seenIn(view: readonly Message[], anchors: Anchors): readonly Seen[] {
  return view.map(({ hash, role }, index) => ({
    hash,
    anchor: role === 'assistant' ? (anchors[index] ?? null) : null,
    isPart: false,
  }))
}
