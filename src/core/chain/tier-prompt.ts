// The prompt of a tier: its place, its role, what it may do. It is made from the policy alone, so no finding can be in it.
import type { PromptMark } from '../conversation/data-block.ts'
import {
  GO_ON,
  type Interruption,
  interruptedWords,
  openCallsWords,
} from '../conversation/interruption.ts'
import { effectiveTier, type Mandate, type Tier } from './policy.ts'
import type { VerdictForm } from './verdict.ts'

/** Together they stay under 500 tokens, also for text that takes more than one token for four characters. */
const MAX_ESCALATION_CHARS = 1_350
const MAX_EARLIER_CHARS = 150

/** Tier 1: its briefing, then what the user asked for. */
export function firstPrompt(mandate: Mandate, form: VerdictForm, prompt: string): string {
  const tier = effectiveTier(mandate, 1)
  return [
    `You operate as tier 1 of ${mandate.policy.tiers.length}: ${tier.name}. ${tier.role}`,
    powers(tier),
    verdictLine(form),
    'This is the task:',
    prompt,
  ].join('\n\n')
}

/** The prompt of every higher tier. `earlierWork` adds where the tier finds the work of the tiers below. */
export function escalationPrompt(mandate: Mandate, number: number, form: VerdictForm): string {
  const tier = effectiveTier(mandate, number)
  const text = [
    `You now operate as tier ${number} of ${mandate.policy.tiers.length}: ${tier.name}. ${tier.role}`,
    'Build on what was found before you, and do not repeat checks whose results you have.',
    powers(tier),
    verdictLine(form),
  ].join('\n\n')
  return text.length <= MAX_ESCALATION_CHARS ? text : `${text.slice(0, MAX_ESCALATION_CHARS - 1)}…`
}

/** Continues a tier after its run was interrupted. It repeats the tier's place, which the session may not hold yet. */
export function continuedPrompt(
  mandate: Mandate,
  { tier: number, form, interruption, mark }: { tier: number; form: VerdictForm } & Interrupted,
): string {
  const tier = effectiveTier(mandate, number)
  const { happened, attempt, openCalls } = interruption
  const parts = [
    `${interruptedWords(happened)} You still operate as tier ${number} of ${mandate.policy.tiers.length}: ${tier.name}. ${tier.role} This is attempt ${attempt} of this tier.`,
    powers(tier),
    openCallsWords(openCalls, mark),
    GO_ON,
    verdictLine(form),
  ]
  return parts.filter(part => part !== null).join('\n\n')
}

type Interrupted = { readonly interruption: Interruption; readonly mark: PromptMark }

/** Asks a tier again that gave no usable verdict. */
export function verdictPrompt(form: VerdictForm): string {
  return `Your last answer had no usable verdict. Do nothing else now; only give it.\n\n${verdictLine(form)}`
}

/** Where a new tier finds the work of the tiers below: in its session, or in the prompt when no session can be continued. */
export type EarlierWork = {
  readonly inConversation: string
  /** The tiers whose session it was. */
  readonly whose: string
}

export function earlierWork({ policy }: Mandate, number: number): EarlierWork | null {
  const names = policy.tiers.slice(0, number - 1).map(({ name }, at) => `tier ${at + 1} (${name})`)
  if (names.length === 0) return null
  const whose = shortened(names.join(', '), MAX_EARLIER_CHARS)
  const inConversation =
    names.length === 1
      ? `The earlier investigation by ${whose} is in this conversation.`
      : `The investigation and the remediation attempts of ${whose} are in this conversation.`
  return { inConversation, whose }
}

function powers(tier: Tier): string {
  const actions = tier.actions.length > 0 ? tier.actions.join('; ') : 'none beyond your role'
  return [
    `Authorised actions: ${shortened(actions, 500)}.`,
    `Cooldown: ${cooldown(tier.cooldownMs)}. Dry run: ${tier.dryRun ? 'yes; change nothing, say what you would do' : 'no'}.`,
    'Tools outside your tier are refused; do not work around a refusal.',
  ].join('\n')
}

function cooldown(ms: number): string {
  if (ms === 0) return 'none'
  const minutes = Math.round(ms / 60_000)
  return `this tier is entered at most once in ${minutes >= 1 ? `${minutes} min` : `${Math.ceil(ms / 1_000)} s`}`
}

function verdictLine(form: VerdictForm): string {
  const meaning =
    'resolved (nothing more to do), escalate (the next tier is needed; give the reason) or failed'
  if (form === 'structured') return `End with your verdict as structured output: ${meaning}.`
  return [
    `End with your verdict: ${meaning}. It must be the last thing you say, in this form:`,
    '```json',
    '{ "verdict": "…", "summary": "…", "reason": "…", "findings": [{ "service": "…", "status": "…", "detail": "…" }] }',
    '```',
  ].join('\n')
}

function shortened(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`
}
