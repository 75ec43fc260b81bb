// What is special about a run of a chain: its tier, the note it may need, its verdict, and the supervisor after its end.
import type { Outcome } from '../../adapters/adapter.ts'
import type { ChainRecord } from '../../core/chain/chain.ts'
import {
  buildNote,
  type DoneTier,
  type HandoverNote,
  usableNote,
} from '../../core/chain/handover-note.ts'
import {
  agentOfTier,
  confinesOf,
  effectiveTier,
  type Mandate,
  type Tier,
  tierOf,
} from '../../core/chain/policy.ts'
import { type ChainStep, supervise, withoutAgent } from '../../core/chain/supervise.ts'
import {
  continuedPrompt,
  escalationPrompt,
  firstPrompt,
  verdictPrompt,
} from '../../core/chain/tier-prompt.ts'
import {
  readVerdict,
  type Verdict,
  type VerdictForm,
  type VerdictRead,
} from '../../core/chain/verdict.ts'
import type { Interruption } from '../../core/conversation/interruption.ts'
import { hashOf, type Message } from '../../core/conversation/messages.ts'
import type { AskedCall } from '../../core/conversation/question.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Purpose } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import { type Deferral, deferrable } from '../../core/fence/deferral.ts'
import { dryRules } from '../../core/fence/dry-run.ts'
import type { ReadShell } from '../../core/fence/shell-line.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import { redact } from '../../core/secrets/redact.ts'
import { RepriseError } from '../../errors.ts'
import type { Supervise } from '../../store/contract/chains.ts'
import type { NewTurn } from '../../store/contract/queue.ts'
import type { Agent, Dependencies, WorkDirSettings } from '../dependencies.ts'
import { waitsAtCall } from '../turn/gather.ts'

export type TierContext = {
  readonly chain: ChainRecord
  readonly tier: Tier
  readonly purpose: Purpose
  /** Above this share of the window the tier gets a note; `null`: the general setting applies. */
  readonly contextThreshold: number | null
  readonly form: VerdictForm
  /** All runs of the chain in order, including this one. */
  readonly runs: readonly Run[]
  readonly readShell: ReadShell
}

/** `null` for a run outside of chains. */
export async function tierContextOf(
  dependencies: Dependencies,
  run: Pick<Run, 'chainId' | 'tier' | 'promptMessageId'>,
  agent: Agent,
): Promise<TierContext | null> {
  if (run.chainId === null) return null
  const chain = await dependencies.store.chain(run.chainId)
  if (chain === null) return null
  const runs = await dependencies.store.runsOfChain(chain.id)
  const number = run.tier ?? 1
  const earlier = runs.filter(
    other =>
      other.tier === run.tier &&
      other.startedAt !== null &&
      other.promptMessageId !== run.promptMessageId,
  )
  const handedOver = runs.flatMap(({ tier, sessionId }) =>
    (tier ?? 1) < number - 1 && sessionId !== null ? sessionId : [],
  )
  const below = runs.findLast(({ tier }) => (tier ?? 1) < number)?.agent ?? agent.name
  return {
    chain,
    tier: tierFor(chain.mandate, number, agent),
    purpose: {
      kind: 'chain',
      tier: number,
      ...(below !== agent.name && { agentBelow: below }),
      enters: earlier.length === 0,
      ownSessions: earlier.flatMap(({ sessionId, sessionConfirmedAt }) =>
        sessionId !== null && sessionConfirmedAt !== null ? sessionId : [],
      ),
      ...(handedOver.length > 0 && { handedOver }),
    },
    contextThreshold: thresholdOf(chain, number),
    form: formFor(agent),
    runs,
    readShell: (await import('../../shell/read-shell.ts')).readShell,
  }
}

export function formFor({ adapter, runtime }: Agent): VerdictForm {
  return adapter.structuredOutput(runtime) ? 'structured' : 'block'
}

function thresholdOf({ mandate }: ChainRecord, tier: number): number | null {
  return tierOf(mandate.policy, tier).contextThreshold ?? mandate.policy.contextThreshold
}

/** Environment variables override the policy, and the policy overrides the config files. */
export function withThreshold(
  { resume, fromEnvironment }: WorkDirSettings,
  tierContext: TierContext | null,
): ResumeSettings {
  const contextThreshold = tierContext?.contextThreshold ?? null
  return contextThreshold === null ? resume : { ...resume, contextThreshold, ...fromEnvironment }
}

