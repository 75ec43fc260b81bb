// A run on the terminal: what it belongs to, how and why it continued, its prompt, how it ended.
import type { Reprise } from '../../api.ts'
import { mainText } from '../../core/calls/tool-summary.ts'
import { chainStepWords } from '../../core/chain/chain-words.ts'
import type { Question } from '../../core/conversation/question.ts'
import { wordsOf } from '../../core/decide/explain.ts'
import { tookWords } from '../../core/duration-words.ts'
import type { Run } from '../../core/run/run.ts'
import type { SentPrompt } from '../../core/run/sent-prompt.ts'
import { trustWords } from '../../core/run/trust.ts'
import { processWords } from '../../core/warm/process-words.ts'
import { type Io, paint } from '../start/io.ts'
import { type Times, timesOf } from '../terminal/time.ts'
import { beside, cut, printLine } from './print.ts'
import { sanitiseLine } from './sanitise.ts'
import { summaryOf } from './stream-turn.ts'

export type ShownRun = Awaited<ReturnType<Reprise['runs']['get']>>

type About = {
  readonly questions: readonly Question[]
  /** `null` before the agent was given anything. */
  readonly prompt: SentPrompt | null
}

export function printRun(io: Io, run: ShownRun, { questions, prompt }: About): void {
  const dim = paint(io, io.stdout, 'dim')
  for (const [name, value] of factsOf(run, timesOf(io))) {
    if (value === null) continue
    printLine(io, `${dim(name.padEnd(13))}${beside(io.stdout, 13, sanitiseLine(value))}`)
  }
  for (const question of questions) printLine(io, askedLine(question))
  for (const line of [...toldLines(run, prompt), ...errorOutputOf(run)]) {
    printLine(io, beside(io.stdout, line.startsWith('  ') ? 2 : 0, line))
  }
}

function factsOf(run: ShownRun, times: Times): readonly (readonly [string, string | null])[] {
  const { tier, verdict, decision, failure, chainStep } = run
  return [
    ['run', run.id],
    ['status', run.status],
    ['queued', run.waitsFor?.words ?? null],
    ['thread', run.threadId],
    ['chain', run.chainId && (tier === null ? run.chainId : `${run.chainId}, tier ${tier}`)],
    ['job', run.jobId && `${run.jobId}, attempt ${run.attempt}`],
    ['parent', run.parentRunId],
    ['continued by', run.continuedBy],
    ['agent', run.agent],
    ['model', run.model],
    ['work dir', run.workDir],
    ['session', run.sessionId],
    ['trust', trustWords(run.trust)],
    ['sandbox', run.sandbox],
    ['no sandbox', run.sandboxNote],
    ['process', processWords(run)],
    ['started', run.startedAt === null ? null : times.at(run.startedAt)],
    ['ended', run.endedAt === null ? null : times.at(run.endedAt)],
    ['took', run.durationMs === null ? null : tookWords(run.durationMs)],
    ['result', summaryOf(run)],
    ['reason', decision && wordsOf(decision)],
    ['verdict', verdict && `${verdict.verdict}: ${verdict.summary}`],
    ['then', chainStep && chainStepWords(chainStep)],
    ['failure', failure && `${failure.class}: ${failure.message}`],
    ['hint', failure?.hint ?? null],
  ]
}

function askedLine({ toolUseId, tool, items, input, state }: Question): string {
  const what = items.map(item => item.question).join(' ') || `${tool} ${mainText(input)}`
  return `${`asked (${state})`.padEnd(13)} ${toolUseId}  ${cut(sanitiseLine(what), 120)}`
}

const PROMPT_LINES = 8

/** The beginning of the prompt as it was sent. */
function toldLines({ id }: Run, prompt: SentPrompt | null): readonly string[] {
  if (prompt === null || prompt.text === '') return []
  const lines = prompt.text.trimEnd().split('\n')
  const left = lines.length - PROMPT_LINES
  return [
    'told:',
    ...lines.slice(0, PROMPT_LINES).map(line => `  ${cut(sanitiseLine(line), 200)}`.trimEnd()),
    ...(left > 0 ? [`  … ${left} more lines: reprise runs prompt ${id}`] : []),
  ]
}

const STDERR_LINES = 10

/** The last lines of stderr, which usually say why a program failed. */
function errorOutputOf({ failure, exit }: Run): readonly string[] {
  const lines = (exit?.stderr ?? '').trimEnd().split('\n')
  if (failure === null || lines.join('') === '') return []
  const shown = lines.slice(-STDERR_LINES)
  const left = lines.length - shown.length
  return [
    left > 0 ? `stderr, its last ${shown.length} lines:` : 'stderr:',
    ...shown.map(line => `  ${cut(sanitiseLine(line), 500)}`),
  ]
}
