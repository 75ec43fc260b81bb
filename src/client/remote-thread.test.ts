import { expect, test } from 'vitest'
import { remoteThread } from './remote-thread.ts'

test('T-10 a turn that is cancelled before it is sent never reaches the daemon', async () => {
  const asked: string[] = []
  const ask = async (method: string, path: string) => void asked.push(`${method} ${path}`)
  const thread = remoteThread({ ask } as never, 'thr_1', new AbortController().signal)
  const signal = AbortSignal.abort()
  for (const turn of [thread.send('one', { signal }), thread.retry('msg_1', { signal })]) {
    await expect(turn.result).rejects.toMatchObject({
      code: 'cancelled',
      message: 'the turn was cancelled before its prompt was stored',
    })
  }
  expect(asked).toEqual([])
})
