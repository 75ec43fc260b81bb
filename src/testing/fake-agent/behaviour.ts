// Everything that the fake agent does, from its arguments to its exit code, in the small world that it gets.
import { NO_USAGE } from '../../core/run/events.ts'
import { type Arguments, helpText, parseArguments } from './arguments.ts'
import { type AskedCallLine, parkedAnswerText, parkedCallIn } from './asking.ts'
import { callFirstIn, playCallFirst } from './call-first.ts'
import {
  healedChain,
  instructionsGiven,
  instructionsInForce,
  modelOf,
  type OpenedSession,
  writeBefore,
} from './continued.ts'
import { eventLine, initEvent, refusalEvent, resultEvent, syntheticMessage } from './events.ts'
import { journalWithoutSecrets } from './journal.ts'
import { type Opened, openSession, openWrongSession } from './open-session.ts'
import { playAnswer, playTurn } from './play.ts'
import { type GivenPrompt, inlinedFiles, readPrompt, slashCommand } from './prompt.ts'
import { type FakeScript, findStep, fits, type ScriptStep } from './script.ts'
import { type ChainLine, historyOf, NO_COSTS } from './session-file.ts'
import { SYSTEM_TOKENS, type TurnState, tokensIn } from './turn.ts'
import { DEFAULT_VERSION, habitsOf } from './versions.ts'
import type { AgentWorld, FakeOutput, Invocation } from './world.ts'

type ReadPrompt = Exclude<GivenPrompt, { problem: string }>

export async function* behave(
  invocation: Invocation,
  world: AgentWorld,
): AsyncGenerator<FakeOutput, number> {
  const { env } = invocation
  const { habits, without } = knowledgeOf(env)
  const args = parseArguments(invocation.args, without)
  if ('problem' in args) return yield* complain(args.problem)
  if (args.version) return yield* print(probeAnswers(env).version)
  if (args.help) return yield* print(probeAnswers(env).help)
  const asked = await openSession(args, habits, { invocation, world })
  const parked = parkedAt(args, asked)
  const stdin = args.asks ? await firstLine(world, parked) : invocation.stdin
  const prompt = readPrompt(args, habits, stdin)
  if ('problem' in prompt) return yield* complain(prompt.problem)
  if (prompt.text.trim() === '' && parked === null) return 0

  if (asked.kind === 'problem') return yield* complain(asked.words)
  if (asked.kind === 'hangs') return world.hang()
  const received = parked
    ? { ...prompt, text: await parkedAnswerText(args, world, parked) }
    : prompt
  const entry = await journalEntry({ args, invocation, world, prompt: received })
  if (asked.kind === 'refused') {
    await world.journal({ ...entry, refused: asked.words })
    yield eventLine(refusalEvent(asked.words, { uuid: world.uuid(), sessionId: asked.sessionId }))
    yield* complain(asked.words)
    await world.journal({ kind: 'end', id: entry.id, ended: true, code: 1 })
    return 1
  }

  const steps = await chooseSteps(invocation, world, { prompt: prompt.text, args })
  const opened = findStep(steps, 'wrongId') ? await openWrongSession(world, invocation) : asked
  const given = await instructionsGiven(args, world)
  const keeps = habits.keepsInstructions && args.keepsSnapshot
  const instructions = keeps ? instructionsInForce(opened, given) : given
  const call = callFirstIn(args, opened)
  const isWaiting = parked !== null || call !== null
  const chain = isWaiting ? (opened.saved?.chain ?? []) : healedChain(opened, habits, world)
  const turn = startTurn({ args, habits, invocation, world, opened, chain, prompt })
  const turnWithId: TurnState = { ...turn, journalId: entry.id }
  const { sessionId } = opened
  await world.journal({ ...entry, sessionId, history: historyOf(chain), instructions })
  const command = habits.answersSlashWords ? slashCommand(prompt.scanned) : null
  const before = () => writeBefore(turnWithId, { opened, chain, instructions })
  const code = parked
    ? yield* playAnswer(turnWithId, steps, parked)
    : call
      ? yield* playCallFirst(turnWithId, steps, { call, before })
      : command === null
        ? yield* playTurn(turnWithId, steps, before)
        : yield* answerCommand(turnWithId, command)
  await world.journal({ kind: 'end', id: entry.id, ended: true, code })
  return code
}

type Environment = Invocation['env']

/** What the program prints when it is asked which version it is and which flags it knows. */
export function probeAnswers(env: Environment) {
  const { habits, without } = knowledgeOf(env)
  return { version: `${habits.version} (Claude Code)`, help: helpText(without) }
}

function knowledgeOf(env: Environment) {
  const habits = habitsOf(env.FAKE_AGENT_VERSION ?? DEFAULT_VERSION)
  const knowsSnapshot = habits.keepsInstructions && env.FAKE_AGENT_HELP !== 'no-snapshot'
  const without = [
    ...(env.FAKE_AGENT_HELP === 'no-resume' ? ['--resume', '--fork-session'] : []),
    ...(knowsSnapshot ? [] : ['--system-prompt-snapshot']),
  ]
  return { habits, without }
}

