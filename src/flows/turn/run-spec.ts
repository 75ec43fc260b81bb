// Makes the arguments and the prompt of a run from one decision.
import type { RunSpec } from '../../adapters/adapter.ts'
import { type HandoverNote, noteText } from '../../core/chain/handover-note.ts'
import { earlierWork } from '../../core/chain/tier-prompt.ts'
import { VERDICT_SCHEMA } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { composePrompt, type PromptParts } from '../../core/conversation/prompt.ts'
import type { AskedCall, Question } from '../../core/conversation/question.ts'
import type { Session } from '../../core/conversation/session.ts'
import { continuationOf } from '../../core/decide/continuation.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import type { Run } from '../../core/run/run.ts'
import { type TraceContext, traceVariables } from '../../core/trace/trace-context.ts'
import type { TextKeeper } from '../agents/choose-sandbox.ts'
import { runEnvironment } from '../agents/environment.ts'
import { canGuard, refuseUnguarded, type TierContext } from '../chains/tier-context.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { keepParkFiles } from '../questions/park-files.ts'
import { namesOfOutputs } from '../sessions/tier-outputs.ts'
import type { Situation } from './gather.ts'
import type { Instructions } from './instructions.ts'
import { knownEnds } from './known-ends.ts'

/** What a process must know of its run. */
export type RunToStart = Pick<
  Run,
  'id' | 'workDir' | 'permissionMode' | 'allowedTools' | 'disallowedTools' | 'questions' | 'trust'
>

/** A composed prompt may fill about six tenths of the model's window, at four characters to a token. */
const PROMPT_CHARS_PER_WINDOW_TOKEN = 2.4
const UNKNOWN_WINDOW_TOKENS = 200_000

export function mostPromptChars({ contextWindow }: Pick<Facts, 'contextWindow'>): number {
  return (contextWindow ?? UNKNOWN_WINDOW_TOKENS) * PROMPT_CHARS_PER_WINDOW_TOKEN
}

export async function specOf(
  dependencies: Dependencies,
  plan: {
    /** `null`: the agent chooses it. */
    newSessionId: string | null
    run: RunToStart
    /** `null`: nobody has sent it yet. */
    prompt: Message | null
    situation: Situation
    decision: Decision
    /** The session that the run continues or forks. */
    source: Session | null
    /** The model of the session that we wrote for the run; absent: we wrote none. */
    writtenModel?: string | null
    facts: Facts
    instructions: Instructions
    parked: Question | null
    tierContext: TierContext | null
    note: HandoverNote | null
    /** The call at which the session waits: the agent runs it before it reads the prompt. */
    callFirst: AskedCall | null
    /** What the agent must know about the files. */
    files: string | null
    maxTurns: number | undefined
    /** The process may take further turns. */
    stays: boolean
    keeper: TextKeeper
    /** The trace that the agent goes on with. */
    trace: TraceContext | null
  },
): Promise<RunSpec> {
  const { run, situation, decision, instructions, tierContext, note, keeper } = plan
  const { agent } = situation
  // The program may be another one since the chain began.
  if (tierContext) refuseUnguarded(agent)
  const parts: PromptParts = {
    view: situation.view,
    message: plan.prompt?.text ?? '',
    instructions: instructions.inPrompt,
    ...(tierContext && chainParts(tierContext)),
    ...(note && { note: noteText(note) }),
    ...(plan.files && { files: plan.files }),
    mark: dependencies.random.promptMark(),
    maxChars: mostPromptChars(plan.facts),
  }
  const compose = (chosen: Decision) => composePrompt(chosen, parts).text
  const outputsDirs = await namesOfOutputs(dependencies, situation.threadId)
  const asks = run.questions !== 'none' && agent.adapter.canAsk(agent.runtime)
  const spec: RunSpec = {
    runId: run.id,
    continuation: continuationOf(decision, plan.newSessionId),
    prompt: plan.parked || plan.prompt === null ? null : compose(decision),
    ...(!agent.adapter.sessionFiles && { knownEnds: knownEnds(decision, situation.view, compose) }),
    workDir: run.workDir,
    model: situation.model ?? modelKept(plan, agent),
    permissionMode: run.permissionMode,
    allowedTools: run.allowedTools,
    disallowedTools: run.disallowedTools,
    instructionsFile: instructions.text ? await keeper.keepText(instructions.text) : null,
    asks,
    parkFiles: await keepParkFiles(keeper, { agent, asks, parked: plan.parked, tierContext }),
    ...(plan.callFirst && { callFirst: true }),
    ...(tierContext?.form === 'structured' && { answerSchema: VERDICT_SCHEMA }),
    ...(tierContext && canGuard(agent) && { isGuarded: true }),
    ...(plan.maxTurns !== undefined && { maxTurns: plan.maxTurns }),
    ...(plan.stays && { stays: true }),
    trust: run.trust,
    contextDir: await contextDir(dependencies, { run, agent, keeper }),
    ...(outputsDirs.length > 0 && { outputsDirs }),
    env: runEnvironment(
      agent,
      { ...dependencies.environment, ...traceVariables(plan.trace) },
      {
        trust: run.trust,
        policy: tierContext?.chain.mandate.policy ?? null,
      },
    ),
  }
  // Throws for bad values before the run is recorded as started.
  agent.adapter.open(spec, agent.runtime).dialogue.begin()
  return spec
}

/**
 * A session that continues keeps the model that it had. Without the name, Claude Code would take the model of the last
 * answer, which may be a fallback or lack the `[1m]` of a long window.
 */
function modelKept(
  {
    decision,
    source,
    writtenModel = null,
  }: { decision: Decision; source: Session | null; writtenModel?: string | null },
  { adapter }: Agent,
): string | null {
  const continues = decision.action === 'resume' || decision.action === 'fork'
  const model = continues ? (source?.model ?? null) : writtenModel
  return model !== null && adapter.words.takesModel(model) ? model : null
}

function chainParts({ chain, purpose }: TierContext): Pick<PromptParts, 'purpose' | 'earlier'> {
  const earlier = purpose.enters ? earlierWork(chain.mandate, purpose.tier) : null
  return { purpose: 'chain', ...(earlier && { earlier }) }
}

type Contextual = { readonly run: RunToStart; readonly agent: Agent; readonly keeper: TextKeeper }

/** Gives the project's notes for agents, unless the project's settings already load them. */
async function contextDir(
  { files }: Dependencies,
  { run, agent, keeper }: Contextual,
): Promise<string | null> {
  if (run.trust === 'project') return null
  const file = await agent.adapter.contextFile?.(run.workDir, files)
  return file ? keeper.keepContext(file) : null
}
