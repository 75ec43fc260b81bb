import { expect, test } from 'vitest'
import type { Reprise } from './api.ts'
import { completeId } from './complete-id.ts'
import type { IdSubject } from './core/id-kind.ts'

const IDS: Readonly<Partial<Record<IdSubject, readonly string[]>>> = {
  run: ['run_aaaa', 'run_aabb', 'run_ccc', 'run_cccdd', 'run_runx'],
  chain: ['chn_aaxx', 'chn_zz'],
}

/** Only what completing an id asks for. */
const reprise: Pick<Reprise, 'findIds'> = {
  findIds: async ({ kind, beginning, limit = 10 }: Parameters<Reprise['findIds']>[0]) =>
    (IDS[kind] ?? []).filter(id => id.startsWith(beginning)).slice(0, limit),
}

test.each([
  ['run_c', 'run_ccc', ['run_ccc', 'run_cccdd']],
  ['run_aaa', 'run_aaaa', null],
  ['aab', 'run_aabb', null],
  ['runx', 'run_runx', null],
  ['run_ccc', 'run_ccc', null],
  ['run_nobody', 'run_nobody', null],
  ['a b', 'a b', null],
  ['', '', null],
])('`%s` is %s', async (text, id, candidates) => {
  const completed = completeId(reprise, { text, kinds: ['run'] })
  if (candidates === null) return expect(await completed).toBe(id)
  await expect(completed).rejects.toMatchObject({
    exitCode: 2,
    message: `\`${text}\` is the beginning of more than one id: ${candidates.join(', ')}`,
    hint: 'Give more letters of the id.',
  })
})

test('where two kinds are taken, both are searched', async () => {
  const kinds = ['chain', 'run'] as const
  expect(await completeId(reprise, { text: 'chn_z', kinds })).toBe('chn_zz')
  await expect(completeId(reprise, { text: 'aa', kinds })).rejects.toThrow(
    'chn_aaxx, run_aaaa, run_aabb',
  )
})
