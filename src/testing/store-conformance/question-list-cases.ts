// What a store must do with lists of questions.
import assert from 'node:assert/strict'
import { questionCursor, questionPlace } from '../../core/conversation/question-list.ts'
import { storeCase } from './case.ts'
import { asking, sampleQuestion, sampleReply } from './question-cases.ts'

export const QUESTION_LIST_CASES = [
  storeCase(
    'questions are listed page by page: open ones oldest first, closed ones latest first',
    async store => {
      const { run, lease } = await asking(store)
      const ids = ['toolu_1', 'toolu_2', 'toolu_3', 'toolu_4']
      for (const [index, toolUseId] of ids.entries()) {
        // Two were asked at the same time.
        const askedAt = 2_000 + Math.min(index, 2)
        await store.askQuestion(lease, run.id, sampleQuestion({ toolUseId, askedAt }))
      }
      const page = async (state: 'open' | 'answered', before?: string) => {
        const after = before === undefined ? null : questionPlace(before)
        const found = await store.questions({ state, ...(after && { after }), limit: 2 })
        const last = found.at(-1)
        return { ids: found.map(one => one.toolUseId), next: last && questionCursor(last, state) }
      }
      const first = await page('open')
      assert.deepEqual(first.ids, ['toolu_1', 'toolu_2'])
      assert.deepEqual((await page('open', first.next)).ids, ['toolu_3', 'toolu_4'])
      assert.deepEqual([await store.countQuestions('open'), await store.countQuestions()], [4, 4])
      for (const [index, toolUseId] of ['toolu_3', 'toolu_1', 'toolu_4'].entries()) {
        const at = 4_000 + Math.max(0, index - 1)
        await store.answerQuestion(run.id, toolUseId, { ...sampleReply(toolUseId), at })
      }
      const answered = await page('answered')
      assert.deepEqual(answered.ids, ['toolu_4', 'toolu_3'])
      assert.deepEqual((await page('answered', answered.next)).ids, ['toolu_1'])
      assert.equal(await store.countQuestions('answered'), 3)
    },
  ),
]
