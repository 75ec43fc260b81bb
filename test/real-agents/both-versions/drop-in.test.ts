// `reprise-claude` in front of both real versions: the same bytes in every form of output, and the same failures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../scenarios/harness/acts.ts'
import { DROP_IN, DropInWorld } from '../../scenarios/harness/drop-in-world.ts'
import { REAL_VERSIONS } from '../../scenarios/harness/program.ts'

describe.each(REAL_VERSIONS)(
  'W-2 the drop-in in front of %s prints what the program prints',
  version => {
    let world: DropInWorld

    beforeAll(async () => {
      world = await DropInWorld.open(version)
    })
    afterAll(() => world.harness.close())

    test.each([
      ['text', ['-p', 'print it']],
      ['json', ['-p', 'print it', '--output-format', 'json']],
      ['all events as JSON', ['-p', 'print it', '--output-format', 'json', '--verbose']],
      ['a stream', ['-p', 'print it', '--output-format', 'stream-json', '--verbose']],
    ])('as %s', async (_, args) => {
      const { model } = world.harness
      model.plan([say('printed')])
      const bare = await world.print(world.executable, args, 'more of it')
      model.plan([say('printed')])
      const through = await world.print(DROP_IN, args, 'more of it')
      expect(through).toEqual(bare)
      expect(bare.out).toContain('printed')
    })

    test.each([
      ['an unknown flag', ['-p', 'x', '--no-such-flag']],
      ['an unknown session', ['-p', 'x', '--resume', '00000000-0000-4000-8000-00000000dead']],
      ['an id that is none', ['-p', 'x', '--session-id', 'abc']],
      ['a stream without --verbose', ['-p', 'x', '--output-format', 'stream-json']],
    ])('for %s', async (_, args) => {
      const bare = await world.print(world.executable, args)
      expect(await world.print(DROP_IN, args)).toEqual(bare)
      expect(bare.code).toBe(1)
    })
  },
)
