// The turns of one process of the fake agent: it waits for prompts, answers its host, and can be interrupted.
import { returnResult } from './asking.ts'
import { eventLine, resultEvent } from './events.ts'
import { hostRequestIn, type StreamInput, TurnInterrupted } from './input/stream-input.ts'
import type { Opened } from './open-session.ts'
import { type TurnState, tokensIn, writeMessage } from './turn.ts'
import type { Habits } from './versions.ts'
import type { FakeOutput } from './world.ts'

/**
 * The next line with a prompt; `null` at the end of the input. Requests of the host are answered on the way, unless the
 * session is refused: then the first of them ends the wait.
 */
export async function* nextPromptLine(
  input: StreamInput,
  habits: Habits,
  state: Opened['kind'] = 'opened',
): AsyncGenerator<FakeOutput, string | null> {
  for (let line = await input.next(); line !== null; line = await input.next()) {
    const request = hostRequestIn(line)
    if (request === null && !line.startsWith('{"type":"control_response"')) return line
    if (request?.subtype === 'get_binary_version') {
      if (state === 'refused') return null
      yield controlResponse(request.requestId, { version: habits.version })
    }
    if (request?.subtype === 'interrupt') yield controlResponse(request.requestId)
  }
  return null
}

/** The state of the next turn of a process. Everything else of the process stays as it is. */
export function nextTurnOf(
  turn: TurnState,
  next: Pick<TurnState, 'journalId' | 'prompt' | 'promptContent'>,
): TurnState {
  const { args, world, usage, newTokens } = turn
  return {
    ...turn,
    ...next,
    resumed: true,
    refusable: false,
    startedMs: world.clock.now(),
    usageBefore: usage,
    newTokens: newTokens + tokensIn(next.prompt),
    openCall: null,
    rests: false,
    turns: 0,
    lastText: '',
    structured: undefined,
    billed: null,
    stopReason: null,
    denials: [],
    persistence: args.noPersistence ? 'none' : 'at-once',
  }
}

/** Plays a turn that the host may interrupt: the session then holds all that was said, and a line that says so. */
export async function* playInterruptible(
  turn: TurnState,
  input: StreamInput,
  play: AsyncGenerator<FakeOutput, number>,
): AsyncGenerator<FakeOutput, number> {
  input.beginTurn()
  try {
    return yield* play
  } catch (error) {
    if (!(error instanceof TurnInterrupted)) throw error
    input.endTurn()
    yield* breakOff(turn, error)
    turn.rests = true
    return 0
  } finally {
    input.endTurn()
  }
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

async function* breakOff(
  turn: TurnState,
  { requestId }: TurnInterrupted,
): AsyncGenerator<FakeOutput> {
  const { openCall } = turn
  yield controlResponse(requestId)
  if (openCall !== null) {
    yield* returnResult(turn, { id: openCall, content: REJECTED, isError: true, denied: false })
  }
  const text = `[Request interrupted by user${openCall === null ? '' : ' for tool use'}]`
  const message = { role: 'user', content: [{ type: 'text', text }] }
  await writeMessage(turn, { type: 'user', message })
  yield eventLine({ type: 'user', message, parent_tool_use_id: null, session_id: turn.sessionId })
  yield eventLine(
    resultEvent(turn, {
      subtype: 'error_during_execution',
      is_error: true,
      result: undefined,
      terminal_reason: openCall === null ? 'aborted_streaming' : 'aborted_tools',
      errors: [`[ede_diagnostic] result_type=user stop_reason=${turn.stopReason}`],
    }),
  )
}

function controlResponse(requestId: string, response?: object): FakeOutput {
  const body = { subtype: 'success', request_id: requestId, ...(response && { response }) }
  return eventLine({ type: 'control_response', response: body })
}
