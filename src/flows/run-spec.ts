// What the agent is started with: arguments and prompt, of one decision (D-2).
import type { RunSpec } from '../adapters/adapter.ts'
import { continuationOf } from '../core/continuation.ts'
import type { Decision, Facts } from '../core/decision.ts'
import { type HandoverNote, noteText } from '../core/handover-note.ts'
import type { Message } from '../core/messages.ts'
import { composePrompt, type PromptParts } from '../core/prompt.ts'
import type { Question } from '../core/question.ts'
import type { Run } from '../core/run.ts'
import { earlierWork } from '../core/tier-prompt.ts'
import { VERDICT_SCHEMA } from '../core/verdict.ts'
import { type Conduct, deferralFile } from './conduct.ts'
import { runEnvironment } from './environment.ts'
import type { Situation } from './gather.ts'
import type { Instructions } from './instructions.ts'
import type { Agent, Parts } from './parts.ts'
import { questionsFile } from './reply-plan.ts'

/** A composed prompt may fill about six tenths of the model's window, at four characters to a token. */
const PROMPT_CHARS_PER_WINDOW_TOKEN = 2.4
const UNKNOWN_WINDOW_TOKENS = 200_000

export async function specOf(
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
    ...(conduct && chainParts(conduct)),
    ...(note && { note: noteText(note) }),
    mark: parts.random.promptMark(),
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
    ...(conduct && agent.adapter.canGuard(agent.runtime) && { isGuarded: true }),
    ...(plan.maxTurns !== undefined && { maxTurns: plan.maxTurns }),
    trust: run.trust,
    contextDir: await contextDir(parts, { run, agent }),
    env: runEnvironment(agent, parts.environment, {
      trust: run.trust,
      policy: conduct?.chain.mandate.policy ?? null,
    }),
  }
  // Refuses bad values before anything is recorded as started.
  agent.adapter.command(spec, agent.runtime)
  return spec
}

function chainParts({ chain, purpose }: Conduct): Pick<PromptParts, 'purpose' | 'earlier'> {
  const earlier = purpose.enters ? earlierWork(chain.mandate, purpose.tier) : null
  return { purpose: 'chain', ...(earlier && { earlier }) }
}

/** The project's own notes, where its settings do not bring them along. */
async function contextDir(
  parts: Parts,
  { run, agent }: { readonly run: Run; readonly agent: Agent },
): Promise<string | null> {
  if (run.trust === 'project') return null
  const file = await agent.adapter.contextFile(run.workDir, parts.files)
  return file && parts.keepContext(file)
}
