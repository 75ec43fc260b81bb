// Which calls are outside a tier. Reprise checks a call before it runs where the agent asks, and always checks the stream.

import type { AgentEvent } from '../run/events.ts'
import { allowsCommand, deniesCommand, leavesNothing, onlyLooks } from './command-rules.ts'
import { commandWords, type ReadShell, type ShellCommand } from './shell-line.ts'
import { isTransparent, startedBy } from './started-commands.ts'
import {
  commandOf,
  fitsPlace,
  namesTool,
  parseRule,
  type ToolCall,
  type ToolRule,
} from './tool-rules.ts'

/** What an adapter and the reader of shell lines say about tools. */
export type ToolFacts = {
  /** Tools that change nothing outside the agent, such as its to-do list. */
  readonly harmless: readonly string[]
  /** Groups of names for the same tool; rules and calls may use any of them. */
  readonly aliases: readonly (readonly string[])[]
  /** Tools whose input is a line for a shell. */
  readonly shells: readonly string[]
  /** Whether an error result says that the agent rejected the call before it asked us; absent: the agent says no such thing. */
  readonly readsAsUnasked?: ((result: string) => boolean) | undefined
  readonly readShell: ReadShell
}

export type Fence = {
  readonly allowed: readonly ToolRule[]
  readonly denied: readonly ToolRule[]
  readonly facts: ToolFacts
}

/** Why a call is outside: a rule forbids it, no rule allows it, or its command cannot be judged. */
export type Outside = { readonly tool: string } & (
  | { readonly why: 'forbidden'; readonly rule: string }
  | { readonly why: 'not-allowed'; readonly command: string | null }
  | { readonly why: 'unreadable'; readonly problem: string }
)

/** What happens to a call that waits for a ruling; a parked call waits for the next tier. */
export type Ruling =
  | { readonly kind: 'pass' }
  | { readonly kind: 'refuse'; readonly why: string }
  | { readonly kind: 'park' }

/** How a call outside the tier ended: it ran, or the agent reported no result. */
export type PolicyViolation = { readonly call: Outside; readonly ended: 'ran' | 'unknown' }

export type FenceWatch = {
  /** Takes the events in order; returns a violation as soon as there is one. */
  see(event: AgentEvent): PolicyViolation | null
  /** Reprise refused this call: its only valid result is an error. */
  noteRefused(callId: string): void
  /** Reprise judged the whole call and allowed it. Its copy in the stream may be shortened and is not judged. */
  notePassed(callId: string): void
}

/** A line that starts more commands, or nests them deeper, counts as unreadable. */
const MAX_COMMANDS = 500
const MAX_SCRIPT_CHARS = 64_000
const MAX_DEPTH = 20

export function fenceOf(
  tier: { readonly allowedTools: readonly string[]; readonly disallowedTools: readonly string[] },
  facts: ToolFacts,
): Fence {
  const rules = (texts: readonly string[]) => texts.flatMap(text => parseRule(text) ?? [])
  return { allowed: rules(tier.allowedTools), denied: rules(tier.disallowedTools), facts }
}

/** A call that ended with an error counts as run, unless it was refused, or rejected before the agent asked. */
export function watchFence(fence: Fence): FenceWatch {
  const outside = new Map<string, Outside>()
  const refused = new Set<string>()
  const passed = new Set<string>()
  const isSettled = (id: string, call: Outside) =>
    refused.has(id) || (passed.has(id) && isCutOff(call))
  return {
    noteRefused: callId => void refused.add(callId),
    notePassed: callId => void passed.add(callId),
    see(event) {
      if (event.type === 'tool') {
        const found = outsideOf(fence, event)
        if (found) outside.set(event.id, found)
        return null
      }
      if (event.type === 'tool-result') {
        const call = outside.get(event.id)
        outside.delete(event.id)
        if (call === undefined || (passed.has(event.id) && isCutOff(call))) return null
        const wasUnasked =
          !passed.has(event.id) && fence.facts.readsAsUnasked?.(event.text) === true
        const didNotRun = event.denied || (event.isError && (refused.has(event.id) || wasUnasked))
        return didNotRun ? null : { call, ended: 'ran' }
      }
      const [, call] = [...outside].find(([id, found]) => !isSettled(id, found)) ?? []
      const isOver = event.type === 'result' && !event.atParkedCall
      return isOver && call ? { call, ended: 'unknown' } : null
    },
  }
}

const CUT_OFF = 'its input was cut off'

function isCutOff(call: Outside): boolean {
  return call.why === 'unreadable' && call.problem === CUT_OFF
}

/** `next`: the fence of the tier that calls may be parked for. */
export function rule(fence: Fence, call: ToolCall, next: Fence | null): Ruling {
  const outside = outsideOf(fence, call)
  if (outside === null) return { kind: 'pass' }
  if (next !== null && outsideOf(next, call) === null) return { kind: 'park' }
  return { kind: 'refuse', why: outsideWords(outside) }
}

