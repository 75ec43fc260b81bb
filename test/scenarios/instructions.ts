// Scenarios of instructions: the model has the current text on every run, and is not told twice.
import { expect, test } from 'vitest'
import { FOCUS_LINE } from '../../src/core/prompt.ts'
import type { TurnResult } from '../../src/index.ts'
import { focused } from './continuing.ts'
import type { Harness } from './harness.ts'

export function instructionScenarios(world: () => Harness): void {
  const given = async (turn: TurnResult) => ({
    system: await world().model.system(turn.run.id),
    prompt: (await world().saw(turn)).at(-1) ?? '',
  })

  test('T-8 the model has the current instructions on every run, and is told of a change once', async () => {
    const thread = await world().thread()
    const verse = 'Answer in verse, always.'
    const prose = 'Answer in prose, never in verse.'
    const first = await given(await world().turn(thread, 'one', { instructions: verse }))
    expect(first).toMatchObject({ system: expect.stringContaining(verse), prompt: 'one' })

    const same = await given(await world().turn(thread, 'two', { instructions: verse }))
    expect(same).toMatchObject({
      system: expect.stringContaining(verse),
      prompt: focused('two'),
    })

    const changed = await given(await world().turn(thread, 'three', { instructions: prose }))
    expect(changed.system.includes(prose) || changed.prompt.includes(prose)).toBe(true)
    expect(changed.prompt.endsWith(focused('three'))).toBe(true)

    const kept = await world().turn(thread, 'four', { instructions: prose })
    expect((await given(kept)).prompt).toBe(focused('four'))
    const saw = await world().saw(kept)
    expect(saw.filter(text => text.includes(prose)).length).toBeLessThanOrEqual(1)
    expect(saw.at(-1)?.split(FOCUS_LINE)).toHaveLength(2)
  })

  test('T-8 instructions that are taken back are not in force any more', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one', { instructions: 'Shout.' })
    const { system, prompt } = await given(await world().turn(thread, 'two'))
    const toldSo = prompt.includes('These replace the earlier ones') && prompt.includes('(none)')
    expect(toldSo || !system.includes('Shout.')).toBe(true)
  })

  test('T-8 T-3 a replay has the current instructions too', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one', { instructions: 'Old.' })
    const fresh = await world().turn(thread, 'two', { instructions: 'New.', freshSession: true })
    const { system, prompt } = await given(fresh)
    expect(system).toContain('New.')
    expect(system).not.toContain('Old.')
    expect(prompt).not.toContain(FOCUS_LINE)
  })
}
