// Everything that the fake agent does, from its arguments to its exit code, in the small world that it gets.
import { NO_USAGE } from '../../core/run/events.ts'
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
import { type Arguments, helpText, parseArguments } from './input/arguments.ts'
import { type GivenPrompt, inlinedFiles, readPrompt, slashCommand } from './input/prompt.ts'
import { createStreamInput, interruptible, type StreamInput } from './input/stream-input.ts'
import { journalWithoutSecrets } from './journal.ts'
import { type Opened, openSession, openWrongSession } from './open-session.ts'
import { playAnswer, playTurn } from './play.ts'
import { type FakeScript, findStep, fits, type ScriptStep } from './script.ts'
import { type ChainLine, historyOf, NO_COSTS } from './session-file.ts'
import { nextPromptLine, nextTurnOf, playInterruptible } from './several-turns.ts'
import { SYSTEM_TOKENS, type TurnState, tokensIn, writeEnd } from './turn.ts'
import { DEFAULT_VERSION, habitsOf } from './versions.ts'
import type { AgentWorld, FakeOutput, Invocation } from './world.ts'

type ReadPrompt = Exclude<GivenPrompt, { problem: string }>

export async function* behave(
  invocation: Invocation,
  outer: AgentWorld,
): AsyncGenerator<FakeOutput, number> {
  const { env } = invocation
  const { habits, without } = knowledgeOf(env)
  const args = parseArguments(invocation.args, without)
  if ('problem' in args) return yield* complain(args.problem)
  if (args.version) return yield* print(probeAnswers(env).version)
  if (args.help) return yield* print(probeAnswers(env).help)
  const asked = await openSession(args, habits, { invocation, world: outer })
  const parked = parkedAt(args, asked)
  const takesLines = args.inputFormat === 'stream-json'
  const input = takesLines ? createStreamInput(outer) : null
  const world = input ? interruptible(outer, input) : outer
  // With a parked call to continue, the agent does not wait for a message.
  const waits = input !== null && parked === null
  const line = waits ? yield* nextPromptLine(input, habits, asked.kind) : null
  if (waits && line === null && asked.kind === 'refused') return yield* refuse(asked, world)
  const stdin = input ? new TextEncoder().encode(line ?? '') : invocation.stdin
  const prompt = readPrompt(args, habits, stdin)
  if ('problem' in prompt) return yield* complain(prompt.problem)
  if (prompt.text.trim() === '' && parked === null) return 0

  if (asked.kind === 'problem') return yield* complain(asked.words)
  if (asked.kind === 'hangs') return world.hang()
  const received = parked
    ? { ...prompt, text: await parkedAnswerText(args, world, parked) }
    : prompt
  const given = await instructionsGiven(args, world)
  const process = { invocation, world, instructions: given }
  const entry = await journalEntry(process, { prompt: received, turn: 1 })
  if (asked.kind === 'refused') {
    await world.journal({ ...entry, refused: asked.words })
    yield* refuse(asked, world)
    await world.journal({ kind: 'end', id: entry.id, ended: true, code: 1 })
    return 1
  }

  const steps = await chooseSteps(invocation, world, { prompt: prompt.text, kind: kindOf(args) })
  const opened = findStep(steps, 'wrongId') ? await openWrongSession(world, invocation) : asked
  const keeps = habits.keepsInstructions && args.keepsSnapshot
  const instructions = keeps ? instructionsInForce(opened, given) : given
  const call = callFirstIn(args, opened)
  const isWaiting = parked !== null || call !== null
  const chain = isWaiting ? (opened.saved?.chain ?? []) : healedChain(opened, habits, world)
  const first: TurnState = {
    ...startTurn({ args, habits, invocation, world, opened, chain, prompt }),
    journalId: entry.id,
  }
  const { sessionId } = opened
  await world.journal({ ...entry, sessionId, history: historyOf(chain), instructions })
  const before = () => writeBefore(first, { opened, chain, instructions })
  const playFirst = () => {
    if (parked) return playAnswer(first, steps, parked)
    if (call) return playCallFirst(first, steps, { call, before })
    return playPrompt(first, steps, { scanned: prompt.scanned, before })
  }
  const code = yield* playWhole(first, input, playFirst())
  return input
    ? yield* takeMoreTurns(first, { process, input, instructions, code })
    : leave(first, code)
}

async function* refuse(
  { words, sessionId }: Extract<Opened, { kind: 'refused' }>,
  { uuid }: AgentWorld,
): AsyncGenerator<FakeOutput, number> {
  yield eventLine(refusalEvent(words, { uuid: uuid(), sessionId }))
  return yield* complain(words)
}

