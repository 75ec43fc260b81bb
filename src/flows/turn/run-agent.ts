// One process, from its start to the end of its output: every line translated, observed, stored and passed on.

import type { RunSpec } from '../../adapters/adapter.ts'
import { OUTCOME_UNKNOWN } from '../../core/conversation/interruption.ts'
import type { AskedCall } from '../../core/conversation/question.ts'
import type { AgentEvent, AgentSaid } from '../../core/run/events.ts'
import type { Observation } from '../../core/run/observe.ts'
import { newObservation, observe } from '../../core/run/observe.ts'
import type { Exit, KillReason } from '../../core/run/run.ts'
import { needsPrivileges } from '../../core/run/sandbox.ts'
import { wholeWords } from '../../core/secrets/cut-text.ts'
import type { AgentProcess, Line, ProcessLimits } from '../../runner/runner.ts'
import type { Containment } from '../../runner/sandbox/contain.ts'
import { SUDO_NOTICE } from '../agents/choose-sandbox.ts'
import type { RunWatch } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { LiveQuestions } from '../questions/live-questions.ts'
import { type EventLog, withoutSecrets } from './event-log.ts'

export type AgentRun = {
  readonly spec: RunSpec
  readonly limits: ProcessLimits
  /** The sandbox it runs in. */
  readonly containment: Containment | null
  readonly agent: Agent
  readonly log: EventLog
  /** As soon as the agent names its session, and before anything else of it is handled. */
  readonly onSession: (event: Extract<AgentEvent, { type: 'session' }>) => Promise<void>
  /** Gets the way to stop it, before the first line is read. */
  readonly onStarted: (stop: (reason: KillReason) => Promise<void>) => void
  readonly recordKill: (reason: KillReason) => Promise<void>
  readonly questions: LiveQuestions
  /** Of a run that has a fence or a budget. */
  readonly watch: RunWatch | null
  /** The call at which the session waits: it runs first, with a result of its own, and only then the prompt counts. */
  readonly callFirst: AskedCall | null
}

export async function runAgent(
  dependencies: Dependencies,
  run: AgentRun,
): Promise<{ observation: Observation; exit: Exit }> {
  const { agent, spec } = run
  const command = {
    ...agent.adapter.command(spec, agent.runtime),
    ...(run.containment && { containment: run.containment }),
  }
  const runner = agent.through?.(dependencies.runner) ?? dependencies.runner
  const observation = newObservation()
  const recordKill = (reason: KillReason) => {
    observation.stopBegan = true
    return run.recordKill(reason)
  }
  const process = await runner.start(command, spec.runId, run.limits, recordKill)
  run.onStarted(reason => process.stop(reason, () => recordKill(reason)))
  const parser = agent.adapter.createParser(agent.runtime)
  const context = { run, observation, process, secrets: agent.secrets }
  if (run.callFirst) await handle(callEvent(run.callFirst), context)
  try {
    for await (const line of process.lines) {
      for (const event of eventsOf(line, text => parser.parse(text))) {
        await handle(event, context)
      }
    }
  } catch (error) {
    // Nobody reads it any more: it must not work on unseen. Why is told by the error.
    await process.stop('shutdown').catch(() => {})
    throw error
  } finally {
    await run.questions.end()
  }
  const exit = await process.exit
  if (observation.result?.ok && observation.announcedSessionId === null) {
    await handle(noSessionNamed(run), context)
  }
  return { observation, exit }
}

type Context = {
  readonly run: AgentRun
  readonly observation: Observation
  readonly process: AgentProcess
  /** Values of the agent's environment that nobody must see. */
  readonly secrets: readonly string[]
}

async function handle(told: AgentEvent, context: Context): Promise<void> {
  const { run, observation, process } = context
  if (told.type === 'call-asked') {
    const ruling = run.watch?.rule?.(told) ?? { kind: 'pass' }
    return process.write(run.agent.adapter.guardAnswer(told.requestId, ruling))
  }
  const event = asKnown(beforePrompt(told, { run, observation }), { run, observation })
  const shown = withoutSecrets(event, context.secrets)
  // A question is answered by its own words; it is cleaned where it is stored.
  observe(observation, event.type === 'question' ? event : shown)
  if (event.type === 'question') {
    // Stored when its run is on record as waiting: a reader may answer at once.
    if (event.requestId === null) return
    if ((await run.questions.ask(event, process, run.log)) === 'granted') return
  } else run.log.push(shown)
  if (event.type === 'session') await run.onSession(event)
  if (event.type === 'result' && !event.unasked) process.resultSeen()
  if (isSudoRefused(event, run)) say(SUDO_NOTICE, run)
  // The fence judges what was really called.
  if (run.watch) obey(run.watch, event, { run, observation, process })
}

/** It was told by the run that parked it, and will not be told again. */
function callEvent({ toolUseId, tool, input }: AskedCall): AgentSaid {
  return { type: 'tool', id: toolUseId, name: tool, input, parentId: null }
}

/** What the parked call came to answers nobody's prompt; a call that is parked once more ends the run. */
function beforePrompt(
  event: AgentSaid,
  { run, observation }: { run: AgentRun; observation: Observation },
): AgentSaid {
  const isFirst = run.callFirst !== null && observation.lastResult === null
  if (event.type !== 'result' || !isFirst || !event.ok) return event
  return event.terminalReason === 'tool_deferred' ? event : { ...event, unasked: true }
}

/** Not waited for: the end of the process is seen by whoever reads its lines. */
function obey(
  watch: RunWatch,
  event: AgentSaid,
  { run, observation, process }: { run: AgentRun; observation: Observation; process: AgentProcess },
): void {
  const { notice } = watch.see(event, observation)
  if (notice) say(notice, run)
  if (!watch.stopped) return
  const reason = watch.stopped.class
  observation.stopBegan = true
  process.stop(reason, () => run.recordKill(reason)).catch(() => {})
}

function say(notice: AgentSaid, run: AgentRun): void {
  run.log.push(notice)
}

function isSudoRefused(event: AgentSaid, { containment }: AgentRun): boolean {
  return containment !== null && event.type === 'tool-result' && needsPrivileges(event.text)
}

/**
 * A call that nobody has allowed did not run, however its result reads. Of one that was running when we began to stop
 * the agent it is not known how it ended: Claude Code tells that it was rejected.
 */
function asKnown(
  event: AgentSaid,
  { run, observation }: { run: AgentRun; observation: Observation },
): AgentSaid {
  if (event.type !== 'tool-result') return event
  if (run.questions.didNotRun(event.id)) {
    const { outcomeUnknown: _, ...result } = event
    return { ...result, denied: true }
  }
  if (!observation.stopBegan) return event
  return { ...event, denied: false, outcomeUnknown: true, text: OUTCOME_UNKNOWN }
}

/** Without a name there may be nothing to resume; said at once, not when the next turn costs more. */
function noSessionNamed({ agent, spec }: AgentRun): AgentSaid {
  const details = `run ${spec.runId}, ${agent.runtime.fingerprint}, ${spec.model}, ${spec.workDir}`
  const text = `${agent.name} answered without naming its session (${details}). If it saved nothing under the id it was given, the next turn gets the transcript.`
  return { type: 'notice', code: 'no-session-id', text }
}

function eventsOf(
  line: Line,
  parse: (text: string) => readonly AgentEvent[],
): readonly AgentEvent[] {
  if (line.kind === 'line') return parse(line.text)
  return [{ type: 'unknown', kind: `line of ${line.bytes} bytes`, raw: wholeWords(line.head) }]
}
