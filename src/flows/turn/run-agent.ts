// Runs one turn of an agent process to the end of its output, or until it rests: translates, observes and stores every line.

import type { RunSpec } from '../../adapters/adapter.ts'
import { OUTCOME_UNKNOWN } from '../../core/conversation/interruption.ts'
import type { AskedCall } from '../../core/conversation/question.ts'
import type { Ruling } from '../../core/fence/fence.ts'
import type { AgentEvent, AgentSaid, QuestionEvent } from '../../core/run/events.ts'
import type { Observation } from '../../core/run/observe.ts'
import { newObservation, observe } from '../../core/run/observe.ts'
import type { Exit, KillReason } from '../../core/run/run.ts'
import { needsPrivileges } from '../../core/run/sandbox.ts'
import { notKeptWords, type WhyNotKept } from '../../core/warm/why-new-process.ts'
import type { AgentProcess, ProcessLimits } from '../../runner/runner.ts'
import type { Containment } from '../../runner/sandbox/contain.ts'
import { SUDO_NOTICE } from '../agents/choose-sandbox.ts'
import type { RunWatch } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { Asker, LiveQuestions } from '../questions/live-questions.ts'
import type { LiveCopy } from '../sessions/live-copy.ts'
import { LiveAgent } from '../warm/live-agent.ts'
import { type EventLog, withoutSecrets } from './event-log.ts'

export type AgentRun = {
  readonly spec: RunSpec
  readonly limits: ProcessLimits
  /** The sandbox it runs in. */
  readonly containment: Containment | null
  readonly agent: Agent
  readonly log: EventLog
  /** Called as soon as the agent names its session, before any later event is handled. */
  readonly onSession: (event: Extract<AgentEvent, { type: 'session' }>) => Promise<void>
  /** Receives the function that stops the process, before the first line is read. */
  readonly onStarted: (stop: (reason: KillReason) => Promise<void>) => void
  readonly recordKill: (reason: KillReason) => Promise<void>
  readonly questions: LiveQuestions
  /** `null`: the session file is copied only after the run, because no other machine could use the copy. */
  readonly copy: LiveCopy | null
  /** `null`: the run has neither fence nor budget. */
  readonly watch: RunWatch | null
  /** The call at which the session waits. The agent runs it first, reports a result for it, and then reads the prompt. */
  readonly callFirst: AskedCall | null
  /** The process that waits for this turn; absent: a new one is started. */
  readonly kept?: LiveAgent | null
  /** Whether the process waits for another turn now that it rests; absent: it ends. */
  readonly whetherKept?: (
    live: LiveAgent,
    observation: Observation,
  ) => Promise<'kept' | 'ends' | WhyNotKept>
}

/** What a turn of a process gave. */
export type AgentTurn = {
  readonly observation: Observation
  /** `null`: the process waits for its next turn, as `resting`. */
  readonly exit: Exit | null
  readonly resting: LiveAgent | null
}

export async function runAgent(dependencies: Dependencies, run: AgentRun): Promise<AgentTurn> {
  const observation = newObservation()
  const recordKill = (reason: KillReason) => {
    observation.stopBegan = true
    return run.recordKill(reason)
  }
  const live = run.kept
    ? goOn(run.kept, { run, recordKill })
    : await startAgent(dependencies, { run, recordKill })
  const { process } = live
  run.onStarted(reason => process.stop(reason, () => recordKill(reason)))
  const context = { run, observation, live, secrets: run.agent.secrets }
  let resting: LiveAgent | null = null
  if (run.callFirst) await handle(callEvent(run.callFirst), context)
  try {
    for (let step = await live.step(); step !== null; step = await live.step()) {
      for (const event of step.events) await handle(event, context)
      if (run.spec.stays && mayBeLast(step.events)) process.answerSeen()
      live.tell(step)
      if (!step.rests) continue
      const kept = (await run.whetherKept?.(live, observation)) ?? 'ends'
      if (kept === 'kept') {
        process.turns?.rest()
        // The turn is over: a stop that comes from now on is not about this process.
        run.onStarted(async () => {})
        resting = live
        break
      }
      if (kept !== 'ends') say(notKept(kept), run)
      process.endInput()
    }
  } catch (error) {
    // Nobody reads the output any more, so the agent must not go on. The error says why.
    await process.stop('shutdown').catch(() => {})
    throw error
  } finally {
    await run.copy?.end()
    await run.questions.end()
  }
  const exit = resting === null ? await process.exit : null
  if (observation.result?.ok && observation.announcedSessionId === null) {
    await handle(noSessionNamed(run), context)
  }
  return { observation, exit, resting }
}

/** After a block that calls no tool the agent has usually said everything. */
function mayBeLast(events: readonly AgentEvent[]): boolean {
  return events.some(({ type }) => type === 'block') && !events.some(({ type }) => type === 'tool')
}