/** A process with an open input takes one prompt after the other. */
async function* takeMoreTurns(
  first: TurnState,
  taking: {
    readonly process: Process
    readonly input: StreamInput
    readonly instructions: string | null
    /** Of the first turn. */
    readonly code: number
  },
): AsyncGenerator<FakeOutput, number> {
  const { process, input, instructions } = taking
  const { args, habits, world, invocation, sessionId } = first
  let { code } = taking
  let turn = first
  for (let number = 2; turn.rests; number += 1) {
    const line = yield* nextPromptLine(input, habits)
    if (line === null) break
    const prompt = readPrompt(args, habits, new TextEncoder().encode(line))
    if ('problem' in prompt) return yield* complain(prompt.problem)
    const entry = await journalEntry(process, { prompt, turn: number })
    await world.journal({ ...entry, sessionId, history: historyOf(turn.chain), instructions })
    const { text, content, scanned } = prompt
    turn = nextTurnOf(turn, { journalId: entry.id, prompt: text, promptContent: content })
    const steps = await chooseSteps(invocation, world, { prompt: text, kind: 'resume' })
    code = yield* playWhole(turn, input, playPrompt(turn, steps, { scanned, before: NOTHING }))
  }
  return leave(turn, code)
}

/** Ends a process in order. */
async function leave(turn: TurnState, code: number): Promise<number> {
  if (turn.rests) await writeEnd(turn)
  return code
}

const NOTHING = async () => undefined

/** Plays one turn to its end, which the journal notes. */
async function* playWhole(
  turn: TurnState,
  input: StreamInput | null,
  play: AsyncGenerator<FakeOutput, number>,
): AsyncGenerator<FakeOutput, number> {
  const code = input ? yield* playInterruptible(turn, input, play) : yield* play
  await turn.world.journal({ kind: 'end', id: turn.journalId, ended: true, code })
  return code
}

function playPrompt(
  turn: TurnState,
  steps: readonly ScriptStep[],
  { scanned, before }: { readonly scanned: string; readonly before: () => Promise<void> },
): AsyncGenerator<FakeOutput, number> {
  const command = turn.habits.answersSlashWords ? slashCommand(scanned) : null
  return command === null ? playTurn(turn, steps, before) : answerCommand(turn, command)
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
  { prompt, kind }: { prompt: string; kind: 'new' | 'resume' },
): Promise<readonly ScriptStep[]> {
  const path = invocation.env.FAKE_AGENT_SCRIPT
  const script = path === undefined ? world.script : await readScript(world, path)
  for (const [index, turn] of script.entries()) {
    if (!fits(turn, prompt, kind)) continue
    if (turn.once !== true) return turn.do
    if (await world.files.claim(`${path ?? '/fake-agent-script'}.once-${index}`)) return turn.do
  }
  return []
}

function kindOf({ resume }: Arguments): 'new' | 'resume' {
  return resume === null ? 'new' : 'resume'
}

async function readScript(world: AgentWorld, path: string): Promise<FakeScript> {
  const bytes = await world.files.read(path)
  if (bytes === null) throw new Error(`FAKE_AGENT_SCRIPT names a file that is not there: ${path}`)
  return JSON.parse(new TextDecoder().decode(bytes)) as FakeScript
}

type Process = {
  readonly invocation: Invocation
  readonly world: AgentWorld
  readonly instructions: string | null
}

async function journalEntry(
  { invocation, world, instructions }: Process,
  { prompt, turn }: { readonly prompt: ReadPrompt; readonly turn: number },
) {
  return {
    kind: 'start' as const,
    id: world.uuid(),
    pid: world.pid,
    turn,
    args: invocation.args,
    env: journalWithoutSecrets(invocation.env),
    cwd: invocation.cwd,
    prompt: prompt.text,
    inlined: await inlinedFiles(prompt.scanned, invocation.cwd, world.files),
    sessionId: null,
    history: [],
    instructions,
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
    refusable: opened.saved !== null,
    costsBefore: opened.saved?.costs ?? NO_COSTS,
    startedMs: rest.world.clock.now(),
    chain: [...chain],
    openCall: null,
    rests: false,
    cachedTokens: cached ? SYSTEM_TOKENS + history : 0,
    newTokens: cached ? promptTokens : SYSTEM_TOKENS + history + promptTokens,
    usage: NO_USAGE,
    usageBefore: NO_USAGE,
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
