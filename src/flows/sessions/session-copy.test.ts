// When our copy of a session file is made, and when it may be put back.
import { describe, expect, test } from 'vitest'
import type { SessionFileState } from '../../core/decide/decision.ts'
import { RepriseError } from '../../errors.ts'
import { keepSession, restorable } from './session-copy.ts'

const SESSION = {
  agent: 'claude-code',
  sessionId: 's',
  workDir: '/project',
  seen: [],
  knownEnd: 'end',
}

/** Only what copying looks at. */
function world(
  given: {
    copy?: string | null
    found?: string | null
    home?: string | null
    isKnown?: boolean
    extendFails?: Error
  } = {},
) {
  const { copy = 'begin end', found = '/file', home = '/home/file', isKnown = true } = given
  const asked: string[] = []
  const note = (what: string) => async (_: unknown, path?: string) => {
    asked.push(path === undefined ? what : `${what} ${path}`)
    return 0
  }
  const dependencies = {
    files: {},
    store: { sessions: async () => (isKnown ? [SESSION] : []) },
    vault: {
      keep: note('keep'),
      extend: given.extendFails ? () => Promise.reject(given.extendFails) : note('extend'),
      remove: note('remove'),
      read: async () => (copy === null ? null : new TextEncoder().encode(copy)),
      keptAt: async () => (copy === null ? null : 77),
    },
  }
  const holds = (held: Uint8Array, id: string) => new TextDecoder().decode(held).includes(id)
  const sessionFiles = { locate: async () => ({ found, home }), holds }
  const agent = { fullEnv: {}, adapter: { sessionFiles } }
  return { dependencies: dependencies as never, agent: agent as never, asked }
}

describe('V-1 after a run', () => {
  const keep = async (path: string | null, given?: Parameters<typeof world>[0]) => {
    const { dependencies, agent, asked } = world(given)
    await keepSession(dependencies, agent, { session: SESSION, path })
    return asked
  }

  test('the file is copied from where it is known or found to be', async () => {
    expect(await keep('/known')).toEqual(['keep /known'])
    expect(await keep(null)).toEqual(['keep /file'])
    expect(await keep(null, { found: null })).toEqual([])
  })

  test('V-6 nothing is left of a session whose thread was removed meanwhile', async () => {
    expect(await keep('/known', { isKnown: false })).toEqual(['keep /known', 'remove'])
  })

  test('a disk that fails is no failure of the run', async () => {
    const { dependencies, agent } = world()
    const broken = { vault: { keep: () => Promise.reject(new Error('no space')) } }
    const given = { ...(dependencies as object), ...broken } as never
    await expect(
      keepSession(given, agent, { session: SESSION, path: '/x' }),
    ).resolves.toBeUndefined()
  })
})

describe('V-1 V-2 before a resume', () => {
  const ask = async (
    file: object,
    given?: Parameters<typeof world>[0],
    session: object = SESSION,
  ) => {
    const { dependencies, agent, asked } = world(given)
    const lost = { agent, session, workDir: '/project', file: file as SessionFileState }
    return { answer: await restorable(dependencies, lost as never), asked }
  }
  const MISSING = { state: 'missing' }
  const DAMAGED = { state: 'damaged', path: '/damaged', detail: 'its end is torn' }

  test.each([{ state: 'present' }, { state: 'unknown' }])('a file that is %j stays', async file => {
    const { answer, asked } = await ask(file)
    expect([answer, asked]).toEqual([file, []])
  })

  test('a file that is not there can be put back where the agent looks for it', async () => {
    const { answer } = await ask(MISSING, { found: null })
    expect(answer).toEqual({
      state: 'restorable',
      path: '/home/file',
      detail: 'it is not there',
      keptAt: 77,
    })
  })

  test('a damaged file can be put back in its own place, after its rest was copied', async () => {
    const { answer, asked } = await ask(DAMAGED)
    expect(answer).toEqual({
      state: 'restorable',
      path: '/damaged',
      detail: 'its end is torn',
      keptAt: 77,
    })
    expect(asked).toEqual(['extend /file'])
  })

  test('a copy that cannot be extended, as on a full disk, is put back as it is', async () => {
    const { answer } = await ask(DAMAGED, { extendFails: new Error('ENOSPC') })
    expect(answer).toMatchObject({ state: 'restorable', path: '/damaged' })
    const tooOld = await ask(DAMAGED, { extendFails: new Error('ENOSPC'), copy: 'begin' })
    expect(tooOld.answer).toEqual(DAMAGED)
    const away = new RepriseError('store-unusable', 'the store is away', 'start it')
    await expect(ask(DAMAGED, { extendFails: away })).rejects.toBe(away)
  })

  test.each([
    ['there is none', { copy: null }],
    ['it does not hold the known end', { copy: 'begin' }],
    ['nobody knows where it belongs', { home: null }],
  ])('our copy is not put back when %s', async (_, given) => {
    expect((await ask(MISSING, given)).answer).toEqual(MISSING)
    expect((await ask(DAMAGED, given)).answer).toEqual(DAMAGED)
  })

  test('a session without a known end takes any copy', async () => {
    const { answer } = await ask(MISSING, { copy: 'begin' }, { ...SESSION, knownEnd: null })
    expect(answer).toMatchObject({ state: 'restorable' })
  })
})
