import { expect, test } from 'vitest'
import { createPacing } from './pacing.ts'

test('U-3 a few requests are admitted per turn of the event loop, so that other work comes in between', async () => {
  const pacing = createPacing()
  const happened: string[] = []
  let isOver = false
  const turn = () => {
    happened.push('-')
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const requests = [...'abcdefghij'].map(async name => {
    await pacing.enter()
    happened.push(name)
  })
  await Promise.all(requests)
  isOver = true
  expect(happened.join('')).toBe('abcd-efgh-ij')
})

test('a request that comes alone is admitted at once, again and again', async () => {
  const pacing = createPacing()
  for (let round = 0; round < 10; round += 1) {
    let isIn = false
    void pacing.enter().then(() => {
      isIn = true
    })
    await Promise.resolve()
    expect(isIn).toBe(true)
    await new Promise(resolve => setImmediate(resolve))
  }
})
