// Trouble around a call that the agent has answered, or that could not be prepared.
import { describe, expect, test } from 'vitest'
import { OVER, STREAM, dropInWorld as world } from '../../../test/simulated/drop-in-world.ts'
import { RepriseError } from '../../errors.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import type { MemoryFiles } from '../../testing/memory-files.ts'

describe('W-2 once the agent has answered, nothing makes it answer again:', () => {
  test('neither a store that cannot be closed', async () => {
    const { call } = await world()
    const close = () => Promise.reject(new Error('the connection broke'))
    expect(await call([...STREAM, 'hello'], { store: one => ({ ...one, close }) })).toEqual(OVER)
  })

  test('nor a session file that cannot be read', async () => {
    const { call, started } = await world()
    const broken = (files: MemoryFiles) => ({
      ...files,
      read: (path: string) =>
        started.length > 0 ? Promise.reject(new Error('the disk is broken')) : files.read(path),
      readFrom: () => Promise.reject(new Error('the disk is broken')),
    })
    const ended = await call(['-p', 'hello'], { files: broken })
    expect(ended).toEqual({ ...OVER, trouble: 'the disk is broken' })
  })

  test('nor a store that never answers', async () => {
    const { call } = await world()
    const endRun = () => new Promise<never>(() => {})
    // Time flies.
    const clock = {
      now: Date.now,
      sleep: () => new Promise<void>(resolve => setImmediate(resolve)),
    }
    const ended = await call([...STREAM, 'hello'], { store: one => ({ ...one, endRun }), clock })
    expect(ended).toEqual({ ...OVER, trouble: 'the store is too slow' })
  })

  test('nor a thread that somebody else has taken over', async () => {
    const { call } = await world()
    const lost = Promise.withResolvers<void>()
    const renewLease = () => {
      setImmediate(lost.resolve)
      return Promise.reject(new RepriseError('lease-lost', 'somebody has it', ''))
    }
    const ended = await call([...STREAM, 'hello'], {
      ...{ store: one => ({ ...one, renewLease }), during: () => lost.promise },
    })
    expect(ended).toEqual({ ...OVER, trouble: 'the lease was lost' })
  })
})

test('W-2 a call that cannot be prepared runs without Reprise: others have the thread at once, and a new one is gone', async () => {
  const { call, lastRun, started, reprise } = await world()
  await call([...STREAM, 'one'])
  const first = await lastRun()
  const resume = [...STREAM, '--resume', first.sessionId ?? '', 'two']
  const branch = () => Promise.reject(new Error('the store is away'))
  const store = (one: StoreWithWork) => ({ ...one, branch })
  for (const args of [resume, [...STREAM, 'new']])
    expect(await call(args, { store })).toEqual({ kind: 'bare', because: 'the store is away' })
  expect(started).toHaveLength(1)
  expect(await reprise.threads.list()).toHaveLength(1)
  expect(await call(resume, { settings: { whenBusy: 'refuse' } })).toEqual(OVER)
})
