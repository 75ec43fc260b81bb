import { expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

async function stoppedByBudget() {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 40_000 }
  const billed = { type: 'billed', usage } as const
  const runner = createFakeRunner({
    files,
    script: [
      { when: 'new', do: [billed, { type: 'text', text: 'no verdict' }] },
      { do: [billed, { type: 'text', text: 'more' }, { type: 'hang' }] },
    ],
  })
  const reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    dependencies: { runner, files },
  })
  const { policy } = sampleMandate()
  const tiers = policy.tiers.map(tier => ({ ...tier, budget: { ...NO_BUDGET, usd: 1 } }))
  const chain = reprise.chains.start({
    policy: { ...policy, tiers },
    prompt: 'check',
    workDir: '/project',
  })
  return { reprise, held: await chain.result }
}

test('M-2 the budget of a tier counts all of its runs: the one that is asked for the verdict too', async () => {
  const { reprise, held } = await stoppedByBudget()
  expect(held).toMatchObject({ status: 'held', because: { code: 'budget-spent', of: 'tier' } })
  const [asked, first] = await reprise.runs.list()
  expect(first?.costUsd).toBeLessThan(1)
  expect(asked?.failure).toMatchObject({
    class: 'budget',
    message: expect.stringContaining('the budget of tier 1 is spent'),
  })
  await reprise.close()
})

test('E-2 nobody can approve the tier above one that its budget stopped: it has asked for nothing', async () => {
  const { reprise, held } = await stoppedByBudget()
  const refusal = {
    code: 'conflict',
    message: expect.stringMatching(`^chain ${held.id} cannot go on: the budget of tier 1 is spent`),
    hint: 'Give the tier a higher budget in the policy, and start another chain: `reprise escalate`.',
  }
  await expect(reprise.chains.approve(held.id).result).rejects.toMatchObject(refusal)
  await expect(reprise.chains.previewNext(held.id)).rejects.toMatchObject(refusal)
  expect(await reprise.chains.get(held.id)).toEqual(held)
  await reprise.close()
})
