// All that the fake agent does, from its arguments to its exit code, over the small world it is given.
import { NO_USAGE } from '../../core/events.ts'
import { type Arguments, helpText, parseArguments } from './arguments.ts'
import { eventLine, initEvent, refusalEvent, resultEvent, syntheticMessage } from './events.ts'
import { withoutSecrets } from './journal.ts'
import { type Opened, openSession, openWrongSession } from './open-session.ts'
import { playTurn } from './play.ts'
import { inlinedFiles, type Prompt, readPrompt, slashCommand } from './prompt.ts'
import { type FakeScript, findStep, fits, type Step } from './script.ts'
import {
  blocksOf,
  type ChainLine,
  danglingCalls,
  historyOf,
  messageOf,
  NO_COSTS,
} from './session-file.ts'
import { SYSTEM_TOKENS, type Turn, tokensIn, writeLine, writeMessage } from './turn.ts'
import { DEFAULT_VERSION, type Habits, habitsOf } from './versions.ts'
import type { AgentWorld, Invocation, Output } from './world.ts'

type ReadPrompt = Exclude<Prompt, { problem: string }>
type OpenedSession = Extract<Opened, { kind: 'opened' }>

export async function* behave(
  invocation: Invocation,
  world: AgentWorld,
): AsyncGenerator<Output, number> {
  const { env } = invocation
  const habits = habitsOf(env.FAKE_AGENT_VERSION ?? DEFAULT_VERSION)
  const without = env.FAKE_AGENT_HELP === 'no-resume' ? ['--resume', '--fork-session'] : []
  const args = parseArguments(invocation.args, without)
  if ('problem' in args) return yield* complain(args.problem)
  if (args.version) return yield* print(`${habits.version} (Claude Code)`)
  if (args.help) return yield* print(helpText(without))
  const prompt = readPrompt(args, habits, invocation.stdin)
  if ('problem' in prompt) return yield* complain(prompt.problem)
  if (prompt.text.trim() === '') return 0

  const asked = await openSession(args, habits, { invocation, world })
  if (asked.kind === 'problem') return yield* complain(asked.words)
  if (asked.kind === 'hangs') return world.hang()
  const entry = await journalEntry({ args, invocation, world, prompt })
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
  const instructions = instructionsInForce(opened, habits, given)
  const chain = healedChain(opened, habits, world)
  const turn = startTurn({ args, habits, invocation, world, opened, chain, prompt })
  const turnWithId: Turn = { ...turn, journalId: entry.id }
  const { sessionId } = opened
  await world.journal({ ...entry, sessionId, history: historyOf(chain), instructions })
  const command = habits.answersSlashWords ? slashCommand(prompt.scanned) : null
  const code =
    command === null
      ? yield* playTurn(turnWithId, steps, () =>
          writeBefore(turnWithId, { opened, chain, instructions }),
        )
      : yield* answerCommand(turnWithId, command)
  await world.journal({ kind: 'end', id: entry.id, ended: true, code })
  return code
}

async function* print(line: string): AsyncGenerator<Output, number> {
  yield { to: 'stdout', line }
  return 0
}

async function* complain(line: string): AsyncGenerator<Output, number> {
  yield { to: 'stderr', line }
  return 1
}

async function* answerCommand(turn: Turn, command: string): AsyncGenerator<Output, number> {
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
): Promise<readonly Step[]> {
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
    env: withoutSecrets(invocation.env),
    cwd: invocation.cwd,
    prompt: prompt.text,
    inlined: await inlinedFiles(prompt.scanned, invocation.cwd, world.files),
    sessionId: null,
    history: [],
    instructions: await instructionsGiven(args, world),
    refused: null,
  }
}

