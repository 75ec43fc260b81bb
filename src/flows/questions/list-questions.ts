// Lists questions of all runs, page by page.
import type { Reprise } from '../../api.ts'
import type { Question } from '../../core/conversation/question.ts'
import { questionPlace } from '../../core/conversation/question-list.ts'
import { given } from '../../core/optional.ts'
import type { Dependencies } from '../dependencies.ts'
import { noCursor } from '../threads/check-input.ts'

type Query = NonNullable<Parameters<Reprise['questions']>[0]>

export function listQuestions(
  { store }: Dependencies,
  { cursor, ...query }: Query,
): Promise<readonly Question[]> {
  const after = cursor === undefined ? undefined : questionPlace(cursor)
  if (after === null) throw noCursor(cursor ?? '', 'question')
  return store.questions({ limit: 100, ...given(query), ...given({ after }) })
}
