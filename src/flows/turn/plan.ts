// Decides and stores everything a run needs before its process starts. Arguments and prompt come from one decision.

import type { RunSpec, Sent, SessionMark } from '../../adapters/adapter.ts'
import type { PermissionRule } from '../../core/calls/permission-rule.ts'
import type { Carry } from '../../core/chain/carry.ts'
import { type HandoverNote, usableNote } from '../../core/chain/handover-note.ts'
import { buildThreadNote } from '../../core/chain/thread-note.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { AskedCall, Question } from '../../core/conversation/question.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Decision, Reason } from '../../core/decide/decision.ts'
import { wordsOf } from '../../core/decide/explain.ts'
import { estimateDecision } from '../../core/decide/prospect.ts'
import type { AgentSaid } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import { keptPrompt, type SentPrompt } from '../../core/run/sent-prompt.ts'
import { redact } from '../../core/secrets/redact.ts'
import { NOT_USED_CODE, notUsedWords, type WhyNotUsed } from '../../core/warm/why-new-process.ts'
import { RepriseError } from '../../errors.ts'
import type { Containment } from '../../runner/sandbox/contain.ts'
import {
  containmentOf,
  createTextKeeper,
  sandboxFor,
  sandboxNote,
  sandboxNotices,
} from '../agents/choose-sandbox.ts'
import {
  callFirst,
  noteFor,
  type TierContext,
  tierContextOf,
  withThreshold,
} from '../chains/tier-context.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { planReply } from '../questions/reply-plan.ts'
import { askedCarry, weighCarry } from '../sessions/carry-over.ts'
import { driftSince } from '../sessions/drift-since.ts'
import { markOf } from '../sessions/mark-of.ts'
import { announcedSession } from '../sessions/new-session.ts'
import { readableOutputs } from '../sessions/tier-outputs.ts'
import { writeFor } from '../sessions/write-session.ts'
import type { Written } from '../sessions/written.ts'
import type { LiveAgent } from '../warm/live-agent.ts'
import { mayStay } from '../warm/may-stay.ts'
import { filesKey } from '../warm/start-key.ts'
import { takeWarm } from '../warm/take-warm.ts'
import type { Entered } from '../workspaces/enter-workspace.ts'
import { type Decided, decideWhenFree, waitABit } from './decide-when-free.ts'
import { storedEvent } from './event-log.ts'
import type { Situation } from './gather.ts'
import { instructionsFor } from './instructions.ts'
import { prospectOf } from './prospect-of.ts'
import { specOf } from './run-spec.ts'
import type { TurnInput } from './turn-input.ts'

/** The part of a plan that the end of the run is made from. Recovery rebuilds it from the store. */
export type PlannedRun = {
  readonly run: Run
  /** The messages that the session must know before the prompt. */
  readonly view: readonly Message[]
  readonly prompt: Message
  readonly decision: Decision
  /** The state of the source session's file before the run, and the cost from which the agent counts on. */
  readonly mark: SessionMark
  /** The session that is resumed or forked. */
  readonly source: Session | null
  readonly sent: Sent
  readonly instructionsHash: string | null
  /** `null`: the run is not part of a chain. */
  readonly tierContext: TierContext | null
}

export type Plan = PlannedRun & {
  readonly spec: RunSpec
  /** Permissions given to a run whose process died: each is valid for the same call of this run. */
  readonly granted: readonly Question[]
  /** What a user has allowed for the whole run before it began. */
  readonly allowed: readonly PermissionRule[]
  /** The session waits at this call: the agent runs it before it reads the prompt. */
  readonly callFirst: AskedCall | null
  readonly sandbox: SandboxChoice
  /** `null`: it runs without a sandbox. */
  readonly containment: Containment | null
  /** The process that waits for this turn; `null`: a new one is started. */
  readonly kept: LiveAgent | null
  /** The files that the process has read at its start; `null`: it is not kept. */
  readonly filesKey: string | null
}

/** The agent did not continue the session of the run before. */
export type Refusal = {
  readonly reason: Reason
  /** It was a session that we had written. */
  readonly wasWritten: boolean
}

/** The turn must continue a session but cannot, for this reason. */
export type NoPlan = { readonly notContinued: Reason }

/** What the plan of one run of the turn begins with. */
type Beginning = {
  /** Why the agent did not continue the session, in the run that follows. */
  readonly refused: Refusal | null
  /** The work tree of a repository on this host; `null`: the thread works in a directory. */
  readonly entered: Entered | null
}

export async function makePlan(
  dependencies: Dependencies,
  input: TurnInput,
  beginning: Beginning,
): Promise<Plan | NoPlan> {
  for (;;) {
    try {
      return await tryPlan(dependencies, input, beginning)
    } catch (error) {
      // Another run took the session between the decision and the start: decide again.
      if (!(error instanceof RepriseError) || error.code !== 'busy') throw error
      await waitABit(dependencies, input)
    }
  }
}

