// The fake agent continues a session that waits at a call: first the call, with a result of its own, then the prompt.

import {
  ASKING_TOOL,
  type AskedCallLine,
  hookDecision,
  park,
  parkedCallIn,
  returnResult,
  writeGoingOn,
} from './asking.ts'
import { eventLine, initEvent, resultEvent } from './events.ts'
import type { Arguments } from './input/arguments.ts'
import type { Opened } from './open-session.ts'
import { begin, endOf, finish, playSteps, withAnswer } from './play.ts'
import type { ScriptStep } from './script.ts'
import { type TurnState, writePrompt } from './turn.ts'
import type { FakeOutput } from './world.ts'

/** Also in a copy of the session. A question to the user is not a call that could run. */
export function callFirstIn({ asks }: Arguments, opened: Opened): AskedCallLine | null {
  if (asks || opened.kind !== 'opened' || opened.saved === null) return null
  const call = parkedCallIn(opened.saved.chain)
  return call?.name === ASKING_TOOL ? null : call
}

/** The model takes the steps up to the first verdict after the call, and the others after the prompt. */
export async function* playCallFirst(
  turn: TurnState,
  steps: readonly ScriptStep[],
  { call, before }: { readonly call: AskedCallLine; readonly before: () => Promise<void> },
): AsyncGenerator<FakeOutput, number> {
  const refused = yield* begin(turn, steps)
  if (refused !== null) return refused
  await before()
  const decision = await hookDecision(turn.args, turn.world, call)
  if (decision?.permissionDecision === 'defer') return yield* park(turn, call)
  yield eventLine(initEvent(turn))
  yield* runCall(turn, call)
  const end = steps.findIndex(step => step.type === 'verdict') + 1
  const [afterCall, afterPrompt] = [steps.slice(0, end), steps.slice(end)]
  for (const part of [afterCall, afterPrompt]) {
    if (part === afterPrompt) yield* nextTurn(turn)
    const ended = yield* playSteps(turn, withAnswer(turn.prompt, part))
    if (ended !== null) return endOf(turn, ended)
  }
  return yield* finish(turn, afterPrompt)
}

async function* runCall(
  turn: TurnState,
  { id, name, does }: AskedCallLine,
): AsyncGenerator<FakeOutput> {
  const denied = turn.args.disallowedTools.includes(name)
  if (!denied && does?.appends) {
    await turn.world.files.append(does.appends.file, `${does.appends.line}\n`)
  }
  const content = denied ? `Permission to use ${name} has been denied.` : (does?.result ?? 'done')
  yield* returnResult(turn, { id, content, isError: denied, denied })
  await writeGoingOn(turn)
}

async function* nextTurn(turn: TurnState): AsyncGenerator<FakeOutput> {
  yield eventLine(resultEvent(turn))
  turn.structured = undefined
  turn.lastText = ''
  yield eventLine(initEvent(turn))
  await writePrompt(turn)
}
