// Questions of an agent in the middle of a turn, and the answers that fit them. This file makes the text of a reply.
import type { PermissionRule } from '../calls/permission-rule.ts'
import { oneLine } from './data-block.ts'

/** One option to choose; any other text is an answer too. */
export type QuestionItem = {
  readonly question: string
  readonly header: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
  readonly multiSelect: boolean
}

/** Whether a question can still be answered. */
export type QuestionState = 'open' | 'answered' | 'expired' | 'cancelled'

/**
 * How an answer reaches the call: over the input of the waiting process; by resuming the session, in which the
 * agent has parked the call; or in the next prompt, when the process died with the question open or before it
 * acted on the answer.
 */
export type QuestionDelivery = 'live' | 'parked' | 'restated'

/** A call of an agent that waits for the user. */
export type AskedCall = {
  /** The agent's id of the call. */
  readonly toolUseId: string
  readonly kind: 'question' | 'permission'
  readonly tool: string
  /** The call's input as JSON text. */
  readonly input: string
  /** The questions with their options; empty for a permission. */
  readonly items: readonly QuestionItem[]
  /** What the user allows by choosing "for this run". Absent: it can be allowed only once. */
  readonly rule?: PermissionRule
}

/** A question or a request for permission that an agent asked. */
export type Question = AskedCall & {
  readonly runId: string
  readonly state: QuestionState
  /** How the answer reaches the agent. */
  readonly delivery: QuestionDelivery
  readonly answer: Answer | null
  readonly askedAt: number
  /** When nobody can answer it any more. */
  readonly expiresAt: number
  /** When it was answered or closed. */
  readonly closedAt: number | null
}

/** An answer as it is stored. */
export type Answer =
  /** The text chosen or written for each question. */
  | { readonly kind: 'choices'; readonly choices: Readonly<Record<string, string>> }
  | { readonly kind: 'allow'; readonly forRun?: RunPermission }
  | { readonly kind: 'deny'; readonly message: string }

/** A permission for every call of a rule until the run ends. */
export type RunPermission = {
  readonly rule: PermissionRule
  /** `rule`: nobody was asked about this call, because a user had allowed the rule before. */
  readonly by: 'user' | 'rule'
}

/** An answer of a user: text or choices to a question, yes or no to a permission. A no to a question declines it. */
export type GivenAnswer =
  | { readonly content: string | Readonly<Record<string, string | readonly string[]>> }
  | { readonly allow: boolean; readonly message?: string | undefined }
  /** Allows every call of the question's rule until the run ends. */
  | { readonly allow: true; readonly for: 'run' }

export type FittedAnswer =
  | { readonly fits: true; readonly answer: Answer }
  | { readonly fits: false; readonly why: string; readonly hint: string }

const DECLINED = 'The user declined to answer.'
const DENIED = 'The user did not allow this.'

/** Whether an answer fits this question, and what it then means. */
export function fitAnswer(asked: AskedCall, given: GivenAnswer): FittedAnswer {
  if ('allow' in given) return fitYesNo(asked, given)
  if (asked.kind === 'permission') {
    return misfit(
      `${asked.toolUseId} asks for permission to use ${asked.tool}`,
      `Run \`reprise runs answer RUN ${asked.toolUseId} --allow\`, or with --deny; programs give \`allow\`: true or false.`,
    )
  }
  return fitChoices(asked, given.content)
}

function fitYesNo(asked: AskedCall, given: Extract<GivenAnswer, { allow: boolean }>): FittedAnswer {
  if (!given.allow) {
    const said = 'message' in given ? given.message?.trim() : undefined
    const words = said || (asked.kind === 'permission' ? DENIED : DECLINED)
    return { fits: true, answer: { kind: 'deny', message: words } }
  }
  if (asked.kind !== 'permission') {
    const hint = `Run \`reprise runs answer RUN ${asked.toolUseId} ANSWER\`; programs give \`content\`: what you choose.`
    return misfit(`${asked.toolUseId} asks ${quoted(asked)}`, hint)
  }
  const scope: unknown = 'for' in given ? given.for : undefined
  if (scope === undefined) return { fits: true, answer: { kind: 'allow' } }
  if (scope !== 'run') {
    const hint = "Answer with for: 'run', or leave it out to allow this call once."
    return misfit(`nothing can be allowed for ${String(scope)}`, hint)
  }
  const { rule } = asked
  if (rule) return { fits: true, answer: { kind: 'allow', forRun: { rule, by: 'user' } } }
  const why = `${asked.toolUseId} can be allowed only once`
  const hint = `Run \`reprise runs answer RUN ${asked.toolUseId} --allow\`; programs leave \`for\` out.`
  return misfit(why, hint)
}