async function tryPlan(
  dependencies: Dependencies,
  input: TurnInput,
  { refused, entered }: Beginning,
): Promise<Plan | NoPlan> {
  const { store, random } = dependencies
  const stored = await mustExist(store.run(input.runId), `run ${input.runId}`)
  const run = entered ? { ...stored, workDir: entered.workDir } : stored
  const prompt = await mustExist(store.message(run.promptMessageId ?? ''), `prompt of ${run.id}`)
  const branch = await store.branch(input.lease.threadId)
  const tierContext = await tierContextOf(dependencies, run, input.agent)
  const situation: Situation = {
    agent: input.agent,
    threadId: input.lease.threadId,
    view: viewOf(beforePrompt(branch, prompt), input.view, run.agent),
    workDir: run.workDir,
    model: run.model ?? input.agent.model,
    freshSession: run.freshSession,
    resume: {
      ...withThreshold(await dependencies.settingsFor(run.workDir), tierContext),
      // Each host has a path of its own for the same work.
      ...(entered && { onWorkDirChange: 'relocate' as const }),
      ...input.settings.resume,
      ...(input.carry && { carry: input.carry }),
    },
    carriesNow: input.carry !== undefined,
    ...(tierContext && { purpose: tierContext.purpose }),
    writtenWasRefused: refused?.wasWritten ?? false,
  }
  const asked = { input, refused: refused?.reason ?? null }
  const decided = await decideWhenFree(dependencies, situation, asked)
  const freshId = input.agent.runtime.abilities.chooseSessionId ? random.uuid() : null
  const { facts, sessions } = decided
  const turn = { ...situation, facts, sessions, disallowedTools: run.disallowedTools }
  const { adapter } = input.agent
  const weighed = await weighCarry(dependencies, situation, {
    ...decided,
    carry: carryFor(situation, { input, run, tierContext }),
    // All ways get the same prompt, so that its length does not matter.
    prospect: () => prospectOf(dependencies, { ...turn, adapter, prompt: '' }),
  })
  // Before anything is written: a turn that ends here must not leave the newest session of its directory.
  if (mustEnd(input, weighed.decision)) return { notContinued: weighed.decision.reason }
  const { decision, written, newSessionId } = await writeFor(dependencies, situation, {
    decided,
    weighed,
    newSessionId: freshId,
  })
  // A copy that could not be written may have become a replay.
  if (mustEnd(input, decision)) return { notContinued: decision.reason }
  const source = sourceOf(decision, sessions)
  const chosen = { run, prompt, branch, entered, tierContext, situation, decided, source }
  return undoneOnError(
    async () => written?.undo(),
    () => startPlanned(dependencies, input, { ...chosen, decision, written, newSessionId }),
  )
}

/** How the turn reaches its agent is decided, and its session is written. */
type Chosen = {
  readonly run: Run
  readonly prompt: Message
  readonly branch: readonly Message[]
  readonly entered: Entered | null
  readonly tierContext: TierContext | null
  readonly situation: Situation
  readonly decided: Decided
  readonly decision: Decision
  readonly source: Session | null
  readonly written: Written | null
  readonly newSessionId: string | null
}

