import { expect, test } from 'vitest'
import { executeQuery, type ProviderMessage } from '../../../src/index.ts'
import { fake } from '../../scenarios/harness/acts.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

const world = useHarness('fake')

const results = async (maxTurns: number) => {
  const asked = { prompt: 'count', cwd: world().workDir, maxTurns }
  const messages: ProviderMessage[] = []
  for await (const message of executeQuery(world().reprise, asked)) {
    messages.push(message)
  }
  return messages.filter(message => message.type === 'result')
}

test('L-5 a run that stopped for its turns goes on in the same session, up to the limit', async () => {
  world().model.plan([fake({ type: 'maxTurns' })])
  const [first, second, ...rest] = await results(20)
  expect(first).toMatchObject({ is_error: true, result: { error: { class: 'max-turns' } } })
  expect(second).toMatchObject({ is_error: false, result: { session_resumed: true } })
  expect(second?.session_id).toBe(first?.session_id)
  expect(rest).toEqual([])
})

test('L-5 a run that ended its turn is not continued, one without turns left neither', async () => {
  expect(await results(20)).toHaveLength(1)
  world().model.plan([fake({ type: 'maxTurns' })])
  expect(await results(1)).toHaveLength(1)
})
