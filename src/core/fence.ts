// E-5: the agent program refuses what is outside a tier; this watches its stream for a call that ran all the same.
import type { AgentEvent } from './events.ts'
import { matches, namesTool, parseRule, type ToolCall, type ToolRule } from './tool-rules.ts'

export type Fence = {
  readonly allowed: readonly ToolRule[]
  readonly denied: readonly ToolRule[]
  /** Tools of the agent that do nothing but talk, such as its list of things to do. */
  readonly harmless: ReadonlySet<string>
}

export type Violation = {
  readonly tool: string
  /** The rule that forbids the call; `null`: no rule allows its tool. */
  readonly rule: string | null
  /** How the call ended: it ran, or the agent went on without telling. */
  readonly ended: 'ran' | 'not-told'
}

export type FenceWatch = {
  /** Events in order; the first violation, as soon as it is one. */
  see(event: AgentEvent): Violation | null
}

export function fenceOf(
  tier: { readonly allowedTools: readonly string[]; readonly disallowedTools: readonly string[] },
  harmless: readonly string[],
): Fence {
  const rules = (texts: readonly string[]) => texts.flatMap(text => parseRule(text) ?? [])
  return {
    allowed: rules(tier.allowedTools),
    denied: rules(tier.disallowedTools),
    harmless: new Set(harmless),
  }
}

export function watchFence(fence: Fence): FenceWatch {
  const outside = new Map<string, Pick<Violation, 'tool' | 'rule'>>()
  return {
    see(event) {
      if (event.type === 'tool') {
        const found = outsideOf(fence, event)
        if (found) outside.set(event.id, found)
        return null
      }
      if (event.type === 'tool-result') {
        const call = outside.get(event.id)
        outside.delete(event.id)
        return call && !event.isError && !event.denied ? { ...call, ended: 'ran' } : null
      }
      const [open] = outside.values()
      const isOver = event.type === 'result' && event.terminalReason !== 'tool_deferred'
      return isOver && open ? { ...open, ended: 'not-told' } : null
    },
  }
}

/** A deny rule counts with what is in its brackets; which calls a scoped allow rule lets through is the agent's to judge. */
export function outsideOf(fence: Fence, call: ToolCall): Pick<Violation, 'tool' | 'rule'> | null {
  const denied = fence.denied.find(rule => matches(rule, call))
  if (denied) return { tool: call.name, rule: denied.text }
  if (fence.harmless.has(call.name)) return null
  const isAllowed = fence.allowed.some(rule => namesTool(rule, call.name))
  return isAllowed ? null : { tool: call.name, rule: null }
}

export function violationWords({ tool, rule, ended }: Violation): string {
  const why = rule === null ? 'no rule of the tier allows it' : `the tier forbids ${rule}`
  return ended === 'ran'
    ? `${tool} ran although ${why}`
    : `how a call of ${tool} ended was not told, and ${why}`
}
