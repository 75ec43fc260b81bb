// Handles a question during `reprise send --ask`: asks in the terminal, or leaves it for `reprise runs answer`.
import type { Reprise } from '../../api.ts'
import { askUser } from '../chat/ask.ts'
import { openTerminal } from '../chat/terminal.ts'
import type { Io } from '../start/io.ts'
import { printJson } from './print.ts'
import type { OnQuestion, TurnOutput } from './stream-turn.ts'

export function answering(around: {
  readonly io: Io
  readonly reprise: Reprise
  readonly output: TurnOutput
}): OnQuestion {
  const { io, reprise, output } = around
  if (io.stdin.isTTY && io.stderr.isTTY) return askHere(io, reprise)
  return async ({ toolUseId, requestId, runId }) => {
    io.stderr.write(`run ${runId} waits: reprise runs answer ${runId} ${toolUseId} …\n`)
    // A parked call waits without a process, so we may leave. A live call would end with us, so we wait.
    if (requestId !== null) return 'wait'
    if (output === 'json') {
      const [run, questions] = [await reprise.runs.get(runId), await reprise.runs.questions(runId)]
      printJson(io, {
        run,
        threadId: run.threadId,
        messageId: run.promptMessageId,
        text: '',
        questions,
      })
    }
    return 'leave'
  }
}

function askHere(io: Io, reprise: Reprise): OnQuestion {
  const terminal = openTerminal(io)
  return async question => {
    const { runId } = question
    const given = await askUser(io, terminal, question)
    if (given === 'interrupt' || given === 'end') await reprise.runs.cancel(runId)
    else await reprise.runs.answer(runId, { toolUseId: question.toolUseId, ...given })
    return 'wait'
  }
}
