// One turn of the fake agent: its session, its bill and the lines it writes to the session file.
import { NO_USAGE, type Usage } from '../../core/run/events.ts'
import { apiPriceOf, costUsd, DEFAULT_PRICES } from '../model-api/prices.ts'
import type { Arguments } from './input/arguments.ts'
import type { ChainLine, FileBlock, SavedCosts } from './session-file.ts'
import type { Habits } from './versions.ts'
import type { AgentWorld, Invocation } from './world.ts'

export type Denial = { readonly name: string; readonly id: string; readonly input: unknown }

export type TurnState = {
  readonly journalId: string
  readonly invocation: Invocation
  readonly world: AgentWorld
  readonly args: Arguments
  readonly habits: Habits
  readonly sessionId: string
  readonly path: string
  /** As asked for, with a suffix such as `[1m]`. */
  readonly model: string
  /** As the model gets it. */
  readonly prompt: string
  /** As the session file keeps it. */
  readonly promptContent: string | readonly FileBlock[]
  /** The session was there before the turn. */
  readonly resumed: boolean
  /** The process has just opened a session that was there. */
  readonly refusable: boolean
  readonly costsBefore: SavedCosts
  readonly startedMs: number
  /** The messages that the process has in its memory; it does not look at the file again. */
  readonly chain: ChainLine[]
  /** The call that has no result yet. */
  openCall: string | null
  /** The turn is over, and the process could take another one. */
  rests: boolean
  /** Tokens that the next request finds in the cache. */
  cachedTokens: number
  /** Tokens since then, not yet sent. */
  newTokens: number
  /** Of all turns of the process. */
  usage: Usage
  /** The part of it that the turns before had. */
  readonly usageBefore: Usage
  /** The part of it that earlier results of this process have reported. */
  reported: Usage
  /** The usage of the next request, where a script sets it. */
  billed: Usage | null
  /** One, and one per answered tool call, as the real program counts. */
  turns: number
  lastText: string
  structured: unknown
  stopReason: string | null
  results: number
  readonly denials: Denial[]
  persistence: 'at-once' | 'late' | 'none'
  readonly held: string[]
}

/** What a system prompt with tools takes. */
export const SYSTEM_TOKENS = 3_000

export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

/** Bills one model request and moves everything sent into the cache. */
export async function billRequest(turn: TurnState, output: string): Promise<Usage> {
  const usage = turn.billed ?? {
    inputTokens: 3,
    cacheReadTokens: turn.cachedTokens,
    cacheWriteTokens: turn.newTokens,
    outputTokens: tokensIn(output),
  }
  turn.billed = null
  turn.cachedTokens += turn.newTokens
  turn.newTokens = usage.outputTokens
  turn.usage = addUsage(turn.usage, usage)
  await turn.world.journal({ kind: 'billed', id: turn.journalId, billedUsd: dollars(turn, usage) })
  return usage
}

function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  }
}

/** Dollars of this process alone. */
function ownCostUsd(turn: TurnState): number {
  return dollars(turn, turn.usage)
}

function dollars({ model }: TurnState, usage: Usage): number {
  return costUsd({ ...usage, cacheWriteHourTokens: 0 }, apiPriceOf(model, DEFAULT_PRICES))
}

/** Costs as the result reports them: by version of this process, or of the whole session. */
export function reportedCosts(turn: TurnState): SavedCosts {
  const own = { usage: turn.usage, costUsd: ownCostUsd(turn) }
  if (!turn.habits.costsOfSession) return { totalUsd: own.costUsd, models: ownModels(turn) }
  const before = turn.costsBefore.models[turn.model]
  const all = {
    usage: addUsage(before?.usage ?? NO_USAGE, own.usage),
    costUsd: (before?.costUsd ?? 0) + own.costUsd,
  }
  return {
    totalUsd: turn.costsBefore.totalUsd + own.costUsd,
    models:
      turn.usage === NO_USAGE
        ? turn.costsBefore.models
        : { ...turn.costsBefore.models, [turn.model]: all },
  }
}

