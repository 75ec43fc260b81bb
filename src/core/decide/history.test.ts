import { describe, expect, test } from 'vitest'
import { FOREIGN, relate, relateFile } from './history.ts'

const view = (...hashes: readonly string[]) => hashes.map(hash => ({ hash }))
const shown = (hash: string) => ({ hash, anchor: null, isPart: false })
const said = (hash: string) => ({ hash, anchor: `anchor of ${hash}`, isPart: false })
const half = (hash: string) => ({ hash, anchor: null, isPart: true })

describe('D-4 an interrupted answer that the session holds in part', () => {
  const seen = [shown('u1'), said('a1'), shown('u2'), half('a2')]

  test('is sent again as a whole while it is on the branch', () => {
    expect(relate(view('u1', 'a1', 'u2', 'a2'), seen)).toEqual({ kind: 'behind', shared: 3 })
  })

  test('prevents a resume once it was edited or removed', () => {
    const diverged = { kind: 'diverged', fork: { shared: 2, anchor: 'anchor of a1' } }
    expect(relate(view('u1', 'a1', 'u2', 'edited'), seen)).toMatchObject(diverged)
    expect(relate(view('u1', 'a1', 'u2'), seen)).toMatchObject(diverged)
  })

  test('is sent again only once: later turns resume the session', () => {
    const later = [...seen, shown('a2'), shown('u3'), said('a3')]
    const now = view('u1', 'a1', 'u2', 'a2', 'u3', 'a3')
    expect(relate(now, later)).toEqual({ kind: 'same', shared: 6 })
    expect(relate(now.with(5, { hash: 'edited' }), later)).toMatchObject({
      kind: 'diverged',
      fork: { shared: 2, anchor: 'anchor of a1' },
    })
  })
})

describe('D-4 a session file that holds more than we know', () => {
  const seen = [shown('u1'), said('a1'), shown('u2'), said('a2'), shown('u3')]
  const now = view('u1', 'a1', 'u2', 'a2', 'u3')
  const fileWith = (lastShared: string | null) =>
    ({ state: 'present', foreign: { messages: 2, lastShared } }) as const

  test('diverges from the thread: it can be forked where it still shares an answer', () => {
    expect(relateFile(now, seen, { state: 'present' })).toEqual({ kind: 'same', shared: 5 })
    expect(relateFile(now, seen, fileWith('anchor of a2'))).toEqual({
      kind: 'diverged',
      shared: 4,
      seen: 5,
      fork: { shared: 4, anchor: 'anchor of a2' },
      foreign: 2,
    })
    expect(relateFile(now, seen, fileWith('anchor of a1'))).toMatchObject({
      fork: { shared: 2, anchor: 'anchor of a1' },
    })
    expect(relateFile(now, seen, fileWith(null))).toMatchObject({ shared: 0, fork: null })
  })

  test('does not matter while the file itself is missing', () => {
    const gone = { state: 'missing', path: '/s' } as const
    expect(relateFile(now, seen, gone)).toEqual({ kind: 'same', shared: 5 })
  })

  test('has messages of others before a turn of ours: it is forked before them, whatever came later', () => {
    const between = [...seen.slice(0, 2), FOREIGN, FOREIGN, ...seen.slice(2)]
    expect(relate(now, between)).toEqual({
      kind: 'diverged',
      shared: 2,
      seen: 7,
      fork: { shared: 2, anchor: 'anchor of a1' },
      foreign: 2,
    })
  })

  test('is forked before an edit, if that comes first', () => {
    const edited = now.with(2, { hash: 'edited' })
    expect(relateFile(edited, seen, fileWith('anchor of a2'))).toMatchObject({
      kind: 'diverged',
      fork: { shared: 2, anchor: 'anchor of a1' },
      foreign: 2,
    })
  })
})
