// Where events wait to be written: in memory, and on disk while the database takes nothing. The disk is a list here.
import { expect, test } from 'vitest'
import type { NewEvent } from '../../core/run/stored-events.ts'
import { RepriseError } from '../../errors.ts'
import { Backlog, type Overflow } from './backlog.ts'

const batch = (name: string, count = 1): readonly NewEvent[] =>
  Array.from({ length: count }, () => ({ at: 1, type: 'text', json: name }))
const named = (given: readonly NewEvent[] | null) => given?.map(({ json }) => json).join() ?? null

/** A backlog whose disk has room for some batches, and notes what happens to its file. */
function backlog({ room = 10, opens = true, afterMs = -1 } = {}) {
  const notes: string[] = []
  const kept: (readonly NewEvent[])[] = []
  const file = {
    get isEmpty() {
      return kept.length === 0
    },
    add: (given: readonly NewEvent[]) => {
      if (kept.length >= room) return false
      kept.push(given)
      notes.push(`add ${named(given)}`)
      return true
    },
    read: () => kept[0] ?? null,
    taken: () => void kept.shift(),
    remove: () => void notes.push('remove'),
    leave: () => void notes.push('leave'),
    keepOut: (reason: string) => void notes.push(`keep out: ${reason}`),
  }
  const overflow = {
    afterMs,
    open: () => {
      if (!opens) throw new Error('the disk is full')
      notes.push('open')
      return file
    },
    onFull: () => void notes.push('full'),
  }
  return { made: new Backlog(overflow as unknown as Overflow), notes }
}

test('I10 batches are written in their order, each until it is written', () => {
  const { made, notes } = backlog()
  expect(made.next()).toBeNull()
  made.add(batch('a'))
  made.add(batch('b'))
  expect([named(made.next()), named(made.next())]).toEqual(['a', 'a'])
  made.written()
  expect(named(made.next())).toBe('b')
  made.written()
  expect([made.next(), made.lost, notes]).toEqual([null, 0, []])
})

test('U-4 when a write takes too long, what waits goes to disk and comes back in order; then the file is removed', () => {
  const { made, notes } = backlog()
  made.add(batch('a'))
  made.next()
  made.add(batch('b'))
  made.add(batch('c'))
  // The batch that is being written is on disk as well, for a process that dies now.
  expect(notes).toEqual(['open', 'add a', 'add b', 'add c'])
  made.written()
  expect(named(made.next())).toBe('b')
  made.written()
  expect(notes).not.toContain('remove')
  expect(named(made.next())).toBe('c')
  made.written()
  expect([made.next(), notes.at(-1), made.lost]).toEqual([null, 'remove', 0])
  made.add(batch('d'))
  expect(named(made.next())).toBe('d')
})

test('a write that takes its usual time leaves everything in memory, and so does one without a disk', () => {
  const quick = backlog({ afterMs: 1_000_000 })
  quick.made.add(batch('a'))
  quick.made.next()
  quick.made.add(batch('b'))
  expect(quick.notes).toEqual([])
  const none = new Backlog(null)
  none.add(batch('a'))
  none.next()
  none.add(batch('b'))
  expect(none.waitOnDisk()).toBe(false)
  none.written()
  expect(named(none.next())).toBe('b')
})

test('U-4 a store that takes nothing is waited for on disk', () => {
  const { made, notes } = backlog()
  expect([made.waitOnDisk(), notes]).toEqual([false, []])
  made.add(batch('a'))
  expect([made.waitOnDisk(), made.waitOnDisk()]).toEqual([true, true])
  expect(notes).toEqual(['open', 'add a'])
  expect(named(made.next())).toBe('a')
  made.written()
  expect([made.next(), notes.at(-1)]).toEqual([null, 'remove'])
})

test('S28 a full disk is said once, and nothing is kept after the first gap', () => {
  const { made, notes } = backlog({ room: 1 })
  made.add(batch('a'))
  made.next()
  made.add(batch('b'))
  made.add(batch('c', 3))
  // The first one is taken, so there is room for `b` and for no more.
  expect([made.lost, notes]).toEqual([3, ['open', 'add a', 'add b', 'full']])
  made.written()
  made.written()
  made.add(batch('d', 2))
  expect(notes.filter(note => note === 'full')).toHaveLength(1)
})

test('I10 a batch after a gap is lost too, although there would be room again', () => {
  const { made, notes } = backlog({ room: 1 })
  for (const name of ['a', 'b', 'c']) made.add(batch(name))
  made.waitOnDisk()
  expect(made.lost).toBe(1)
  made.written()
  made.add(batch('d', 2))
  expect(made.lost).toBe(3)
  expect(notes).toEqual(['open', 'add a', 'add b', 'full'])
})

test('S28 a disk that takes no file loses what waits behind the batch that is being written, which may still be stored', () => {
  const { made, notes } = backlog({ opens: false })
  made.add(batch('a'))
  expect([made.waitOnDisk(), made.lost, notes]).toEqual([false, 0, []])
  made.add(batch('b', 2))
  made.waitOnDisk()
  expect([made.lost, notes]).toEqual([2, ['full']])
  expect(named(made.next())).toBe('a')
})

test('I9 what nobody could store stays on disk for the process that ends the run', () => {
  const { made, notes } = backlog()
  made.add(batch('a'))
  made.giveUp(new Error('the database is away'))
  expect(notes).toEqual(['open', 'add a', 'leave'])
  const other = backlog()
  other.made.giveUp(new RepriseError('store-full', 'full', ''))
  expect(other.notes).toEqual([])
})

test('I2 what a former holder could not store is kept out, and nothing new goes to disk', () => {
  const lost = new RepriseError('lease-lost', 'another process has it', '')
  const { made, notes } = backlog()
  made.add(batch('a'))
  made.giveUp(lost)
  expect(notes).toEqual([])
  const other = backlog()
  other.made.add(batch('a'))
  other.made.waitOnDisk()
  other.made.giveUp(lost)
  expect(other.notes).toEqual(['open', 'add a', 'keep out: another process has it'])
})