export function ownModels(turn: TurnState): SavedCosts['models'] {
  if (turn.usage === NO_USAGE) return {}
  return { [turn.model]: { usage: turn.usage, costUsd: ownCostUsd(turn) } }
}

/** The usage that no earlier result of this process has reported. */
export function modelsSinceLast(turn: TurnState): SavedCosts['models'] {
  if (turn.usage === turn.reported) return {}
  const usage = usageSince(turn.reported, turn.usage)
  return { [turn.model]: { usage, costUsd: dollars(turn, usage) } }
}

export function usageSince(before: Usage, now: Usage): Usage {
  return addUsage(now, {
    inputTokens: -before.inputTokens,
    cacheReadTokens: -before.cacheReadTokens,
    cacheWriteTokens: -before.cacheWriteTokens,
    outputTokens: -before.outputTokens,
  })
}

/** Appends a line to the tree of messages; returns its uuid. */
export async function writeMessage(
  turn: TurnState,
  line: Readonly<Record<string, unknown>> & Pick<ChainLine, 'type'>,
  uuid: string = turn.world.uuid(),
): Promise<string> {
  const { invocation, habits, sessionId } = turn
  const written = {
    parentUuid: turn.chain.at(-1)?.uuid ?? null,
    isSidechain: false,
    ...line,
    uuid,
    timestamp: timestamp(turn),
    userType: 'external',
    entrypoint: 'sdk-cli',
    cwd: invocation.cwd,
    sessionId,
    version: habits.version,
    gitBranch: 'HEAD',
  }
  turn.chain.push(written)
  await writeLine(turn, written)
  return uuid
}

export async function writeLine(
  turn: TurnState,
  line: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = `${JSON.stringify(line)}\n`
  if (turn.persistence === 'late') turn.held.push(text)
  if (turn.persistence === 'at-once') await turn.world.files.append(turn.path, text)
}

/** From now on, what is written reaches the file at once. */
export async function flushHeld(turn: TurnState): Promise<void> {
  if (turn.held.length > 0) await turn.world.files.append(turn.path, turn.held.join(''))
  turn.held.length = 0
  if (turn.persistence === 'late') turn.persistence = 'at-once'
}

export async function writePrompt(turn: TurnState): Promise<void> {
  const queue = { type: 'queue-operation', timestamp: timestamp(turn), sessionId: turn.sessionId }
  await writeLine(turn, { ...queue, operation: 'enqueue', content: turn.prompt })
  await writeLine(turn, { ...queue, operation: 'dequeue' })
  await writeMessage(turn, {
    type: 'user',
    promptId: turn.world.uuid(),
    message: { role: 'user', content: turn.promptContent },
    permissionMode: turn.args.permissionMode,
    promptSource: 'sdk',
  })
}

/** The last lines of the process, which it writes when it ends by itself. */
export async function writeEnd(turn: TurnState): Promise<void> {
  const { sessionId } = turn
  await writeLine(turn, {
    type: 'last-prompt',
    lastPrompt: turn.prompt,
    leafUuid: turn.chain.at(-1)?.uuid ?? null,
    sessionId,
  })
  if (!turn.habits.costsOfSession) return
  const { totalUsd, models } = reportedCosts(turn)
  const modelUsage = Object.fromEntries(
    Object.entries(models).map(([model, { usage, costUsd }]) => [model, wireModel(usage, costUsd)]),
  )
  await writeLine(turn, { type: 'cost-state', sessionId, totalCostUSD: totalUsd, modelUsage })
}

export function wireModel(usage: Usage, costUsd: number): Readonly<Record<string, number>> {
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadInputTokens: usage.cacheReadTokens,
    cacheCreationInputTokens: usage.cacheWriteTokens,
    webSearchRequests: 0,
    costUSD: costUsd,
  }
}

export function wireUsage(usage: Usage): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens: usage.outputTokens,
    service_tier: 'standard',
  }
}

export function timestamp(turn: TurnState): string {
  return new Date(turn.world.clock.now()).toISOString()
}

export function shortModel(model: string): string {
  return model.replace(/\[.*\]$/, '')
}
