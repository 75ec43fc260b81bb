// reprise runs answer: answers a question of a run. If the process of the run has ended, the turn continues in this one.
import type { Reprise } from '../../api.ts'
import type { AskedCall, GivenAnswer, Question } from '../../core/conversation/question.ts'
import { readChoice } from '../../core/conversation/question-options.ts'
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
  readonly forRun?: true
  readonly deny?: true
  readonly message?: string
}

export async function answer(
  io: Io,
  runId: string,
  call: string,
  text: string | undefined,
  flags: AnswerFlags,
): Promise<number> {
  const typed = answerOf(io, text, flags)
  return withReprise(
    io,
    async reprise => {
      const asked = questionOf(await reprise.runs.questions(runId), call)
      const toolUseId = asked?.toolUseId ?? call
      const given = typed === 'ask' ? await askHere(io, asked) : withLabels(asked, typed)
      return give(io, reprise, { runId, toolUseId, given, flags })
    },
    { decides: 'may' },
  )
}

/** By the id of its call, or a beginning of it that no other question of the run has. */
function questionOf(questions: readonly Question[], call: string): Question | undefined {
  const exact = questions.find(({ toolUseId }) => toolUseId === call)
  const like = questions.filter(({ toolUseId }) => call !== '' && toolUseId.startsWith(call))
  if (exact || like.length <= 1) return exact ?? like[0]
  const candidates = like.map(({ toolUseId }) => toolUseId).join(', ')
  throw new RepriseError(
    'bad-input',
    `\`${call}\` is the beginning of more than one id: ${candidates}`,
    'Give more letters of the id.',
  )
}

async function give(
  io: Io,
  reprise: Reprise,
  answered: {
    readonly runId: string
    readonly toolUseId: string
    readonly given: GivenAnswer
    readonly flags: AnswerFlags
  },
): Promise<number> {
  const { runId, toolUseId, given, flags } = answered
  const { run, turn } = await reprise.runs.answer(runId, { toolUseId, ...given })
  const output = flags.json ? 'json' : 'text'
  if (turn) return streamTurn(io, turn, output, answering({ io, reprise, output }))
  if (flags.json) printJson(io, run)
  else printLine(io, `${run.id} is ${run.status}`)
  return 0
}

/** `ask`: nothing was given, and there is a person to ask. */
function answerOf(io: Io, text: string | undefined, flags: AnswerFlags): GivenAnswer | 'ask' {
  const { choose, allow, deny, message } = flags
  const ways = [text, choose, allow, deny].filter(way => way !== undefined)
  if (ways.length === 0 && io.stdin.isTTY && io.stderr.isTTY) return 'ask'
  if (ways.length !== 1) {
    throw new RepriseError(
      'bad-input',
      ways.length === 0 ? 'there is no answer' : 'there is more than one answer',
      'give the answer as an argument, or --choose for each question, or --allow, --for-run or --deny',
    )
  }
  if (choose !== undefined) return { content: choose }
  if (text !== undefined) return { content: text }
  if (flags.forRun) return { allow: true, for: 'run' }
  return { allow: allow === true, ...(message !== undefined && { message }) }
}

/** Numbers of options become their labels, as they do on a terminal. What fits nothing is refused by `runs.answer`. */
function withLabels(asked: AskedCall | undefined, given: GivenAnswer): GivenAnswer {
  if (!asked || !('content' in given)) return given
  const label = (question: string, text: string) => {
    const item = asked.items.find(one => one.question === question)
    const read = item && readChoice(item, text)
    if (read?.kind === 'again') throw new RepriseError('bad-input', read.why, optionsHint(asked))
    return read?.text ?? text
  }
  const { content } = given
  const [only] = asked.items
  if (typeof content === 'string') {
    return { content: asked.items.length === 1 && only ? label(only.question, content) : content }
  }
  const entries = Object.entries(content).map(([question, text]) => {
    return [question, typeof text === 'string' ? label(question, text) : text]
  })
  return { content: Object.fromEntries(entries) }
}

function optionsHint({ items }: AskedCall): string {
  const lists = items.map(({ options }) => {
    return options.map(({ label }, index) => `${index + 1} ${label}`).join(', ')
  })
  return `The options are ${lists.join('; ')}.`
}

async function askHere(io: Io, asked: Question | undefined): Promise<GivenAnswer> {
  if (!asked) {
    const hint = 'Run `reprise runs show` to see what the run asks.'
    throw new RepriseError('not-found', 'the run asks nothing as this call', hint)
  }
  if (asked.state !== 'open') {
    const hint = 'Run `reprise runs show` to see how the run went on.'
    throw new RepriseError('conflict', `${asked.toolUseId} is ${asked.state} already`, hint)
  }
  const { askUser } = await import('../chat/ask.ts')
  const { openTerminal } = await import('../chat/terminal.ts')
  const given = await askUser(io, openTerminal(io), asked)
  if (given !== 'interrupt' && given !== 'end') return given
  const hint = 'Run the same command again to answer it.'
  throw new RepriseError('cancelled', 'the question stays open', hint)
}