export function outsideOf(fence: Fence, call: ToolCall): Outside | null {
  const { facts } = fence
  const names = [call.name, ...facts.aliases.filter(group => group.includes(call.name)).flat()]
  const isAbout = (rule: ToolRule) => names.some(name => namesTool(rule, name))
  const denied = fence.denied.filter(isAbout)
  const allowed = fence.allowed.filter(isAbout)
  const tool = call.name
  const whole = denied.find(({ scope }) => scope === null)
  if (whole) return { tool, why: 'forbidden', rule: whole.text }
  const scoped = scopedRules(denied)
  if (facts.shells.some(name => names.includes(name))) {
    const found = outsideShell({ denied: scoped, allowed }, call, facts.readShell)
    if (found) return found
  } else {
    const place = scoped.find(({ scope }) => fitsPlace(scope, call.input))
    if (place) return { tool, why: 'forbidden', rule: place.text }
  }
  if (allowed.length > 0 || names.some(name => facts.harmless.includes(name))) return null
  return { tool, why: 'not-allowed', command: null }
}

type ScopedRule = ToolRule & { readonly scope: string }

function scopedRules(rules: readonly ToolRule[]): readonly ScopedRule[] {
  return rules.flatMap(rule => (rule.scope === null ? [] : { ...rule, scope: rule.scope }))
}

/** Checks every simple command of the line, and every command that one of them starts. */
function outsideShell(
  rules: { readonly denied: readonly ScopedRule[]; readonly allowed: readonly ToolRule[] },
  { name: tool, input }: ToolCall,
  read: ReadShell,
): Outside | null {
  const isFree = rules.allowed.some(({ scope }) => scope === null)
  if (rules.denied.length === 0 && (isFree || rules.allowed.length === 0)) return null
  const text = commandOf(input)
  if (text === null) return { tool, why: 'unreadable', problem: CUT_OFF }
  const line = read(text)
  if ('problem' in line) return { tool, why: 'unreadable', problem: line.problem }
  if (line.commands.length > MAX_COMMANDS) return { tool, why: 'unreadable', problem: TOO_MANY }
  const all = withStarted(line.commands, read)
  for (const rule of rules.denied) {
    if (all.commands.some(command => deniesCommand(rule.scope, command))) {
      return { tool, why: 'forbidden', rule: rule.text }
    }
  }
  if (rules.denied.length > 0 && all.problem !== null) {
    return { tool, why: 'unreadable', problem: all.problem }
  }
  if (isFree) return null
  const scoped = scopedRules(rules.allowed)
  const stranger = line.commands.find(command => !isAllowed(command, { scoped, read, depth: 0 }))
  return stranger ? { tool, why: 'not-allowed', command: commandWords(stranger) } : null
}

const TOO_MANY = 'it starts too many commands'

type Every = { readonly commands: readonly ShellCommand[]; readonly problem: string | null }

function withStarted(first: readonly ShellCommand[], read: ReadShell): Every {
  const commands = [...first]
  let problem: string | null = null
  let leftChars = MAX_SCRIPT_CHARS
  const readBounded: ReadShell = script => {
    leftChars -= script.length
    return leftChars < 0 ? { problem: TOO_MANY } : read(script)
  }
  for (let at = 0; at < commands.length; at += 1) {
    const command = commands[at]
    const started = command && startedBy(command, readBounded)
    if (started?.kind === 'hidden') problem ??= started.why
    if (started?.kind !== 'commands') continue
    commands.push(...started.commands)
    if (commands.length > MAX_COMMANDS) return { commands, problem: TOO_MANY }
  }
  return { commands, problem }
}

type AllowRules = {
  readonly scoped: readonly ScopedRule[]
  readonly read: ReadShell
  readonly depth: number
}

function isAllowed(command: ShellCommand, rules: AllowRules): boolean {
  if (rules.scoped.some(({ scope }) => allowsCommand(scope, command))) return true
  const started = startedBy(command, rules.read)
  if (started.kind === 'nothing') return onlyLooks(command)
  if (started.kind === 'hidden' || !isTransparent(command) || !leavesNothing(command)) return false
  const inner = { ...rules, depth: rules.depth + 1 }
  const [first] = started.commands
  return rules.depth < MAX_DEPTH && first !== undefined && isAllowed(first, inner)
}

/** The violation as a sentence, for the failure of the run. */
export function violationWords({ call, ended }: PolicyViolation): string {
  const why = outsideWords(call)
  return ended === 'ran'
    ? `${call.tool} ran although ${why}`
    : `the agent did not say how its call of ${call.tool} ended; ${why}`
}

export function outsideWords(call: Outside): string {
  switch (call.why) {
    case 'forbidden':
      return `the tier forbids ${call.rule}`
    case 'not-allowed':
      return call.command === null
        ? 'no rule of the tier allows it'
        : `no rule of the tier allows \`${call.command}\``
    case 'unreadable':
      return `the rules of the tier cannot judge its command: ${call.problem}`
  }
}
