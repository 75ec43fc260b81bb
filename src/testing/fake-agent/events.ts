// The lines of the fake agent's event stream, shaped as Claude Code's.
import { NO_USAGE, type Usage } from '../../core/run/events.ts'
import type { StepOf } from './script.ts'
import type { FileBlock } from './session-file.ts'
import {
  modelsSinceLast,
  type ownModels,
  reportedCosts,
  shortModel,
  type TurnState,
  timestamp,
  usageSince,
  wireModel,
  wireUsage,
} from './turn.ts'
import type { FakeOutput } from './world.ts'

export type FakeEvent = Readonly<Record<string, unknown>> & { readonly type: string }

const TOOLS = ['Task', 'Bash', 'Edit', 'Glob', 'Grep', 'Read', 'WebFetch', 'Write']

export function eventLine(event: FakeEvent): FakeOutput {
  return { to: 'stdout', line: JSON.stringify(event) }
}

export function initEvent(turn: TurnState, strangers?: StepOf<'strangers'>): FakeEvent {
  const hidden = new Set(turn.args.disallowedTools)
  return {
    type: 'system',
    subtype: 'init',
    cwd: turn.invocation.cwd,
    session_id: turn.sessionId,
    tools: TOOLS.filter(tool => !hidden.has(tool)),
    mcp_servers: (strangers?.servers ?? []).map(name => ({ name, status: 'connected' })),
    model: turn.model,
    permissionMode: turn.args.permissionMode,
    slash_commands: ['clear', 'compact'],
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: turn.habits.version,
    output_style: 'default',
    agents: ['general-purpose', ...(strangers?.agents ?? [])],
    skills: [],
    plugins: (strangers?.plugins ?? []).map(name => ({ name, path: `/plugins/${name}` })),
    uuid: turn.world.uuid(),
  }
}

export function assistantEvent(turn: TurnState, message: MessageHead, block: FileBlock): FakeEvent {
  return {
    type: 'assistant',
    message: {
      id: message.id,
      type: 'message',
      role: 'assistant',
      model: shortModel(turn.model),
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      // The real program copies the usage of the message's start: its output is always 1.
      usage: wireUsage({ ...message.usage, outputTokens: 1 }),
      context_management: null,
    },
    parent_tool_use_id: null,
    session_id: turn.sessionId,
    uuid: message.uuid,
    timestamp: timestamp(turn),
    request_id: message.requestId,
  }
}

export type MessageHead = {
  readonly id: string
  readonly requestId: string
  /** Of the line in the session file. */
  readonly uuid: string
  readonly usage: Usage
}

export function toolResultEvent(
  turn: TurnState,
  result: {
    readonly uuid: string
    readonly id: string
    readonly content: string
    readonly isError: boolean
    readonly denied: boolean
  },
): FakeEvent {
  const { content, isError, id, uuid, denied } = result
  const decision = { decision: 'reject', source: 'config' }
  const meta = { id, non_execution_kind: 'user-rejected', permission_decision: decision }
  return {
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: id, type: 'tool_result', content, is_error: isError }],
    },
    parent_tool_use_id: null,
    session_id: turn.sessionId,
    uuid,
    timestamp: timestamp(turn),
    tool_use_result: isError ? `Error: ${content}` : { stdout: content, stderr: '' },
    ...(denied && turn.habits.reportsDenials ? { tool_result_meta: [meta] } : {}),
  }
}

/** A message that the agent made itself, such as an error. */
export function syntheticMessage(turn: TurnState, text: string): Readonly<Record<string, unknown>> {
  return {
    id: turn.world.uuid(),
    model: '<synthetic>',
    role: 'assistant',
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    type: 'message',
    usage: wireUsage(NO_USAGE),
    content: [{ type: 'text', text }],
    context_management: null,
  }
}

export function systemLine(turn: TurnState, subtype: string, fields: object = {}): FakeEvent {
  return {
    type: 'system',
    subtype,
    ...fields,
    session_id: turn.sessionId,
    uuid: turn.world.uuid(),
  }
}

export function streamEvent(turn: TurnState, event: FakeEvent): FakeEvent {
  return {
    type: 'stream_event',
    event,
    session_id: turn.sessionId,
    parent_tool_use_id: null,
    uuid: turn.world.uuid(),
    ...(event.type === 'message_start' ? { ttft_ms: 1 } : {}),
  }
}

/** `fields` replace or add to those of a plain success. */
export function resultEvent(turn: TurnState, fields: object = {}): FakeEvent {
  const costs = reportedCosts(turn)
  const durationMs = turn.world.clock.now() - turn.startedMs
  const event = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    duration_ms: durationMs,
    duration_api_ms: durationMs,
    num_turns: turn.turns,
    result: turn.lastText,
    stop_reason: turn.stopReason,
    session_id: turn.sessionId,
    total_cost_usd: costs.totalUsd,
    usage: wireUsage(usageSince(turn.usageBefore, turn.usage)),
    modelUsage: wireModels(costs.models, turn.habits),
    permission_denials: turn.denials.map(({ name, id, input }) => ({
      tool_name: name,
      tool_use_id: id,
      tool_input: input,
    })),
    ...structuredFields(turn),
    terminal_reason: 'completed',
    fast_mode_state: 'off',
    uuid: turn.world.uuid(),
    ...deltaFields(turn),
    ...fields,
  }
  turn.results += 1
  turn.reported = turn.usage
  return event
}

/** The only event of a resume that was refused before it began. */
export function refusalEvent(
  words: string,
  ids: { uuid: string; sessionId: string | null },
): FakeEvent {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    ...(ids.sessionId === null ? {} : { session_id: ids.sessionId }),
    total_cost_usd: 0,
    usage: wireUsage(NO_USAGE),
    modelUsage: {},
    permission_denials: [],
    uuid: ids.uuid,
    errors: [words],
  }
}

function structuredFields({ structured }: TurnState): object {
  if (structured === undefined) return {}
  return { structured_output: structured, result: JSON.stringify(structured) }
}

function deltaFields(turn: TurnState): object {
  if (!turn.habits.deltaPerResult) return {}
  return {
    queued_turn_count: 0,
    result_index: turn.results,
    model_usage_since_last_result: wireModels(modelsSinceLast(turn), turn.habits),
  }
}

function wireModels(
  models: ReturnType<typeof ownModels>,
  { hasLongWindows }: TurnState['habits'],
): object {
  const isLong = (model: string) =>
    model.includes('[1m]') ||
    (hasLongWindows && !/claude-(3|haiku-4|sonnet-4|opus-4-[56])/.test(model))
  return Object.fromEntries(
    Object.entries(models).map(([model, { usage, costUsd }]) => [
      model,
      {
        ...wireModel(usage, costUsd),
        contextWindow: isLong(model) ? 1_000_000 : 200_000,
        maxOutputTokens: 64_000,
      },
    ]),
  )
}
