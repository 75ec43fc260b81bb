// One process, from its start to the end of its output: every line translated, observed, stored and passed on.
import type { RunSpec } from '../adapters/adapter.ts'
import type { AgentEvent } from '../core/events.ts'
import type { Observation } from '../core/observe.ts'
import { newObservation, observe } from '../core/observe.ts'
import type { Exit, KillReason } from '../core/run.ts'
import type { AgentProcess, Line } from '../runner/runner.ts'
import type { EventLog } from './event-log.ts'
import type { Agent, Parts } from './parts.ts'

export type AgentRun = {
  readonly spec: RunSpec
  readonly agent: Agent
  readonly log: EventLog
  readonly emit: (event: AgentEvent) => void
  /** As soon as the agent names its session, and before anything else of it is handled (C-2). */
  readonly onSession: (event: Extract<AgentEvent, { type: 'session' }>) => Promise<void>
  /** Gets the way to stop it, before the first line is read. */
  readonly onStarted: (stop: (reason: KillReason) => Promise<void>) => void
  readonly recordKill: (reason: KillReason) => Promise<void>
}

export async function runAgent(
  parts: Parts,
  run: AgentRun,
): Promise<{ observation: Observation; exit: Exit }> {
  const { agent, spec } = run
  const command = agent.adapter.command(spec, agent.runtime)
  const process = await parts.runner.start(command, spec.runId, parts.limits, run.recordKill)
  run.onStarted(reason => process.stop(reason, () => run.recordKill(reason)))
  const observation = newObservation()
  const parser = agent.adapter.createParser(agent.runtime)
  for await (const line of process.lines) {
    for (const event of eventsOf(line, text => parser.parse(text))) {
      await handle(event, { run, observation, process })
    }
  }
  const exit = await process.exit
  return { observation, exit }
}

async function handle(
  event: AgentEvent,
  { run, observation, process }: { run: AgentRun; observation: Observation; process: AgentProcess },
): Promise<void> {
  observe(observation, event)
  run.log.push(event)
  if (event.type === 'session') await run.onSession(event)
  if (event.type === 'result' && !event.unasked) process.resultSeen()
  run.emit(event)
}

function eventsOf(
  line: Line,
  parse: (text: string) => readonly AgentEvent[],
): readonly AgentEvent[] {
  if (line.kind === 'line') return parse(line.text)
  return [{ type: 'unknown', kind: `line of ${line.bytes} bytes`, raw: line.head }]
}
