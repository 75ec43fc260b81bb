// Resumes a repaired copy on the agent's own program before the thread relies on it. The program gets no prompt, so nothing is paid.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { CopyProof } from '../../api.ts'
import type { Session } from '../../core/conversation/session.ts'
import { newObservation, type Observation, observe } from '../../core/run/observe.ts'
import type { Exit } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import { runEnvironment } from '../agents/environment.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { LiveAgent } from '../warm/live-agent.ts'

export type UnprovenCopy = {
  readonly agent: Agent
  /** The session that was repaired. */
  readonly session: Session
  /** The agent's own id of the copy. */
  readonly sessionId: string
  /** The agent's own id of the last message in the copy. */
  readonly end: string | null
}

/**
 * Throws when the program does not take the copy. The program is to fork the copy at its last message: it must have loaded the
 * file and must find that message in the conversation, and it writes nothing, neither to the copy nor for the fork.
 */
export async function proveCopy(
  dependencies: Dependencies,
  copy: UnprovenCopy,
): Promise<CopyProof> {
  const { agent, session } = copy
  const why = whyNotAsked(copy)
  if (why !== null) return { state: 'not-asked', why }
  const spec = specOf(dependencies, copy)
  const seen = await startOn(dependencies, { agent, spec })
  if ('notStarted' in seen) return { state: 'not-asked', why: seen.notStarted }
  if (seen.listens) return { state: 'resumed', version: agent.runtime.version }
  const outcome = agent.adapter.outcomeOf(spec, seen.observation, seen.exit)
  const words = 'failure' in outcome ? outcome.failure.message : 'it ended without a word'
  throw new RepriseError(
    'agent-failed',
    `${agent.name} ${agent.runtime.version} does not resume the repaired copy of session ${session.id}: ${words}`,
    `The copy is removed and the file is as it was. The next turn brings the conversation by itself: reprise send -t ${session.threadId}.`,
  )
}

function whyNotAsked({ agent, end }: UnprovenCopy): string | null {
  const { adapter, runtime } = agent
  const { fork, forkAtMessage } = runtime.abilities
  if (end === null) return 'the copy ends with no message of which Reprise knows the id'
  if (fork && forkAtMessage && adapter.stay?.canStay(runtime)) return null
  return `nobody knows how ${agent.name} ${runtime.version} answers without a prompt`
}

/** Nobody's settings take part, so no hook and no MCP server starts. */
function specOf(
  { environment, random }: Dependencies,
  { agent, session, sessionId, end }: UnprovenCopy,
): RunSpec {
  const { adapter } = agent
  const takesModel = session.model !== null && adapter.words.takesModel(session.model)
  return {
    runId: random.id('prf'),
    continuation: { kind: 'fork', from: sessionId, at: end, sessionId: random.uuid() },
    prompt: null,
    workDir: session.workDir,
    model: takesModel ? session.model : null,
    permissionMode: adapter.words.defaultMode,
    allowedTools: [],
    disallowedTools: [],
    instructionsFile: null,
    asks: false,
    parkFiles: {},
    stays: true,
    trust: 'none',
    contextDir: null,
    env: runEnvironment(agent, environment, { trust: 'none', policy: null }),
  }
}

type Seen =
  | { readonly listens: boolean; readonly observation: Observation; readonly exit: Exit }
  /** Such as a work dir that is gone: it says nothing about the copy. */
  | { readonly notStarted: string }

/** A program that loads a session and does not answer is stopped. */
const LIMITS = { firstEventMs: 60_000, silenceMs: 60_000, totalMs: 120_000 }

/** Starts the program, asks whether it listens, and ends it. It answers only after it has loaded the session. */
async function startOn(
  { runner, limits, clock }: Dependencies,
  { agent, spec }: { readonly agent: Agent; readonly spec: RunSpec },
): Promise<Seen> {
  const { command, dialogue } = agent.adapter.open(spec, agent.runtime)
  const words = [...dialogue.begin().write, ...(dialogue.check?.().write ?? [])]
  const started = { ...command, stdin: new TextEncoder().encode(words.join('')) }
  const input = { ...started, keepsInputOpen: true as const }
  const process = await runner.start(input, spec.runId, { ...limits, ...LIMITS }).catch(reasonOf)
  if (typeof process === 'string') return { notStarted: process }
  const live = new LiveAgent({ process, dialogue, startedBy: spec.runId, startedAt: clock.now() })
  const observation = newObservation()
  let listens = false
  try {
    for (let step = await live.step(); step !== null; step = await live.step()) {
      for (const event of step.events) observe(observation, event)
      listens ||= step.listens === true
      if (!listens && observation.result === null) continue
      process.endInput()
      process.resultSeen()
    }
  } catch (error) {
    await process.stop('shutdown')
    throw error
  }
  return { listens, observation, exit: await process.exit }
}

function reasonOf(error: unknown): string {
  if (error instanceof RepriseError) return error.message
  throw error
}
