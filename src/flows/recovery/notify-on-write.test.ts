import { expect, test } from 'vitest'
import { processes } from '../../../test/simulated/processes.ts'

test('U-6 a follower in the same process hears of every event at once, without looking at the store again', async () => {
  const world = await processes([
    {
      do: [
        { type: 'text', text: 'half' },
        { type: 'waitForFile', path: '/go' },
      ],
    },
  ])
  const never = 3_600_000
  const timing = { followPollMs: never, renewMs: never, queuePollMs: 1, eventBatchMs: 1 }
  const { reprise } = world.open({ timing })
  const thread = await reprise.threads.create({ workDir: '/project' })
  const seen: string[] = []
  for await (const event of thread.send('work')) {
    seen.push(event.type)
    if (event.type === 'text') await world.files.write('/go', '')
  }
  expect(seen).toEqual(expect.arrayContaining(['started', 'text', 'ended']))
})
