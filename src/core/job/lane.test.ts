import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { ANY_LANE, laneOf, requirementsOf, takesLane } from './lane.ts'

const NOTHING = { host: null, root: null, labels: [] }
const WORKER = { host: 'one', sharedRoots: ['/srv/nfs', '/mnt/a b'], labels: ['gpu', 'linux'] }

test.each([
  [NOTHING, ''],
  [{ ...NOTHING, host: 'one' }, 'host=one'],
  [{ ...NOTHING, root: '/srv/nfs' }, 'root=%2Fsrv%2Fnfs'],
  [{ ...NOTHING, labels: ['linux', 'gpu', 'linux'] }, 'label=gpu&label=linux'],
  [{ host: 'a&b=c', root: '/r', labels: ['x'] }, 'host=a%26b%3Dc&root=%2Fr&label=x'],
])('J-8 the lane of %j is "%s"', (requirements, lane) => {
  expect(laneOf(requirements)).toBe(lane)
})

test.each([
  ['any work', NOTHING, true],
  ['work of its host', { ...NOTHING, host: 'one' }, true],
  ['work of another host', { ...NOTHING, host: 'two' }, false],
  ['work below a root that it shares', { ...NOTHING, root: '/srv/nfs' }, true],
  ['work below another root', { ...NOTHING, root: '/srv' }, false],
  [
    'work of another host below a root that it shares',
    { host: 'two', root: '/mnt/a b', labels: [] },
    true,
  ],
  ['work of its host below another root', { host: 'one', root: '/srv', labels: [] }, true],
  ['work with labels that it carries', { ...NOTHING, labels: ['linux', 'gpu'] }, true],
  ['work with a label that it lacks', { ...NOTHING, labels: ['gpu', 'arm64'] }, false],
  [
    'work of its host with a label that it lacks',
    { ...NOTHING, host: 'one', labels: ['x'] },
    false,
  ],
  ['work of another host with its label', { ...NOTHING, host: 'two', labels: ['gpu'] }, false],
])('J-8 whether a worker takes %s', (_, requirements, takes) => {
  expect(takesLane(WORKER, laneOf(requirements))).toBe(takes)
})

const words = fc.string({ unit: 'grapheme', maxLength: 8 })
const requirements = fc.record({
  host: fc.option(words),
  root: fc.option(words),
  labels: fc.uniqueArray(words, { maxLength: 4 }),
})

test('J-8 a lane says all that was required, and the order of labels does not matter', () => {
  fc.assert(
    fc.property(requirements, wanted => {
      const sorted = { ...wanted, labels: wanted.labels.toSorted() }
      expect(requirementsOf(laneOf(wanted))).toEqual(sorted)
      expect(laneOf({ ...wanted, labels: wanted.labels.toReversed() })).toBe(laneOf(wanted))
    }),
  )
})

test('J-8 every worker takes the lane without requirements, and one that has all takes any lane', () => {
  const workers = fc.record({ host: words, sharedRoots: fc.array(words), labels: fc.array(words) })
  fc.assert(
    fc.property(workers, requirements, (worker, wanted) => {
      expect(takesLane(worker, ANY_LANE)).toBe(true)
      const fit = { ...worker, host: wanted.host ?? worker.host, labels: wanted.labels }
      const roots = wanted.root === null ? [] : [wanted.root]
      expect(takesLane({ ...fit, sharedRoots: roots }, laneOf(wanted))).toBe(true)
    }),
  )
})
