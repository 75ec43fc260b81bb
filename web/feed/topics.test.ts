import { describe, expect, test } from 'vitest'
import { listen, topicsOf, touch, touchAll } from './topics.ts'

describe('topics of a frame', () => {
  const cases = [
    [{ type: 'text', runId: 'r', threadId: 't' }, ['events:r']],
    [{ type: 'usage', runId: 'r', threadId: 't' }, ['events:r', 'spent:r']],
    [
      { type: 'ended', runId: 'r', threadId: 't' },
      ['run:r', 'events:r', 'runs', 'thread:t', 'threads', 'chains', 'jobs', 'sessions'],
    ],
    [
      { type: 'question', runId: 'r', threadId: 't' },
      ['run:r', 'events:r', 'runs', 'thread:t', 'threads', 'questions'],
    ],
    [{ kind: 'job', id: 'j' }, ['jobs', 'job:j']],
    [{ kind: 'thread', id: 't' }, ['threads', 'imports', 'thread:t']],
  ] as const
  test.each(cases)('%o touches %o', (changed, topics) => {
    expect(topicsOf(changed)).toEqual(topics)
  })
})

describe('listeners', () => {
  test('a listener of two topics is called once, and no more after it stopped', () => {
    const calls: string[] = []
    const stop = listen(['a', 'b'], () => calls.push('first'))
    listen(['b'], () => calls.push('second'))
    touch(['a', 'b', 'c'])
    expect(calls).toEqual(['first', 'second'])
    stop()
    touchAll()
    expect(calls).toEqual(['first', 'second', 'second'])
  })
})
