// D-2 over whole histories in which processes stay after their turns: never blind, never twice, every cost once, nothing left.
import { expect, test } from 'vitest'
import { countOf } from '../counts.ts'
import type { Command } from './sequences/commands.ts'
import { play } from './sequences/play.ts'
import { playMany } from './sequences/play-many.ts'
import { memoryWorlds } from './sequences/world.ts'

const TURN = { agent: 'first', fresh: false, behaviour: 'answers' } as const
const SEND: Command = { do: 'send', text: 'new', ...TURN }
const SWITCH: Command = { do: 'switch' }

test.each<[string, readonly Command[]]>([
  ['another owner went on with the thread', [SEND, SEND, SWITCH, SEND, SWITCH, SEND]],
  ['a message was edited', [SEND, SEND, { do: 'edit', pick: 1, text: 'new' }, SEND, SEND]],
  ['somebody went on with the session', [SEND, { do: 'foreign', pick: 0, says: true }, SEND, SEND]],
  ['the instructions changed', [SEND, { do: 'instruct', pick: 1 }, SEND, SEND]],
])('W-1 D-2 a process that stays is not used blindly when %s', async (_, commands) => {
  await play(await memoryWorlds('warm')(1), { view: 'all', commands }, new Map())
})

test('W-1 U-3 whichever call of the store fails in a turn on a process that stays, no process is left running', async () => {
  for (let atCall = 0; atCall < 20; atCall++) {
    const commands: Command[] = [SEND, SEND, { do: 'disk', atCall, times: 1, ...TURN }, SEND]
    await play(await memoryWorlds('warm')(1), { view: 'all', commands }, new Map())
  }
})

const HISTORIES = countOf('REPRISE_WARM_SEQUENCES', { usual: 40, storm: 500 })

test('W-1 D-2 random histories with processes that stay: each turn knows what the thread says, once, and costs what was billed', async () => {
  const options = { runs: HISTORIES, maxCommands: 14, hangs: 'possible', warm: true } as const
  const counts = await playMany(memoryWorlds('warm'), options)
  const least = {
    'process warm': 1,
    'process new': 1,
    'action fork': 0.02,
    'action replay': 0.02,
  }
  for (const [what, share] of Object.entries(least))
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(share * HISTORIES)
  for (const what of ['kill', 'foreign', 'instruct', 'idle', 'grow', 'switch', 'oversleep', 'edit'])
    expect(counts.get(`do ${what}`) ?? 0, what).toBeGreaterThan(HISTORIES / 80)
})
