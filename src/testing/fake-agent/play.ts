// Plays the steps of a script as one turn of the fake agent.
import { type ContentStep, sayMessage, waitForFile } from './answer.ts'
import { type AskedCallLine, answerParked, hookDecision, park } from './asking.ts'
import { eventLine, initEvent, resultEvent, systemLine } from './events.ts'
import { failByApi, failByLimit, failByTurns, refuseResume } from './failures.ts'
import { findStep, type ScriptStep } from './script.ts'
import { flushHeld, type TurnState, writeEnd, writeMessage, writePrompt } from './turn.ts'
import type { FakeOutput } from './world.ts'

/** Runs to the exit code. `before` writes what the session file needs before the prompt. */
export async function* playTurn(
  turn: TurnState,
  steps: readonly ScriptStep[],
  before: () => Promise<void>,
): AsyncGenerator<FakeOutput, number> {
  const refused = yield* begin(turn, steps)
  if (refused !== null) return refused
  const silent = findStep(steps, 'noInit') ?? findStep(steps, 'lateId')
  if (silent === undefined) yield eventLine(initEvent(turn, findStep(steps, 'strangers')))
  await before()
  await writePrompt(turn)
  if (!turn.resumed) await writeMessage(turn, { type: 'attachment', attachment: listing() })

  const ended = yield* playSteps(turn, withAnswer(turn.prompt, steps))
  return ended === null ? yield* finish(turn, steps) : endOf(turn, ended)
}

export function endOf(turn: TurnState, { code, ended }: Ended): number {
  turn.rests = ended
  return code
}

/** Returns the exit code when the session is refused before anything else. */
export async function* begin(
  turn: TurnState,
  steps: readonly ScriptStep[],
): AsyncGenerator<FakeOutput, number | null> {
  if (steps.some(step => step.type === 'hang' && step.at === 'before-init')) await turn.world.hang()
  if (findStep(steps, 'ignoreSignals')) turn.world.ignoreSignals()
  const first = steps[0]
  if (first?.type === 'refuseResume' && turn.refusable) return yield* refuseResume(turn, first)
  if (findStep(steps, 'noPersistence')) turn.persistence = 'none'
  if (findStep(steps, 'slowFlush')) turn.persistence = 'late'
  return null
}

/** A turn that begins with a parked call: the settings hold the answer to it. */
export async function* playAnswer(
  turn: TurnState,
  steps: readonly ScriptStep[],
  call: AskedCallLine,
): AsyncGenerator<FakeOutput, number> {
  const refused = yield* begin(turn, steps)
  if (refused !== null) return refused
  const decision = (await hookDecision(turn.args, turn.world, call)) ?? {}
  if (decision.permissionDecision === 'defer') return yield* park(turn, call)
  const answer = yield* answerParked(turn, { call, decision })
  yield eventLine(initEvent(turn))
  const ended = yield* playSteps(turn, withAnswer(answer, steps))
  return ended === null ? yield* finish(turn, steps) : endOf(turn, ended)
}

/** `ended`: by a result, after which the program would take another prompt. */
export type Ended = { readonly code: number; readonly ended: boolean }

/** `null` when the turn continues to its normal end. */
export async function* playSteps(
  turn: TurnState,
  steps: readonly ScriptStep[],
): AsyncGenerator<FakeOutput, Ended | null> {
  let message: ContentStep[] = []
  for (const step of steps.map(step => asContent(turn, step))) {
    if (isContent(step)) {
      message.push(step)
      if (step.type !== 'tool' && step.type !== 'ask') continue
    }
    const parked = message.length > 0 ? yield* sayMessage(turn, message) : null
    if (parked !== null) return { code: yield* park(turn, parked), ended: false }
    message = []
    if (isContent(step)) continue
    const ended = yield* playStep(turn, step)
    if (ended !== null) return ended
  }
  if (message.length > 0) yield* sayMessage(turn, message)
  return null
}

async function* playStep(
  turn: TurnState,
  step: ScriptStep,
): AsyncGenerator<FakeOutput, Ended | null> {
  const { world } = turn
  switch (step.type) {
    case 'sideEffect':
      await world.files.append(step.appendFile, `${step.line}\n`)
      return null
    case 'writeFile':
      await world.files.write(step.path, step.text)
      return null
    case 'billed':
      turn.billed = step.usage
      return null
    case 'sleep':
      await world.clock.sleep(step.ms)
      return null
    case 'waitForFile':
      if (step.reached !== undefined) await world.files.write(step.reached, '')
      await waitForFile(turn, step.path)
      return null
    case 'hang':
      if (step.at === undefined || step.at === 'here') await world.hang()
      return null
    case 'killSelf':
      return world.die(step.signal)
    case 'exit':
      return step.withoutResult === true ? { code: step.code, ended: false } : null
    case 'apiError':
      return { code: yield* failByApi(turn, step), ended: true }
    case 'usageLimit':
      return { code: yield* failByLimit(turn, step), ended: true }
    case 'maxTurns':
      return { code: yield* failByTurns(turn), ended: true }
    case 'refuseResume':
      return turn.refusable ? { code: yield* refuseResume(turn, step), ended: false } : null
    case 'orphan': {
      const { seconds = 60, ownSession = false } = step
      const orphan = world.leaveOrphan({ seconds, ownSession })
      await world.journal({ kind: 'orphan', id: turn.journalId, orphan })
      return null
    }
    default:
      yield* makeNoise(turn, step)
      return null
  }
}

