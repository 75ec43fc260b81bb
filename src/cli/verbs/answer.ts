// reprise runs answer: answers a question of a run. If the process of the run has ended, the turn continues in this one.
import type { GivenAnswer } from '../../core/conversation/question.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { answering } from '../view/asked.ts'
import { printJson, printLine } from '../view/print.ts'
import { streamTurn } from '../view/stream-turn.ts'

export type AnswerFlags = JsonFlag & {
  readonly choose?: Readonly<Record<string, string>>
  readonly allow?: true
  readonly deny?: true
  readonly message?: string
}

export async function answer(
  io: Io,
  runId: string,
  toolUseId: string,
  text: string | undefined,
  flags: AnswerFlags,
): Promise<number> {
  const given = answerOf(text, flags)
  return withReprise(
    io,
    async reprise => {
      const { run, turn } = await reprise.runs.answer(runId, { toolUseId, ...given })
      const output = flags.json ? 'json' : 'text'
      if (turn) return streamTurn(io, turn, output, answering({ io, reprise, output }))
      if (flags.json) printJson(io, run)
      else printLine(io, `${run.id} is ${run.status}`)
      return 0
    },
    { decides: 'may' },
  )
}

function answerOf(text: string | undefined, flags: AnswerFlags): GivenAnswer {
  const { choose, allow, deny, message } = flags
  const ways = [text, choose, allow, deny].filter(way => way !== undefined)
  if (ways.length !== 1) {
    throw new RepriseError(
      'bad-input',
      ways.length === 0 ? 'there is no answer' : 'there is more than one answer',
      'give the answer as an argument, or --choose for each question, or --allow, or --deny',
    )
  }
  if (choose !== undefined) return { content: choose }
  if (text !== undefined) return { content: text }
  return { allow: allow === true, ...(message !== undefined && { message }) }
}
