// Where a session stands before a run that starts, resumes or forks it.
import { expect, test } from 'vitest'
import { markOf } from './mark-of.ts'

test('M-1 a fork counts on from the totals of its source, and its file begins empty', async () => {
  const MARK = { path: '/s.jsonl', sizeBytes: 9, costUsd: 0.5 }
  const asked: unknown[] = []
  const at = (kind: string, mark: object = MARK, source: object | null = {}, reads = true) => {
    const sessionFiles = {
      mark: async (place: unknown) => {
        asked.push(place)
        return mark
      },
    }
    const agent = { fullEnv: 'env', adapter: reads ? { sessionFiles } : {} }
    const found = source && { sessionId: 's', workDir: '/w', reportedCostUsd: 0.25, ...source }
    return markOf(
      {} as never,
      agent as never,
      { spec: { continuation: { kind } }, source: found } as never,
    )
  }
  const EMPTY = { path: null, sizeBytes: 0, costUsd: 0 }
  expect(await at('resume')).toEqual(MARK)
  expect(asked).toEqual([{ sessionId: 's', workDir: '/w', env: 'env' }])
  expect(await at('fork')).toEqual({ ...EMPTY, costUsd: 0.5 })
  const usage = { inputTokens: 1 }
  expect(await at('fork', { ...MARK, usage })).toEqual({ ...EMPTY, costUsd: 0.5, usage })
  expect(await at('new', MARK, null)).toEqual(EMPTY)
  expect(await at('resume', MARK, {}, false)).toEqual({ ...EMPTY, costUsd: 0.25 })
})