/** Builds the note from the store alone. `null`: the note is not usable, and the agent gets the transcript instead. */
export function noteFor(
  { chain, runs }: Pick<TierContext, 'chain' | 'runs'>,
  branch: readonly Message[],
): HandoverNote | null {
  const numbers = [...new Set(runs.map(run => run.tier ?? 1))]
  const tiers = numbers.flatMap((number): DoneTier[] => {
    const own = runs.filter(run => run.tier === number)
    const ids = new Set(own.map(run => run.id))
    const answers = branch.filter(
      message => message.role === 'assistant' && message.runId !== null && ids.has(message.runId),
    )
    if (answers.length === 0) return []
    const verdict = own.findLast(run => run.verdict !== null)?.verdict ?? null
    return [{ tier: number, name: tierOf(chain.mandate.policy, number).name, verdict, answers }]
  })
  return usableNote(buildNote(chain.prompt, tiers))
}

/** Only a completed run has a verdict; the text of any other run never counts as one. */
export function verdictOf(
  { form }: TierContext,
  outcome: Outcome,
  { result, parked }: Observation,
): VerdictRead | null {
  if (outcome.kind !== 'completed' || result === null) return null
  if (parked) return { read: 'verdict', verdict: parkedVerdict(parked) }
  return readVerdict(form, { structured: result.structured ?? null, text: result.text })
}

/** The agent tried a call above its tier, which counts as asking for the next tier. */
function parkedVerdict({ tool, input }: QuestionEvent): Verdict {
  const call = `${tool} ${redact(input).slice(0, 300)}`
  const reason = `a call is above this tier, and parked: ${call}`
  return {
    verdict: 'escalate',
    summary: `The call waits for the next tier: ${call}`,
    reason,
    findings: [],
  }
}

/** Gives the call at which the session of the tier below waits; the next tier begins with it. */
export async function callFirst(
  { store }: Dependencies,
  { runs }: TierContext,
  { agent, source }: { readonly agent: Agent; readonly source: Session | null },
): Promise<AskedCall | null> {
  if (source === null || !waitsAtCall(agent, source)) return null
  const parked = runs.findLast(({ sessionId }) => sessionId === source.sessionId)
  return parked ? store.parkedCall(parked.id) : null
}

/** The calls that only the next tier may make, and that the agent can park for it. Another agent cannot go on with a parked call. */
export function deferralOf(
  { chain, purpose }: TierContext,
  { name, adapter, runtime }: Agent,
): Deferral | null {
  if (!adapter.park?.canPark(runtime)) return null
  if (agentOfTier(chain, purpose.tier + 1) !== name) return null
  return deferrable(chain.mandate, purpose.tier, adapter.tools.shells)
}

/** The agent of a tier, or the reason why the tier cannot be entered now. */
export type AgentFound = { readonly agent: Agent } | { readonly missing: RepriseError }

/** Gives the function that the store calls in the transaction that ends a run. `nextRunId` is used only if the chain goes on. */
export function supervisor(
  dependencies: Dependencies,
  { chain }: TierContext,
  ended: {
    readonly run: Run
    readonly agent: Agent
    /** The agent of the next tier. */
    readonly above: AgentFound
    readonly outcome: Outcome
    readonly verdict: VerdictRead | null
    readonly nextRunId: string
  },
): Supervise {
  const { run, above, outcome, verdict, nextRunId } = ended
  return facts => {
    const failure = outcome.kind === 'completed' ? null : outcome.failure
    const step = supervise(facts, { status: outcome.kind, failure, verdict })
    if (step.kind === 'end') return { step, next: null }
    if (step.kind === 'enter' && 'missing' in above) {
      const { message: problem } = above.missing
      const agent = agentOfTier(chain, step.tier)
      return { step: withoutAgent({ tier: step.tier, agent, problem }), next: null }
    }
    const agent = step.kind === 'enter' && 'agent' in above ? above.agent : ended.agent
    const request = { chain, agent, step, runId: nextRunId, parentRunId: run.id }
    return { step, next: turnOf(dependencies, request) }
  }
}

export type TierRequest = {
  readonly chain: Pick<ChainRecord, 'id' | 'threadId' | 'workDir' | 'prompt' | 'mandate'>
  /** The agent of the step's tier. */
  readonly agent: Agent
  readonly step: Exclude<ChainStep, { kind: 'end' }>
  readonly runId: string
  readonly parentRunId: string | null
  /** Set when the tier goes on after it was broken off; `null` if no run of the tier ever began. */
  readonly interruption?: Interruption | null
  readonly attempt?: number
}