function fitChoices(
  asked: AskedCall,
  content: Extract<GivenAnswer, { content: unknown }>['content'],
): FittedAnswer {
  const questions = asked.items.map(item => item.question)
  const [only] = questions
  if (typeof content === 'string') {
    if (questions.length > 1) {
      const hint = 'Give content as an object: the text of each question with its answer.'
      return misfit(`${asked.toolUseId} asks ${questions.length} questions: ${quoted(asked)}`, hint)
    }
    return chosen({ [only ?? asked.tool]: content })
  }
  const unknown = Object.keys(content).find(question => !questions.includes(question))
  if (unknown !== undefined) {
    const why = `${asked.toolUseId} does not ask ${JSON.stringify(unknown)}`
    return misfit(why, `It asks ${quoted(asked)}.`)
  }
  const missing = questions.find(question => !(question in content))
  if (missing !== undefined) {
    return misfit(`there is no answer to ${JSON.stringify(missing)}`, `It asks ${quoted(asked)}.`)
  }
  const texts = Object.entries(content).map(([question, answer]) => [
    question,
    typeof answer === 'string' ? answer : answer.join(', '),
  ])
  return chosen(Object.fromEntries(texts))
}

function chosen(choices: Readonly<Record<string, string>>): FittedAnswer {
  const empty = Object.keys(choices).find(question => choices[question]?.trim() === '')
  if (empty === undefined) return { fits: true, answer: { kind: 'choices', choices } }
  return misfit(`the answer to ${JSON.stringify(empty)} is empty`, 'Choose or write something.')
}

function misfit(why: string, hint: string): FittedAnswer {
  return { fits: false, why, hint }
}

function quoted({ items }: AskedCall): string {
  return items.map(item => JSON.stringify(item.question)).join(', ')
}

const MAX_INPUT_CHARS = 1_000

/** The reply as a message of the thread. It repeats the question, so that it is clear without the call. */
export function replyText(asked: AskedCall, answer: Answer): string {
  switch (answer.kind) {
    case 'choices': {
      // The question is text of the agent. It is quoted so that it cannot look like a line of the user.
      const lines = Object.entries(answer.choices).map(
        ([question, text]) => `${JSON.stringify(question)} ${text}`,
      )
      return `In answer to your question:\n${lines.join('\n')}`
    }
    case 'allow':
      return `You asked to use ${asked.tool} with ${bounded(asked.input)}. You may: do it now.`
    case 'deny':
      return asked.kind === 'permission'
        ? `You asked to use ${asked.tool} with ${bounded(asked.input)}. You may not: ${answer.message}`
        : `You asked ${quoted(asked)}. ${answer.message}`
  }
}

/** The reply when the process ended before it said what it did with the answer. */
export function lateReplyText(asked: AskedCall, answer: Answer): string {
  if (answer.kind !== 'allow') return replyText(asked, answer)
  return `You asked to use ${asked.tool} with ${bounded(asked.input)}. You may. It is not known whether it was done before you were interrupted: look first.`
}

/** A permission holds for exactly the call that was asked for, also when the agent has to repeat that call. */
export function isSameCall(
  left: Pick<AskedCall, 'tool' | 'input'>,
  right: Pick<AskedCall, 'tool' | 'input'>,
): boolean {
  return left.tool === right.tool && left.input === right.input
}

function bounded(text: string): string {
  const line = oneLine(text)
  return line.length > MAX_INPUT_CHARS ? `${line.slice(0, MAX_INPUT_CHARS)}…` : line
}
