// Everything a run needs, decided and stored before its process starts. Arguments and prompt come from one decision (D-2).
import { createHash } from 'node:crypto'
import { NOTHING_MARKED, type RunSpec, type Sent, type SessionMark } from '../adapters/adapter.ts'
import { continuationOf } from '../core/continuation.ts'
import { afterRefusal, decide } from '../core/decide.ts'
import type { Decision, Facts, Reason } from '../core/decision.ts'
import type { AgentEvent, QuestionEvent } from '../core/events.ts'
import { wordsOf } from '../core/explain.ts'
import { type HandoverNote, noteText } from '../core/handover-note.ts'
import type { Message } from '../core/messages.ts'
import { viewOf } from '../core/messages.ts'
import { composePrompt } from '../core/prompt.ts'
import type { Question } from '../core/question.ts'
import type { Run } from '../core/run.ts'
import type { Seen, Session } from '../core/session.ts'
import { VERDICT_SCHEMA } from '../core/verdict.ts'
import { RepriseError } from '../errors.ts'
import type { NewSession } from '../store/store.ts'
import {
  type Conduct,
  callFirst,
  conductOf,
  deferralFile,
  noteFor,
  withThreshold,
} from './conduct.ts'
import { storedEvent } from './event-log.ts'
import type { Situation } from './gather.ts'
import { gather } from './gather.ts'
import { mustExist } from './must-exist.ts'
import type { Agent, Parts } from './parts.ts'
import { planReply, questionsFile } from './reply-plan.ts'
import type { TurnInput } from './turn-input.ts'

export type Plan = {
  readonly run: Run
  /** What the session is to know before the prompt. */
  readonly view: readonly Message[]
  readonly prompt: Message
  readonly decision: Decision
  readonly spec: RunSpec
  /** The session file whose cost the agent carries on from, before the run. */
  readonly mark: SessionMark
  /** The session that is resumed or forked. */
  readonly source: Session | null
  readonly sent: Sent
  /** Permissions given to a run whose process died: each holds for the same call of this one. */
  readonly granted: readonly Question[]
  readonly instructionsHash: string | null
  /** Of a run of a chain. */
  readonly conduct: Conduct | null
  /** The session waits at this call: it runs before the prompt is looked at. */
  readonly callFirst: QuestionEvent | null
}

/** A composed prompt may fill about six tenths of the model's window, at four characters to a token. */
const PROMPT_CHARS_PER_WINDOW_TOKEN = 2.4
const UNKNOWN_WINDOW_TOKENS = 200_000

export async function makePlan(
  parts: Parts,
  input: TurnInput,
  refused: Reason | null,
): Promise<Plan> {
  for (;;) {
    try {
      return await tryPlan(parts, input, refused)
    } catch (error) {
      // Somebody took the session between the look and the start: look again.
      if (!(error instanceof RepriseError) || error.code !== 'busy') throw error
      await waitABit(parts, input)
    }
  }
}

async function tryPlan(parts: Parts, input: TurnInput, refused: Reason | null): Promise<Plan> {
  const { store } = parts
  const run = await mustExist(store.run(input.runId), `run ${input.runId}`)
  const prompt = await mustExist(store.message(run.promptMessageId ?? ''), `prompt of ${run.id}`)
  const branch = await store.branch(input.lease.threadId)
  const conduct = await conductOf(parts, run, input.agent)
  const situation: Situation = {
    agent: input.agent,
    threadId: input.lease.threadId,
    view: viewOf(beforePrompt(branch, prompt), input.view, run.agent),
    workDir: run.workDir,
    model: run.model ?? input.agent.model,
    freshSession: run.freshSession,
    resume: withThreshold((await parts.settingsFor(run.workDir)).resume, conduct),
    ...(conduct && { purpose: conduct.purpose }),
  }
  const asked = { input, refused }
  const { decision, facts, source } = await decideWhenFree(parts, situation, asked)
  const note = conduct && decision.action === 'handover' ? noteFor(conduct, branch) : null
  const first = conduct && (await callFirst(parts, conduct, source))
  const instructions = instructionsFor(input, decision, source)
  const decided = { decision, source, view: situation.view }
  const { granted, parked, leftAsking } = await planReply(store, run, decided)
  const composing = { run, prompt, situation, decision, facts, instructions, parked, conduct, note }
  const spec = await specOf(parts, { ...composing, maxTurns: input.maxTurns })
  const newSession = announcedSession(parts, { situation, spec, decision, source, instructions })
  const mark = await markOf(parts, input.agent, { spec, source })
  const startedAt = parts.clock.now()
  const started = await store.startRun(input.lease, {
    runId: run.id,
    startedAt,
    model: spec.model,
    runtime: input.agent.runtime.fingerprint,
    decision,
    facts,
    resumeSettings: situation.resume,
    session: newSession?.id ?? (decision.action === 'resume' ? decision.session.id : null),
    newSession,
    handoverNote: note,
    leftAsking,
    events: [
      storedEvent(startedAt, {
        type: 'started',
        runId: run.id,
        decision,
        mark,
        answerTo: parked?.toolUseId ?? null,
      }),
      ...(decision.action === 'handover' ? [storedEvent(startedAt, handoverNotice(decision))] : []),
    ],
  })
  const { view } = situation
  return {
    run: started,
    view,
    prompt,
    decision,
    spec,
    mark,
    source,
    sent: parked ? { answerTo: parked.toolUseId } : { prompt: spec.prompt ?? '' },
    granted,
    instructionsHash: instructions.hash,
    conduct,
    callFirst: first,
  }
}

/** REQ-7, REQ-8: the log says why there is a note. */
function handoverNotice(decision: Decision): AgentEvent {
  return { type: 'notice', code: 'handover', text: wordsOf(decision) }
}

