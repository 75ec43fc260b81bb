// Questions that nobody has to answer any more: what was answered, and what nobody answered in time.

import { callLine } from '../../../src/core/calls/tool-call.ts'
import type { Question, QuestionState } from '../../../src/core/conversation/question.ts'
import { answerWords } from '../../../src/core/conversation/question-words.ts'
import { type GrowingList, useList } from '../../data/list.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

type Closed = Extract<QuestionState, 'answered' | 'expired'>

/** Page by page; what was closed last is first. */
export function useClosed(state: Closed): GrowingList<Question> {
  return useList<Question>('/api/questions', { state }, ['questions'])
}

type ClosedProps = GrowingList<Question> & { readonly what: Closed }

export function ClosedQuestions({ value, error, refresh, more, what }: ClosedProps) {
  if (error) return <Trouble error={error} retry={refresh} />
  if (!value) return <Skeleton rows={6} />
  if (value.items.length === 0) {
    return (
      <Empty
        icon={what === 'answered' ? 'completed' : 'expired'}
        title={what === 'answered' ? 'No question was answered yet' : 'No question has expired'}
      >
        Questions and permissions of agents are listed here once they are closed.
      </Empty>
    )
  }
  return (
    <>
      <table class="rows closed-rows">
        <thead>
          <tr>
            <th style={{ width: '112px' }}>Kind</th>
            <th>What was asked</th>
            <th style={{ width: '36%' }}>Answer</th>
            <th class="number" style={{ width: '112px' }}>
              Closed
            </th>
          </tr>
        </thead>
        <tbody>
          {value.items.map(question => (
            <tr key={`${question.runId} ${question.toolUseId}`}>
              <td class="muted">{question.kind}</td>
              <td>
                <a class="row-link" href={`/runs/${question.runId}`}>
                  {askedWords(question)}
                </a>
              </td>
              <td class="muted">{answerWords(question.answer)}</td>
              <td class="number muted">
                <Time at={whenOf(question)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="list-end">
        {value.items.length} of {value.total}, latest first
        {value.hasMore && <Button onClick={more}>Show more</Button>}
      </p>
    </>
  )
}

function askedWords({ kind, tool, input, items }: Question): string {
  if (kind === 'permission') return callLine(tool, input)
  return items.map(({ question }) => question).join(' ')
}

function whenOf({ closedAt, askedAt }: Question): number {
  return closedAt ?? askedAt
}
