// Everything that waits for a person, oldest first: questions, permissions, chains that are held or broken off, jobs that gave up,
// threads that came in a file of somebody else.
import type { Chain, Reprise } from '../../src/api.ts'
import { isBrokenOff } from '../../src/core/chain/supervise.ts'
import type { Question } from '../../src/core/conversation/question.ts'
import type { ThreadImport, ThreadSummary } from '../../src/core/conversation/thread.ts'
import type { Job } from '../../src/core/job/job.ts'
import { isDismissed } from '../browser/dismissed.ts'
import type { Topic } from '../feed/topics.ts'

export type Waiting =
  | { readonly kind: 'question'; readonly since: number; readonly question: Question }
  | { readonly kind: 'chain'; readonly since: number; readonly chain: Chain }
  | { readonly kind: 'job'; readonly since: number; readonly job: Job }
  | {
      readonly kind: 'import'
      readonly since: number
      readonly thread: ThreadSummary
      readonly imported: ThreadImport
    }

/** The same as long as the same thing waits. */
export function idOf(waiting: Waiting): string {
  switch (waiting.kind) {
    case 'question':
      return `${waiting.question.runId}/${waiting.question.toolUseId}`
    case 'chain':
      return waiting.chain.id
    case 'job':
      return waiting.job.id
    case 'import':
      return waiting.thread.id
  }
}

/** If it breaks off or gives up once more, it is another one. */
export function dismissKeyOf(waiting: Waiting): string {
  return `${idOf(waiting)} ${waiting.since}`
}

export const INBOX_TOPICS: readonly Topic[] = ['questions', 'chains', 'jobs', 'imports']

const MOST_OF_EACH = 200

export async function readInbox(
  reprise: Pick<Reprise, 'questions' | 'chains' | 'jobs' | 'threads'>,
): Promise<readonly Waiting[]> {
  const [questions, held, failed, dead, arrived] = await Promise.all([
    reprise.questions({ state: 'open', limit: MOST_OF_EACH }),
    reprise.chains.list({ status: 'held', limit: MOST_OF_EACH }),
    reprise.chains.list({ status: 'failed', limit: MOST_OF_EACH }),
    reprise.jobs.list({ status: 'dead', limit: MOST_OF_EACH }),
    reprise.threads.list({ unapproved: true, limit: MOST_OF_EACH }),
  ])
  const waiting: Waiting[] = [
    ...questions.map(question => ({
      kind: 'question' as const,
      since: question.askedAt,
      question,
    })),
    ...[...held, ...failed.filter(isBrokenOff)].map(chain => ({
      kind: 'chain' as const,
      since: chain.endedAt ?? chain.createdAt,
      chain,
    })),
    ...dead.map(job => ({ kind: 'job' as const, since: job.endedAt ?? job.createdAt, job })),
    ...arrived.flatMap(thread => {
      const { imported } = thread
      return imported
        ? [{ kind: 'import' as const, since: imported.importedAt, thread, imported }]
        : []
    }),
  ]
  return waiting.filter(one => !isDismissed(dismissKeyOf(one))).sort((a, b) => a.since - b.since)
}
