// The prompt of a job's next attempt: what happened, which calls have an unknown end, what changed meanwhile, and to continue.
import { dataBlock, type PromptMark } from '../conversation/data-block.ts'
import {
  GO_ON,
  type Interruption,
  interruptedWords,
  openCallsWords,
} from '../conversation/interruption.ts'

export type NextAttempt = Omit<Interruption, 'happened'> & {
  /** `asked`: nothing failed; a person asked for another attempt. */
  readonly happened: Interruption['happened'] | 'asked' | 'restored'
  /** What others changed in the work dir since the last attempt. */
  readonly drift: string | null
  readonly mark: PromptMark
}

const DRIFT = 'Meanwhile the work dir was changed by others'

export function retryPrompt({ happened, attempt, openCalls, drift, mark }: NextAttempt): string {
  const parts = [
    `${opening(happened)} This is attempt ${attempt}.`,
    openCallsWords(openCalls, mark),
    drift ? dataBlock(mark, { name: 'changes', opening: DRIFT, content: drift }) : null,
    GO_ON,
  ]
  return parts.filter(part => part !== null).join('\n\n')
}

function opening(happened: NextAttempt['happened']): string {
  if (happened === 'asked') return 'You are asked to go on with this task.'
  if (happened === 'restored') {
    return 'The files of the work dir were put back to how they were at this point of the work.'
  }
  return interruptedWords(happened)
}