/** The branch up to the prompt: the run that takes a turn over finds it there already. */
export function beforePrompt(branch: readonly Message[], prompt: Message): readonly Message[] {
  const index = branch.findIndex(message => message.id === prompt.id)
  return index < 0 ? branch : branch.slice(0, index)
}

async function decideWhenFree(
  parts: Parts,
  situation: Situation,
  { input, refused }: { input: TurnInput; refused: Reason | null },
): Promise<{ decision: Decision; facts: Facts; source: Session | null }> {
  const beyondRepair = new Set<string>()
  for (;;) {
    const { facts, sessions } = await gather(parts, { ...situation, beyondRepair })
    const decided = decide(facts, situation.resume)
    const decision = refused ? afterRefusal(decided, refused, facts) : decided
    const wanted = 'session' in decision ? decision.session.id : null
    const source = sessions.find(session => session.id === wanted) ?? null
    const lost = facts.sessions.find(({ id }) => id === wanted)
    if (source && lost?.file.state === 'restorable') {
      // Looked at again when it is back: the copy may be as damaged as the file was.
      beyondRepair.add(source.id)
      await parts.vault.restore(source, lost.file.path)
      const { workDir } = situation
      if (lost.workDir !== workDir) await parts.store.moveSession(input.lease, source.id, workDir)
      continue
    }
    if (decision.action !== 'wait') return { decision, facts, source }
    await waitABit(parts, input)
  }
}

async function waitABit({ clock, timing }: Parts, { signal }: TurnInput): Promise<void> {
  await clock.sleep(timing.queuePollMs, signal)
  if (!signal.aborted) return
  throw new RepriseError('cancelled', 'the turn was cancelled while it waited', 'Send it again.')
}

type Instructions = {
  readonly text: string | null
  readonly hash: string | null
  /** T-8: the flag would be ignored, and the session knows others. */
  readonly inPrompt: string | null
}

function instructionsFor(
  { agent, instructions: text }: TurnInput,
  decision: Decision,
  source: Session | null,
): Instructions {
  const hash = hashOfInstructions(text)
  const known = source?.instructionsHash ?? null
  const continues = decision.action === 'resume' || decision.action === 'fork'
  const ignored = continues && agent.adapter.ignoresInstructionsOnResume(agent.runtime)
  // A fork may be cut before the point at which the session was told its latest ones.
  const needed = decision.action === 'fork' ? hash !== null || known !== null : hash !== known
  return { text, hash, inPrompt: ignored && needed ? (text ?? '') : null }
}

export function hashOfInstructions(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex')
}

async function specOf(
  parts: Parts,
  plan: {
    run: Run
    prompt: Message
    situation: Situation
    decision: Decision
    facts: Facts
    instructions: Instructions
    parked: Question | null
    conduct: Conduct | null
    note: HandoverNote | null
    maxTurns: number | undefined
  },
): Promise<RunSpec> {
  const { run, situation, decision, instructions, conduct, note } = plan
  const { agent } = situation
  const windowTokens = plan.facts.contextWindow ?? UNKNOWN_WINDOW_TOKENS
  const { text } = composePrompt(decision, {
    view: situation.view,
    message: plan.prompt.text,
    instructions: instructions.inPrompt,
    ...(conduct && { purpose: 'chain' as const }),
    ...(note && { note: noteText(note) }),
    maxChars: windowTokens * PROMPT_CHARS_PER_WINDOW_TOKEN,
  })
  const newSessionId = agent.runtime.abilities.chooseSessionId ? parts.random.uuid() : null
  const deferral = conduct && (await deferralFile(parts, conduct, agent))
  const spec: RunSpec = {
    runId: run.id,
    continuation: continuationOf(decision, newSessionId),
    prompt: plan.parked ? null : text,
    workDir: run.workDir,
    model: situation.model,
    permissionMode: run.permissionMode,
    allowedTools: run.allowedTools,
    disallowedTools: run.disallowedTools,
    instructionsFile: instructions.text ? await parts.keepText(instructions.text) : null,
    questionsFile: await questionsFile(parts, { run, agent, parked: plan.parked }),
    ...(conduct?.form === 'structured' && { answerSchema: VERDICT_SCHEMA }),
    ...(deferral !== null && { deferralFile: deferral }),
    ...(plan.maxTurns !== undefined && { maxTurns: plan.maxTurns }),
    env: agent.fullEnv,
  }
  // Refuses bad values before anything is recorded as started.
  agent.adapter.command(spec, agent.runtime)
  return spec
}

/** C-5: an id that we chose is known before the process starts. */
function announcedSession(
  { random }: Parts,
  plan: {
    situation: Situation
    spec: RunSpec
    decision: Decision
    source: Session | null
    instructions: Instructions
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
  },
): NewSession {
  const { situation, decision, source } = plan
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
    seen: decision.action === 'fork' ? seenUntil(source, decision.at) : [],
  }
}

/** What a copy that is cut at an answer has in it. */
function seenUntil(source: Session | null, anchor: string | null): readonly Seen[] {
  if (anchor === null) return source?.seen ?? []
  const end = source?.seen.findIndex(entry => entry.anchor === anchor) ?? -1
  return source?.seen.slice(0, end + 1) ?? []
}

/** A fork goes on from its parent's running total, but in a file of its own. */
async function markOf(
  parts: Parts,
  agent: Agent,
  { spec, source }: { spec: RunSpec; source: Session | null },
): Promise<SessionMark> {
  if (!source) return NOTHING_MARKED
  const place = { sessionId: source.sessionId, workDir: source.workDir, env: agent.fullEnv }
  const mark = await agent.adapter.mark(place, parts.files)
  return spec.continuation.kind === 'fork' ? { ...NOTHING_MARKED, costUsd: mark.costUsd } : mark
}