type Beginning = {
  readonly run: AgentRun
  readonly recordKill: (reason: KillReason) => Promise<void>
}

/** Sends the prompt to a process that waits for it. */
function goOn(live: LiveAgent, { run, recordKill }: Beginning): LiveAgent {
  live.process.turns?.begin(run.limits, recordKill)
  live.tell(live.dialogue.next?.(run.spec.prompt ?? ''))
  return live
}

async function startAgent(
  dependencies: Dependencies,
  { run, recordKill }: Beginning,
): Promise<LiveAgent> {
  const { agent, spec } = run
  const { command, dialogue } = agent.adapter.open(spec, agent.runtime)
  const first = dialogue.begin()
  const started = {
    ...command,
    stdin: new TextEncoder().encode(first.write.join('')),
    keepsInputOpen: first.close !== true,
    ...(run.containment && { containment: run.containment }),
  }
  const runner = agent.through?.(dependencies.runner) ?? dependencies.runner
  const process = await runner.start(started, spec.runId, run.limits, recordKill)
  if (first.stage) process.atStage(first.stage)
  const startedAt = dependencies.clock.now()
  return new LiveAgent({ process, dialogue, startedBy: spec.runId, startedAt })
}

type Context = {
  readonly run: AgentRun
  readonly observation: Observation
  readonly live: LiveAgent
  /** Values of the agent's environment that nobody must see. */
  readonly secrets: readonly string[]
}

async function handle(received: AgentEvent, context: Context): Promise<void> {
  const { run, observation, live } = context
  const { process } = live
  if (received.type === 'call-asked') {
    const ruling = run.watch?.rule?.(received) ?? { kind: 'pass' }
    return live.tell(live.dialogue.rule?.(received.requestId, ruling))
  }
  const event = asKnown(received, { run, observation })
  const shown = withoutSecrets(event, context.secrets)
  // A question must keep its own words to be answered; secrets are removed where it is stored.
  observe(observation, event.type === 'question' ? event : shown)
  if (event.type === 'question') {
    // It is stored together with the run's `waiting` status, since a reader may answer at once.
    if (event.requestId === null) return
    const ruling = rulingOn(event, run.watch)
    const asker = askerOf(context)
    if (ruling.kind === 'refuse') return run.questions.refuse(event, asker, ruling.why)
    if ((await run.questions.ask(event, asker, run.log)) === 'granted') return
  } else run.log.push(shown)
  if (event.type === 'session') await run.onSession(event)
  run.copy?.see(event)
  if (event.type === 'result' && !event.unasked) process.resultSeen()
  if (isSudoRefused(event, run)) say(SUDO_NOTICE, run)
  // The fence judges the call itself, not the text without secrets.
  if (run.watch) obey(run.watch, event, { run, observation, process })
}

/** A permission of a user never reaches beyond the fence. */
function rulingOn({ toolUseId, tool, input }: QuestionEvent, watch: RunWatch | null): Ruling {
  const call = { type: 'call-asked', requestId: '', id: toolUseId, name: tool, input } as const
  return watch?.rule?.(call) ?? { kind: 'pass' }
}

/** Stands for the agent's own event, which only the run that parked the call received. */
function callEvent({ toolUseId, tool, input }: AskedCall): AgentSaid {
  return { type: 'tool', id: toolUseId, name: tool, input, parentId: null }
}

function askerOf({ live }: Context): Asker {
  const { process, dialogue } = live
  return {
    answer: (asked, answer) => live.tell(dialogue.answer?.(asked, answer)),
    waitsForAnswer: state => process.waitsForAnswer(state),
    stop: reason => process.stop(reason),
  }
}

/** Does not wait for the stop: the loop that reads the lines sees the end of the process. */
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

/** Says why the next turn will need a new process. */
function notKept(why: WhyNotKept): AgentSaid {
  return { type: 'notice', code: 'process-not-kept', text: notKeptWords(why) }
}

function isSudoRefused(event: AgentSaid, { containment }: AgentRun): boolean {
  return containment !== null && event.type === 'tool-result' && needsPrivileges(event.text)
}

/**
 * A call that nobody allowed did not run, whatever its result says. How a call ended that ran when we began to stop the
 * agent is unknown: Claude Code reports it as rejected.
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

/** Warns at once that there may be nothing to resume, not when the next turn costs more. */
function noSessionNamed({ agent, spec }: AgentRun): AgentSaid {
  const details = `run ${spec.runId}, ${agent.runtime.fingerprint}, ${spec.model}, ${spec.workDir}`
  const text = `${agent.name} answered without naming its session (${details}). If it saved nothing under the id it was given, the next turn begins a new session with the conversation so far.`
  return { type: 'notice', code: 'no-session-id', text }
}