/** A copy of a session does not continue the parked call of the original. */
function parkedAt({ asks, forkSession }: Arguments, opened: Opened): AskedCallLine | null {
  if (!asks || forkSession || opened.kind !== 'opened' || opened.saved === null) return null
  return parkedCallIn(opened.saved.chain)
}

/** With a parked call to continue, the agent does not wait for a message. */
async function firstLine(world: AgentWorld, parked: AskedCallLine | null): Promise<Uint8Array> {
  const line = parked === null ? await world.nextLine() : null
  return new TextEncoder().encode(line ?? '')
}

async function* print(line: string): AsyncGenerator<FakeOutput, number> {
  yield { to: 'stdout', line }
  return 0
}

async function* complain(line: string): AsyncGenerator<FakeOutput, number> {
  yield { to: 'stderr', line }
  return 1
}

async function* answerCommand(
  turn: TurnState,
  command: string,
): AsyncGenerator<FakeOutput, number> {
  yield eventLine(initEvent(turn))
  turn.lastText = command === 'compact' || command === 'clear' ? '' : `Unknown command: /${command}`
  yield eventLine({
    type: 'assistant',
    message: syntheticMessage(turn, turn.lastText),
    parent_tool_use_id: null,
    session_id: turn.sessionId,
    uuid: turn.world.uuid(),
  })
  const sessionId = command === 'clear' ? turn.world.uuid() : turn.sessionId
  yield eventLine(resultEvent(turn, { session_id: sessionId, terminal_reason: undefined }))
  return 0
}

async function chooseSteps(
  invocation: Invocation,
  world: AgentWorld,
  { prompt, args }: { prompt: string; args: Arguments },
): Promise<readonly ScriptStep[]> {
  const path = invocation.env.FAKE_AGENT_SCRIPT
  const script = path === undefined ? world.script : await readScript(world, path)
  const kind = args.resume === null ? 'new' : 'resume'
  for (const [index, turn] of script.entries()) {
    if (!fits(turn, prompt, kind)) continue
    if (turn.once !== true) return turn.do
    if (await world.files.claim(`${path ?? '/fake-agent-script'}.once-${index}`)) return turn.do
  }
  return []
}

async function readScript(world: AgentWorld, path: string): Promise<FakeScript> {
  const bytes = await world.files.read(path)
  if (bytes === null) throw new Error(`FAKE_AGENT_SCRIPT names a file that is not there: ${path}`)
  return JSON.parse(new TextDecoder().decode(bytes)) as FakeScript
}

async function journalEntry({
  args,
  invocation,
  world,
  prompt,
}: {
  args: Arguments
  invocation: Invocation
  world: AgentWorld
  prompt: ReadPrompt
}) {
  return {
    kind: 'start' as const,
    id: world.uuid(),
    pid: world.pid,
    args: invocation.args,
    env: journalWithoutSecrets(invocation.env),
    cwd: invocation.cwd,
    prompt: prompt.text,
    inlined: await inlinedFiles(prompt.scanned, invocation.cwd, world.files),
    sessionId: null,
    history: [],
    instructions: await instructionsGiven(args, world),
    refused: null,
  }
}

function startTurn({
  opened,
  chain,
  prompt,
  ...rest
}: Pick<TurnState, 'args' | 'habits' | 'invocation' | 'world'> & {
  opened: OpenedSession
  prompt: ReadPrompt
  chain: readonly ChainLine[]
}): Omit<TurnState, 'journalId'> {
  const lastModel = modelOf(chain)
  const model = rest.args.model ?? lastModel ?? rest.habits.defaultModel
  const history = historyOf(chain).reduce((sum, { text }) => sum + tokensIn(text), 0)
  const promptTokens = tokensIn(prompt.text)
  // Another model has another cache, so everything is sent again.
  const cached = lastModel === model.replace(/\[.*\]$/, '')
  return {
    ...rest,
    prompt: prompt.text,
    promptContent: prompt.content,
    model,
    sessionId: opened.sessionId,
    path: opened.path,
    resumed: opened.saved !== null,
    costsBefore: opened.saved?.costs ?? NO_COSTS,
    startedMs: rest.world.clock.now(),
    leaf: chain.at(-1)?.uuid ?? null,
    cachedTokens: cached ? SYSTEM_TOKENS + history : 0,
    newTokens: cached ? promptTokens : SYSTEM_TOKENS + history + promptTokens,
    usage: NO_USAGE,
    reported: NO_USAGE,
    turns: 0,
    lastText: '',
    structured: undefined,
    billed: null,
    stopReason: null,
    results: 0,
    denials: [],
    persistence: rest.args.noPersistence ? 'none' : 'at-once',
    held: [],
  }
}
