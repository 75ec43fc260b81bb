// Reads along what passes between the agent and its caller; where nobody can, reads the file of the session afterwards.
import type { NamedCall } from '../../adapters/agent-call.ts'
import { type AgentEvent, NO_USAGE } from '../../core/run/events.ts'
import type { Exit } from '../../core/run/run.ts'
import { createLineSplitter } from '../../runner/lines.ts'
import type { Line, StreamLook } from '../../runner/runner.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CallRecord } from './call-record.ts'
import type { ServedCall } from './call-turn.ts'
import { MAX_LINE_BYTES, promptsOfCaller } from './prompts-of-caller.ts'

const STDERR_CHARS = 64 * 1024

/** Which streams of the call are a terminal. */
export type Terminals = { readonly [stream in 'stdin' | 'stdout' | 'stderr']: boolean }

export function listensTo(call: NamedCall, { stdout }: Terminals): boolean {
  return call.output !== 'text' && !stdout
}

type Listening = { readonly call: NamedCall; readonly record: CallRecord }

export function promptsOf(
  { agent }: ServedCall,
  { call, isTerminal, record }: Listening & { readonly isTerminal: Terminals },
) {
  const splitter = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES })
  const whole = (lines: readonly Line[]) =>
    lines.flatMap(line => (line.kind === 'line' ? line.text : []))
  return promptsOfCaller(call, {
    calls: agent.adapter.calls ?? { promptIn: () => null },
    lines: { push: chunk => whole(splitter.push(chunk)), end: () => whole(splitter.end()) },
    readsInput: !isTerminal.stdin,
    heard: prompt => record.heard(prompt),
  })
}

export function hearOutput(
  { agent }: ServedCall,
  { call, record, prompts }: Listening & { readonly prompts: { begun(): void } },
): StreamLook {
  const splitter = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES })
  const reader = agent.adapter.calls?.reader(call.output)
  const hear = (events: readonly AgentEvent[]) => {
    if (events.length === 0) return
    prompts.begun()
    record.said(events)
  }
  const read = (lines: ReturnType<typeof splitter.push>) => {
    for (const line of lines) if (line.kind === 'line') hear(reader?.read(line.text) ?? [])
  }
  return {
    bytes: chunk => read(splitter.push(chunk)),
    end: () => {
      read(splitter.end())
      hear(reader?.end() ?? [])
    },
  }
}

export function tailOf(): StreamLook & { text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  return {
    bytes: chunk => {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-STDERR_CHARS)
    },
    end: () => {},
    text: () => text,
  }
}

/** Nobody heard the agent: what it left in the file of its session says whether it answered. */
export async function resultOfFile(
  { files }: Dependencies,
  { agent, sessionId, source, workDir, mark, session }: ServedCall,
  { code }: Exit,
): Promise<readonly AgentEvent[]> {
  const { sessionFiles } = agent.adapter
  if (!sessionFiles || sessionId === null || code !== 0) return []
  const from = session.kind === 'resume' ? (source?.workDir ?? workDir) : workDir
  const place = { sessionId, workDir: from, env: agent.fullEnv }
  const growth = await sessionFiles.growth(place, mark, { prompt: '' }, files)
  if (!growth.complete) return []
  const { costUsd } = await sessionFiles.mark(place, files)
  const unknown = { version: null, tools: [], permissionMode: null }
  return [
    { type: 'session', sessionId, model: growth.requests.at(-1)?.model ?? null, ...unknown },
    {
      ...{ type: 'result', ok: true, subtype: 'success', sessionId, text: growth.text, errors: [] },
      ...{ apiErrorStatus: null, errorKind: null, stopReason: null, terminalReason: null },
      ...{ turns: 1, durationMs: null, totalCostUsd: costUsd > 0 ? costUsd : null, models: {} },
      ...{ modelsSinceLastResult: null, usage: NO_USAGE, unasked: false },
    },
  ]
}
