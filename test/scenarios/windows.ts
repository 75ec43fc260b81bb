// Scenarios of context windows: what is known of a model before its first run is what the agent reports after it.
import { expect, test } from 'vitest'
import type { Harness } from './harness.ts'

const MODELS = [
  ...['opus', 'sonnet', 'haiku', 'fable', 'best', 'opusplan', 'opus[1m]', 'sonnet[1m]'],
  ...['claude-opus-4-5', 'claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-4-8'],
  ...['claude-opus-4-8[1m]', 'claude-opus-5', 'claude-opus-5-5'],
  ...['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-sonnet-5', 'claude-sonnet-5-5'],
  ...['claude-haiku-4-5', 'claude-haiku-4-5-20251001', 'claude-haiku-5-5', 'claude-fable-5'],
]

const ENVIRONMENTS = [
  { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-5' },
  { CLAUDE_CODE_DISABLE_1M_CONTEXT: '1' },
]

export function windowScenarios(world: () => Harness): void {
  const windowsOf = async (model: string) => {
    const { run } = await world().turn(await world().thread(), 'hello', { model })
    return { model, known: run.facts?.contextWindow, reported: run.contextWindow }
  }

  test.each(MODELS)(
    'D-6 the window of %s is known before its first run, as the agent itself reports it',
    async model => {
      const { known, reported } = await windowsOf(model)
      expect(known).toBe(reported)
      expect(known).toBeGreaterThan(0)
    },
  )

  test.each(ENVIRONMENTS)('D-6 the window is known with %j too', async agentEnv => {
    await world().restart({ agentEnv })
    for (const model of ['opus', 'opus[1m]', 'best']) {
      const { known, reported } = await windowsOf(model)
      expect({ model, known }).toEqual({ model, known: reported })
    }
    await world().restart()
  })
}
