import { expect, test } from 'vitest'
import type { Files } from '../../core/world.ts'
import { RepriseError } from '../../errors.ts'
import {
  checkedPrompt,
  checkedText,
  checkedView,
  checkedWorkDir,
  refuseBadBudget,
} from './check-input.ts'

test.each([
  ['empty', '', /empty/],
  ['blank', ' \n\t', /blank/],
  ['with a NUL', 'a\0b', /NUL character at position 1/],
  ['of 5 MB', 'x'.repeat(5_000_000), /5000000 bytes are too many .* the limit is 4194304/],
])('U-4 a prompt that is %s is refused with what to do', (_, prompt, what) => {
  const error = caught(() => checkedPrompt(prompt))
  expect(error).toMatchObject({ code: 'bad-input', message: expect.stringMatching(what) })
  expect(error.hint).not.toBe('')
})

test.each([undefined, null, 5, {}])('U-4 %j is no prompt and no work dir', async given => {
  const error = caught(() => checkedPrompt(given as unknown as string))
  expect(error).toMatchObject({ code: 'bad-input', hint: 'Give a string.' })
  const refusal = checkedWorkDir(files({}), given as unknown as string)
  await expect(refusal).rejects.toMatchObject({ code: 'bad-input' })
})

test('U-4 instructions may be empty, but not hold NUL', () => {
  expect(checkedText('instructions', '')).toBe('')
  expect(caught(() => checkedText('instructions', 'a\0'))).toMatchObject({ code: 'bad-input' })
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('U-4 M-2 %j is no budget', budgetUsd => {
  expect(caught(() => refuseBadBudget(budgetUsd))).toMatchObject({ code: 'bad-input' })
})

test('U-4 D-5 there are two views and no others', () => {
  expect([checkedView('all'), checkedView('own')]).toEqual(['all', 'own'])
  expect(caught(() => checkedView('some' as 'all'))).toMatchObject({ code: 'bad-input' })
})

test.each(['-x', '/word', '@file', '\x1b[31mred', 'two\nlines', '🙂'])(
  'U-4 H-1 the prompt %j is taken as written',
  prompt => expect(checkedPrompt(prompt)).toBe(prompt),
)

test('U-4 half a character becomes the sign for one that is unknown', () => {
  expect(checkedPrompt('a\ud83db')).toBe('a\ufffdb')
})

const DIRECTORY = { kind: 'directory', sizeBytes: 0, modifiedMs: 0 } as const

const files = (change: Partial<Files>): { files: Files } => ({
  files: {
    realpath: async path => path,
    stat: async () => DIRECTORY,
    list: async () => [],
    read: async () => null,
    ...change,
  },
})

test.each([
  ['does not exist', { realpath: async () => null }, /does not exist/],
  [
    'is a file',
    { stat: async () => ({ kind: 'file', sizeBytes: 1, modifiedMs: 0 }) as const },
    /is not a directory/,
  ],
  ['cannot be read', { list: async () => null }, /cannot be read/],
  [
    'cannot be entered',
    { stat: async (path: string) => (path === '/project' ? DIRECTORY : null) },
    /cannot be entered/,
  ],
])('U-4 a work dir that %s is refused with what to do', async (_, change, what) => {
  const error = await checkedWorkDir(files(change), '/project').catch(error => error)
  expect(error).toMatchObject({ code: 'bad-input', message: expect.stringMatching(what) })
  expect(error.hint).toContain('--cwd')
})

test('U-4 the real path of a work dir is what counts', async () => {
  const linked = files({ realpath: async () => '/real' })
  expect(await checkedWorkDir(linked, '/link')).toBe('/real')
})

function caught(run: () => unknown): RepriseError {
  try {
    run()
  } catch (error) {
    if (error instanceof RepriseError) return error
  }
  throw new Error('nothing was refused')
}

test.each(['/home/me/data', '/home/me/data/vault', '/link'])(
  'S14 U-4 the work dir %s is where our own data is, and is refused',
  async workDir => {
    const linked = files({ realpath: async path => (path === '/link' ? '/home/me/data' : path) })
    const dependencies = { ...linked, dataDir: '/home/me/data' }
    const error = await checkedWorkDir(dependencies, workDir).catch(error => error)
    expect(error).toMatchObject({ code: 'bad-input', message: expect.stringMatching(/own data/) })
    expect(await checkedWorkDir(dependencies, '/home/me/database')).toBe('/home/me/database')
  },
)