function* makeNoise(turn: TurnState, step: ScriptStep): Generator<FakeOutput> {
  switch (step.type) {
    case 'flood':
      for (let event = 0; event < step.events; event++)
        yield eventLine(systemLine(turn, 'status', { status: 'requesting', event }))
      return
    case 'bigLine':
      return void (yield eventLine(systemLine(turn, 'status', { status: 'x'.repeat(step.bytes) })))
    case 'brokenUtf8':
      return void (yield { to: 'stdout', bytes: brokenLine() })
    case 'unknownEvents':
      for (let event = 0; event < (step.events ?? 1); event++)
        yield eventLine({ type: 'from_the_future', subtype: 'new', session_id: turn.sessionId })
      return
    case 'bannerLine':
      return void (yield { to: 'stdout', line: step.text })
    default:
      // The rest changes how the turn begins or ends.
      return
  }
}

export async function* finish(
  turn: TurnState,
  steps: readonly ScriptStep[],
): AsyncGenerator<FakeOutput, number> {
  if (findStep(steps, 'lateId')) yield eventLine(initEvent(turn))
  if (findStep(steps, 'twoResults')) yield eventLine(systemLine(turn, 'task_started', TASK))
  yield eventLine(resultEvent(turn))
  if (findStep(steps, 'twoResults')) yield* speakUnasked(turn)
  const slow = findStep(steps, 'slowFlush')
  if (slow !== undefined) await turn.world.clock.sleep(slow.ms)
  await flushHeld(turn)
  if (findStep(steps, 'tornFile')) await tearFile(turn)
  else if (findStep(steps, 'exit') || hangsAtEnd(steps)) await writeEnd(turn)
  else turn.rests = true
  if (hangsAtEnd(steps)) await turn.world.hang()
  return findStep(steps, 'exit')?.code ?? 0
}

function hangsAtEnd(steps: readonly ScriptStep[]): boolean {
  return steps.some(step => step.type === 'hang' && step.at === 'after-result')
}

/** Goes on after the result; the real program says when it starts. */
const TASK = { task_id: 'b1', description: 'in the background', task_type: 'local_bash' }

async function* speakUnasked(turn: TurnState): AsyncGenerator<FakeOutput> {
  const origin = { kind: 'task-notification' }
  const content = '<task-notification>completed</task-notification>'
  await writeMessage(turn, { type: 'user', message: { role: 'user', content }, origin })
  yield eventLine(initEvent(turn))
  const answer = turn.lastText
  yield* sayMessage(turn, [{ type: 'text', text: 'The background task is done.' }])
  yield eventLine(resultEvent(turn, { origin }))
  turn.lastText = answer
}

async function tearFile(turn: TurnState): Promise<void> {
  const { files } = turn.world
  const bytes = (await files.read(turn.path)) ?? new Uint8Array()
  const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1
  const middle = lastLine + Math.floor((bytes.length - lastLine) / 2)
  await files.write(turn.path, bytes.subarray(0, middle))
}

/** The steps, and an echo when none of them says or ends anything. */
export function withAnswer(prompt: string, steps: readonly ScriptStep[]): readonly ScriptStep[] {
  if (findStep(steps, 'text') ?? findStep(steps, 'verdict')) return steps
  const last = prompt.trim().split('\n').at(-1) ?? ''
  return [...steps, { type: 'text', text: `echo: ${last}` }]
}

/** The agent gives a verdict by its own tool where it has one, or in plain text. */
function asContent(turn: TurnState, step: ScriptStep): ScriptStep {
  if (step.type !== 'verdict') return step
  if (turn.args.jsonSchema === null) {
    return { type: 'text', text: `\`\`\`json\n${JSON.stringify(step.output)}\n\`\`\`` }
  }
  turn.structured = step.output
  const result = 'Structured output provided successfully'
  return { type: 'tool', name: 'StructuredOutput', input: step.output, result }
}

const CONTENT: ReadonlySet<ScriptStep['type']> = new Set(['text', 'thinking', 'tool', 'ask'])

function isContent(step: ScriptStep): step is ContentStep {
  return CONTENT.has(step.type)
}

function listing(): object {
  return { type: 'skill_listing', content: '- verify: check the work' }
}

function brokenLine(): Uint8Array {
  const start = new TextEncoder().encode('{"type":"system","subtype":"status","status":"')
  const end = new TextEncoder().encode('"}\n')
  return new Uint8Array([...start, 0xff, 0xc3, 0x28, 0xe2, 0x82, ...end])
}