async function instructionsGiven(args: Arguments, world: AgentWorld): Promise<string | null> {
  if (args.instructionsFile === null) return args.instructions
  const bytes = await world.files.read(args.instructionsFile)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

function instructionsInForce(
  { saved }: OpenedSession,
  habits: Habits,
  given: string | null,
): string | null {
  if (saved === null || !habits.keepsInstructions) return given
  const snapshot = saved.chain.findLast(line => snapshotOf(line) !== undefined)
  return snapshot === undefined ? given : (snapshotOf(snapshot)?.instructions ?? null)
}

function snapshotOf(line: ChainLine): { instructions: string | null } | undefined {
  const attachment = line.attachment as { type?: string; instructions?: string | null } | undefined
  if (attachment?.type !== 'prompt_snapshot') return undefined
  return { instructions: attachment.instructions ?? null }
}

/** What an interrupted turn left is closed as the real program does before it goes on. */
function healedChain(
  { saved, sessionId }: OpenedSession,
  habits: Habits,
  world: AgentWorld,
): readonly ChainLine[] {
  if (saved === null) return []
  const [dangling] = danglingCalls(saved.chain)
  const line = (parentUuid: string | null) => ({
    uuid: world.uuid(),
    parentUuid,
    isSidechain: false,
    sessionId,
    timestamp: new Date(world.clock.now()).toISOString(),
    version: habits.version,
  })
  if (dangling !== undefined && habits.tellsInterruptedCalls) {
    const call = blocksOf(dangling).find(block => block.type === 'tool_use')
    const words =
      "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"
    const result = { type: 'tool_result', tool_use_id: call?.id, content: words, is_error: true }
    const message = { role: 'user', content: [result] }
    return [...saved.chain, { ...line(saved.chain.at(-1)?.uuid ?? null), type: 'user', message }]
  }
  const kept =
    dangling === undefined ? saved.chain : saved.chain.slice(0, saved.chain.indexOf(dangling))
  const leaf = kept.findLast(item => item.type !== 'attachment')
  if (leaf === undefined || leaf.type === 'assistant') return kept
  const message = {
    id: world.uuid(),
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text: 'No response requested.' }],
  }
  return [...kept, { ...line(kept.at(-1)?.uuid ?? null), type: 'assistant', message }]
}

/** Copies what a fork continues, closes what was left open, keeps the instructions of a first run. */
async function writeBefore(
  turn: Turn,
  {
    opened,
    chain,
    instructions,
  }: { opened: OpenedSession; chain: readonly ChainLine[]; instructions: string | null },
): Promise<void> {
  const known = new Set(opened.copies ? [] : opened.saved?.chain.map(line => line.uuid))
  for (const line of chain)
    if (!known.has(line.uuid)) await writeLine(turn, { ...line, sessionId: turn.sessionId })
  if (opened.saved !== null || !turn.habits.keepsInstructions) return
  const attachment = { type: 'prompt_snapshot', instructions }
  await writeMessage(turn, { type: 'attachment', attachment })
}

function startTurn({
  opened,
  chain,
  prompt,
  ...rest
}: Pick<Turn, 'args' | 'habits' | 'invocation' | 'world'> & {
  opened: OpenedSession
  prompt: ReadPrompt
  chain: readonly ChainLine[]
}): Omit<Turn, 'journalId'> {
  const lastModel = modelOf(chain)
  const model = rest.args.model ?? lastModel ?? rest.habits.defaultModel
  const history = historyOf(chain).reduce((sum, { text }) => sum + tokensIn(text), 0)
  const promptTokens = tokensIn(prompt.text)
  // Another model has another cache: everything is sent anew.
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
    turns: 0,
    lastText: '',
    stopReason: null,
    results: 0,
    denials: [],
    persistence: rest.args.noPersistence ? 'none' : 'at-once',
    held: [],
  }
}

function modelOf(chain: readonly ChainLine[]): string | null {
  const models = chain
    .filter(line => line.type === 'assistant')
    .map(line => String(messageOf(line).model))
  return models.findLast(model => model !== '<synthetic>') ?? null
}