/** Every run gets model, mode and tools of its own tier, never those of the tier below. */
export function turnOf(dependencies: Dependencies, request: TierRequest): NewTurn {
  const { chain, agent, step, runId } = request
  const tier = tierFor(chain.mandate, step.tier, agent)
  const confines = confinesOf(chain.mandate.policy, tier)
  const content = { role: 'user' as const, agent: null, text: promptFor(request, dependencies) }
  return {
    run: {
      id: runId,
      agent: agent.name,
      model: tier.model ?? agent.model,
      threadId: chain.threadId,
      workDir: chain.workDir,
      permissionMode: tier.permissionMode,
      allowedTools: tier.allowedTools,
      disallowedTools: forbiddenIn(tier, agent),
      trust: confines.trust,
      sandboxWanted: confines.sandbox,
      freshSession: false,
      questions: 'none',
      chainId: chain.id,
      tier: step.tier,
      parentRunId: request.parentRunId,
      ...(request.attempt !== undefined && { attempt: request.attempt }),
    },
    message: {
      ...content,
      id: dependencies.random.id('msg'),
      tools: [],
      interrupted: false,
      hash: hashOf(content),
      runId,
      createdAt: dependencies.clock.now(),
    },
    owner: dependencies.owner,
  }
}

function promptFor(
  { chain, agent, step, interruption }: TierRequest,
  { random }: Dependencies,
): string {
  const form = formFor(agent)
  if (step.kind === 'ask-verdict') return verdictPrompt(form)
  if (interruption) {
    const continuation = { tier: step.tier, form, interruption, mark: random.promptMark() }
    return continuedPrompt(chain.mandate, continuation)
  }
  if (step.tier === 1) return firstPrompt(chain.mandate, form, chain.prompt)
  return escalationPrompt(chain.mandate, step.tier, form)
}

/** Gives the tier with the tools and the mode that its agent gets. */
export function tierFor(
  mandate: Mandate,
  number: number,
  { adapter, runtime }: Agent,
): Tier & { readonly permissionMode: string } {
  const tier = effectiveTier(mandate, number)
  const { fence, tools, words } = adapter
  const usual = tier.permissionMode ?? fence?.modes[0] ?? words.defaultMode
  if (!tier.dryRun || !fence) return { ...tier, permissionMode: usual }
  const permissionMode = fence.dryRun.mode
  if (fence.kind === 'sandbox') return { ...tier, permissionMode, allowedTools: [] }
  const shells = fence.canGuard(runtime) ? tools.shells : []
  const dry = { tools: fence.dryRun.tools, aliases: tools.aliases, shells }
  return { ...tier, permissionMode, allowedTools: dryRules(tier.allowedTools, dry) }
}

/** Whether the agent asks us before each call of a tier. */
export function canGuard({ adapter, runtime }: Agent): boolean {
  return adapter.fence?.kind === 'rules' && adapter.fence.canGuard(runtime)
}

/** Throws when nothing would hold the agent to a tier: it asks somebody else before a call, or this version of it asks nobody. */
export function refuseUnguarded(agent: Agent): void {
  const { name, through, adapter, runtime } = agent
  // The Agent SDK answers hooks itself.
  if (through !== undefined)
    throw new RepriseError(
      'agent-unusable',
      `agent "${name}" talks through the Agent SDK, where the calls of a tier cannot be held back`,
      'Use an agent without it for chains: claudeCode() without `sdk`.',
    )
  const fence = adapter.fence?.kind === 'rules' ? adapter.fence : null
  if (fence?.kinds === undefined || canGuard(agent)) return
  throw new RepriseError(
    'agent-unusable',
    `agent "${name}" cannot be held to a tier: nobody has seen that ${adapter.name} ${runtime.version} asks before its calls`,
    `Install a version that was measured: ${fence.guardedVersions ?? 'any that Reprise knows'} (${adapter.install}). Or name another agent for the tier.`,
  )
}

/** Tools that the agent runs without asking anybody must be forbidden by name. */
export function forbiddenIn(tier: Tier, { adapter }: Agent): readonly string[] {
  const allowed = tier.allowedTools.map(rule => rule.split('(')[0] ?? '')
  const namesOf = (tool: string) =>
    adapter.tools.aliases.find(group => group.includes(tool)) ?? [tool]
  const allows = (tool: string) => namesOf(tool).some(name => allowed.includes(name))
  const always = adapter.fence?.kind === 'rules' ? adapter.fence.unasked : []
  const unasked = always.filter(tool => !allows(tool))
  return [...new Set([...tier.disallowedTools, ...unasked])]
}