async function startPlanned(
  dependencies: Dependencies,
  input: TurnInput,
  chosen: Chosen,
): Promise<Plan> {
  const { store } = dependencies
  const { run, prompt, branch, entered, tierContext, situation, decided } = chosen
  const { decision, source, written, newSessionId } = chosen
  const { facts, sessions } = decided
  const note = decision.action === 'handover' ? noteOf(tierContext, branch, situation) : null
  const first =
    tierContext && (await callFirst(dependencies, tierContext, { agent: input.agent, source }))
  const instructions = instructionsFor(input, decision, source)
  const continued = { decision, source, view: situation.view }
  const { granted, allowed, parked, leftAsking } = await planReply(store, run, continued)
  const composing = {
    newSessionId,
    run,
    prompt,
    situation,
    decision,
    source,
    writtenModel: written?.model ?? null,
    facts,
    instructions,
    parked,
    tierContext,
    note,
    callFirst: first,
    files:
      entered?.news ??
      (await driftSince(dependencies, situation, { ...decided, source, decision, run })),
  }
  const sandbox = await sandboxFor(dependencies, run.sandboxWanted)
  const keeper = createTextKeeper(dependencies)
  const isSpecial =
    input.maxTurns !== undefined || entered !== null || first !== null || parked !== null
  const stays = mayStay(dependencies, { run, agent: input.agent, sandbox, isSpecial })
  const { maxTurns } = input
  const trace = await dependencies.tracing.begin(run)
  const spec = await specOf(dependencies, { ...composing, keeper, maxTurns, stays, trace })
  const containment = containmentOf(dependencies, sandbox, {
    kept: keeper.paths,
    outputs: await readableOutputs(dependencies, input.lease.threadId),
    workTree: entered,
  })
  const newSession = announcedSession(dependencies, {
    situation,
    spec,
    decision,
    source,
    instructions,
    written,
  })
  const promptChars = spec.prompt?.length ?? 0
  const sent = { prompt: prompt.text, promptChars, model: spec.model }
  const { adapter } = input.agent
  const turn = { ...situation, facts, sessions, disallowedTools: run.disallowedTools }
  const prospect = await prospectOf(dependencies, { ...turn, ...sent, adapter })
  const filesKeyNow = stays ? await filesKey(dependencies, input.agent, spec) : null
  const wanted = { ...situation, spec, source, filesKey: filesKeyNow }
  // From here until the run has started, what fails must end the process that was taken.
  const taken = await takeWarm(dependencies, wanted)
  const warm = taken !== null && 'live' in taken ? taken : null
  const mark =
    written?.mark ?? warm?.mark ?? (await markOf(dependencies, input.agent, { spec, source }))
  const startedAt = dependencies.clock.now()
  const started = await undoneOnError(
    async () => warm && dependencies.warm?.end(warm.live),
    () =>
      store.startRun(input.lease, {
        runId: run.id,
        startedAt,
        workDir: spec.workDir,
        model: spec.model,
        runtime: input.agent.runtime.fingerprint,
        decision,
        facts,
        resumeSettings: situation.resume,
        estimate: estimateDecision(decision, prospect),
        session: newSession?.id ?? (decision.action === 'resume' ? decision.session.id : null),
        newSession,
        handoverNote: note,
        leftAsking,
        sandbox: sandbox.kind === 'use' ? sandbox.sandbox : 'none',
        sandboxNote: sandboxNote(sandbox),
        processRunId: warm?.live.startedBy ?? run.id,
        mark,
        answerTo: parked?.toolUseId ?? null,
        prompt: sentPrompt(spec, input.agent),
        events: [
          storedEvent(startedAt, { type: 'started', decision }),
          ...(decision.action === 'handover'
            ? [storedEvent(startedAt, handoverNotice(decision))]
            : []),
          ...(taken !== null && 'why' in taken ? [storedEvent(startedAt, notUsed(taken.why))] : []),
          ...sandboxNotices(sandbox).map(notice => storedEvent(startedAt, notice)),
          ...(entered?.news ? [storedEvent(startedAt, arrivedNotice(entered.news))] : []),
        ],
      }),
  )
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
    allowed,
    instructionsHash: instructions.hash,
    tierContext,
    callFirst: first,
    sandbox,
    containment,
    kept: warm?.live ?? null,
    filesKey: filesKeyNow,
  }
}

/** What was asked for: by its policy for a tier, else by the turn, its thread, its job or the config. */
function carryFor(
  situation: Situation,
  { input, run, tierContext }: { input: TurnInput; run: Run; tierContext: TierContext | null },
): Carry | undefined {
  if (tierContext !== null) return tierContext.tier.carry
  // An answer goes to the session that asked.
  if (run.repliesTo !== null) return undefined
  const carry = askedCarry(situation)
  // A note cannot prove that nothing is done twice.
  return input.settings.mustContinue && carry === 'note' ? undefined : carry
}

type NotContinuing = Exclude<Decision, { readonly action: 'resume' | 'fork' }>

/** Whether the turn must continue a session, and the decision continues none. */
function mustEnd({ settings }: TurnInput, decision: Decision): decision is NotContinuing {
  return settings.mustContinue && decision.action !== 'resume' && decision.action !== 'fork'
}

function sourceOf(decision: Decision, sessions: readonly Session[]): Session | null {
  const id = 'session' in decision ? decision.session.id : null
  return sessions.find(session => session.id === id) ?? null
}

function noteOf(
  tierContext: TierContext | null,
  branch: readonly Message[],
  { view }: Situation,
): HandoverNote | null {
  return tierContext ? noteFor(tierContext, branch) : usableNote(buildThreadNote(view))
}

/** A run that does not start leaves no file and no process behind. */
async function undoneOnError<T>(undo: () => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    // What cannot be undone must not hide why the run does not start.
    await undo().catch(() => {})
    throw error
  }
}

function sentPrompt(spec: RunSpec, { adapter, runtime, secrets }: Agent): SentPrompt {
  const { args } = adapter.open(spec, runtime).command
  return keptPrompt(
    spec.prompt ?? '',
    args.map(arg => redact(arg, secrets)),
  )
}

/** The notice in the log says why the turn takes so long to begin. */
function notUsed(why: WhyNotUsed): AgentSaid {
  return { type: 'notice', code: NOT_USED_CODE, text: notUsedWords(why) }
}

/** The notice in the log says what became of the files. */
function arrivedNotice(text: string): AgentSaid {
  return { type: 'notice', code: 'files-arrived', text }
}

/** The notice in the log says why the prompt holds a note. */
function handoverNotice(decision: Decision): AgentSaid {
  return { type: 'notice', code: 'handover', text: wordsOf(decision) }
}

/** Gives the branch up to the prompt. A run that takes over a turn finds the prompt on the branch already. */
export function beforePrompt(branch: readonly Message[], prompt: Message): readonly Message[] {
  const index = branch.findIndex(message => message.id === prompt.id)
  return index < 0 ? branch : branch.slice(0, index)
}
