// Scenarios of instructions: the model has the current text on every run, and gets it only once.
import { expect, test } from 'vitest'
import { FOCUS_LINE } from '../../../src/core/conversation/prompt.ts'
import type { TurnResult } from '../../../src/index.ts'
import type { Harness } from '../harness/harness.ts'
import { focused } from './continuing.ts'

export function instructionScenarios(world: () => Harness): void {
  test('T-8 changed instructions are sent as instructions: in the system prompt of the very next run, resumed or forked', async () => {
    const thread = await world().thread()
    const verse = 'Answer in verse, always.'
    const prose = 'Answer in prose, never in verse.'
    const first = await given(world(), await world().turn(thread, 'one', { instructions: verse }))
    expect(first).toMatchObject({ system: expect.stringContaining(verse), prompt: 'one' })

    const same = await given(world(), await world().turn(thread, 'two', { instructions: verse }))
    expect(same).toMatchObject({ system: expect.stringContaining(verse), prompt: focused('two') })

    for (const prompt of ['three', 'four']) {
      const turn = await world().turn(thread, prompt, { instructions: prose })
      expect(turn.run.decision?.action).toBe('resume')
      const now = await given(world(), turn)
      expect(now).toMatchObject({
        system: expect.stringContaining(prose),
        prompt: focused(prompt),
      })
      expect(now.system).not.toContain(verse)
      expect((await world().saw(turn)).join()).not.toMatch(/verse|instructions/)
    }
    const { messages } = await thread.show()
    const forked = await thread.retry(messages[4]?.id ?? '', { instructions: verse }).result
    expect(forked.run.decision?.action).toBe('fork')
    expect((await given(world(), forked)).system).toContain(verse)
  })

  test('T-8 an agent that ignores changed instructions on a resume gets them in the prompt, once and as instructions', async () => {
    await world().restart({ program: 'no-snapshot-flag' })
    const [verse, prose] = ['Answer in verse, always.', 'Answer in prose, never in verse.']
    const thread = await world().thread()
    await world().turn(thread, 'one', { instructions: verse })
    const changed = await given(world(), await world().turn(thread, 'two', { instructions: prose }))
    const asInstructions = `Your instructions have changed. Follow these from now on in place of the earlier ones:\n<instructions-`
    const inPrompt = changed.prompt.startsWith(asInstructions) && changed.prompt.includes(prose)
    expect(inPrompt || changed.system.includes(prose)).toBe(true)
    expect(changed.prompt.endsWith(focused('two'))).toBe(true)
    expect(changed.prompt).not.toMatch(/data|not a request/)

    const kept = await world().turn(thread, 'three')
    expect((await given(world(), kept)).prompt).toBe(focused('three'))
    const saw = await world().saw(kept)
    expect(saw.filter(text => text.includes(prose)).length).toBeLessThanOrEqual(1)
    expect(saw.at(-1)?.split(FOCUS_LINE)).toHaveLength(2)

    const cleared = await given(world(), await world().turn(thread, 'four', { instructions: '' }))
    const toldSo = cleared.prompt.startsWith('Your instructions have changed: the earlier ones')
    expect(toldSo || !cleared.system.includes(prose)).toBe(true)
    await world().restart()
  })
}

/** Which instructions hold is decided in the store. */
export function storedInstructionScenarios(world: () => Harness): void {
  test('T-8 a thread keeps its instructions until others are given; an empty text clears them', async () => {
    const thread = await world().thread()
    const shout = 'Shout, please.'
    await world().turn(thread, 'one', { instructions: shout })
    const kept = await given(world(), await world().turn(thread, 'two'))
    expect(kept).toMatchObject({ system: expect.stringContaining(shout), prompt: focused('two') })
    const fresh = await given(world(), await world().turn(thread, 'three', { freshSession: true }))
    expect(fresh.system).toContain(shout)
    const copy = await thread.fork()
    expect((await given(world(), await world().turn(copy, 'copied'))).system).toContain(shout)
    await world().restart()
    const again = await world().reprise.threads.get(thread.id)
    expect(await again.show()).toMatchObject({ instructions: shout })
    expect((await given(world(), await world().turn(again, 'four'))).system).toContain(shout)
    const cleared = await given(world(), await world().turn(again, 'five', { instructions: '' }))
    expect(cleared.system).not.toContain(shout)
    expect((await given(world(), await world().turn(again, 'six'))).system).not.toContain(shout)
    expect(await again.show()).toMatchObject({ instructions: null })
  })

  test('T-8 T-3 a replay has the current instructions too', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'one', { instructions: 'Old.' })
    const fresh = await world().turn(thread, 'two', { instructions: 'New.', freshSession: true })
    const { system, prompt } = await given(world(), fresh)
    expect(system).toContain('New.')
    expect(system).not.toContain('Old.')
    expect(prompt).not.toContain(FOCUS_LINE)
  })
}

async function given(world: Harness, turn: TurnResult) {
  return {
    system: await world.model.system(turn.run.id),
    prompt: (await world.saw(turn)).at(-1) ?? '',
  }
}
