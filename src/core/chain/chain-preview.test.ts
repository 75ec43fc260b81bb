import { expect, test } from 'vitest'
import { ONE_REQUEST, SAMPLE_ESTIMATE, SAMPLE_PRICE } from '../../../test/estimate-samples.ts'
import { type ChainProspect, previewTiers, type TierProspect } from './chain-preview.ts'

const START = { ...SAMPLE_ESTIMATE, tokens: 20_000, costUsd: 0.05 }
const first: TierProspect = {
  ...{ tier: 1, name: 'look', agent: 'one', model: 'a', carry: null, promptChars: 400 },
  ...{ habits: ONE_REQUEST, price: SAMPLE_PRICE, sameModel: true, sameTools: true },
  ...{ cutChars: null, noteChars: null, ownSession: 'none' },
  ...{ overheadTokens: 5_000, continues: 'fork', canTrim: true },
}
const second: TierProspect = {
  ...first,
  tier: 2,
  name: 'repair',
  ownSession: 'below',
  cutChars: 40_000,
  noteChars: 4_000,
}
const chain: ChainProspect = { start: START, tiers: [first, second] }
const tierTwo = (change: Partial<TierProspect>) =>
  previewTiers({ ...chain, tiers: [first, { ...second, ...change }] })[1]

test('M-4 E-15 each tier reads what the one below has left, and says what the chain costs up to there', () => {
  const [one, two] = previewTiers(chain)
  expect(one).toMatchObject({
    tier: 1,
    ways: [{ way: 'start', isChosen: true }],
    upToHereUsd: 0.05,
  })
  const left = 20_000 + ONE_REQUEST.outputTokens
  expect(two?.ways).toMatchObject([
    {
      way: 'fork',
      isChosen: true,
      words: 'chosen: the policy asks for nothing else',
      estimate: { tokens: left + 100, cachedTokens: left, cache: { state: 'warm' } },
    },
    {
      way: 'trimmed',
      words: 'with carry: trimmed',
      estimate: { tokens: left - 10_000 + 100, cachedTokens: 5_000 },
    },
    {
      way: 'note',
      words: 'with carry: note',
      estimate: { tokens: 5_000 + 1_100, cachedTokens: 5_000 },
    },
  ])
  expect(two?.upToHereUsd).toBeCloseTo(0.05 + (two?.estimate?.costUsd ?? 0), 10)
})

test.each([
  ['auto', {}, 'fork', 'its model reads the conversation from a warm cache'],
  ['auto', { sameModel: false }, 'trimmed', 'it is expected to cost less'],
  ['auto', { sameModel: false, cutChars: 0 }, 'fork', 'no output in it is long'],
  ['auto', { sameTools: false, cutChars: null }, 'trimmed', 'no cache of its model holds'],
  ['note', {}, 'note', 'the setting `carry` says so'],
  ['trimmed', {}, 'trimmed', 'the setting `carry` says so'],
  ['whole', {}, 'fork', 'the setting `carry` says so'],
] as const)('E-15 a tier with carry: %s and %j gets the %s: %s', (carry, change, way, because) => {
  const two = tierTwo({ ...change, carry })
  expect(two?.ways[0]).toMatchObject({ way, isChosen: true })
  expect(two?.ways[0]?.words).toContain(because)
  expect(two?.ways.filter(({ isChosen }) => isChosen)).toHaveLength(1)
})

test('M-4 what no earlier chain tells is not known, never zero', () => {
  const two = tierTwo({ cutChars: null, noteChars: null })
  expect(two?.ways.map(({ way, estimate }) => [way, estimate === null])).toEqual([
    ['fork', false],
    ['trimmed', true],
    ['note', true],
  ])
  const [one, blind] = previewTiers({
    ...chain,
    start: null,
    tiers: [{ ...first, habits: null }, second],
  })
  expect(one).toMatchObject({ estimate: null, upToHereUsd: null })
  expect(blind).toMatchObject({ estimate: null, upToHereUsd: null })
  expect(tierTwo({ price: null })).toMatchObject({ estimate: { costUsd: null }, upToHereUsd: null })
})

test('E-15 a tier after one of unknown price reads at most the whole conversation', () => {
  const third = { ...second, tier: 3 }
  const noted = { ...second, carry: 'note', noteChars: null } as const
  const [, two, three] = previewTiers({ ...chain, tiers: [first, noted, third] })
  expect(two?.estimate).toBeNull()
  expect(three?.estimate?.tokens).toBeGreaterThan(20_000)
  expect(three?.upToHereUsd).toBeNull()
})

test('E-15 an agent that cannot fork goes on in its session, and one that cannot resume gets a note', () => {
  expect(tierTwo({ continues: 'resume' })?.ways[0]?.way).toBe('resume')
  const noted = tierTwo({ carry: 'whole', continues: null })
  expect(noted?.ways).toMatchObject([
    { way: 'note', isChosen: true, words: 'chosen: the agent cannot continue a session' },
  ])
  const ways = tierTwo({ canTrim: false })?.ways.map(({ way }) => way)
  expect(ways).toEqual(['fork', 'note'])
})

test('E-16 a tier of another agent gets a note, and one whose agent worked further down goes on in its own session', () => {
  const joins = { ...second, agent: 'two', ownSession: 'none', carry: 'whole' } as const
  const back = { ...second, tier: 3, ownSession: 'lower', carry: 'trimmed' } as const
  const [, two, three] = previewTiers({ start: START, tiers: [first, joins, back] })
  expect(two).toMatchObject({
    agent: 'two',
    ways: [{ way: 'note', isChosen: true, words: 'chosen: two has no session of a lower tier' }],
    estimate: { tokens: 5_000 + 1_100 },
  })
  // What its session holds by then, nobody knows.
  expect(three).toMatchObject({ agent: 'one', estimate: null, upToHereUsd: null })
  expect(three?.ways.map(({ way, isChosen }) => [way, isChosen])).toEqual([
    ['fork', true],
    ['note', false],
  ])
})
