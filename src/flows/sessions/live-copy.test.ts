// When the session file of a run that goes on is copied for other machines.
import { expect, test } from 'vitest'
import type { AgentSaid } from '../../core/run/events.ts'
import { LiveCopy } from './live-copy.ts'

const NAMED = { type: 'session', sessionId: 's' } as AgentSaid
const CALLED = { type: 'tool', id: '1', name: 'Bash' } as AgentSaid
const LEASE = {
  ...{ threadId: 'thr_1', token: 4 },
  owner: { host: 'here', pid: 1, startTime: '0' },
}
const TEXT = { type: 'text', text: 'x' } as AgentSaid

/** Time passes when the test says so. */
function world() {
  const pauses: number[] = []
  const kept: string[] = []
  let pass = (): void => {}
  const dependencies = {
    clock: {
      sleep: (ms: number, signal: AbortSignal) =>
        new Promise<void>(resolve => {
          pauses.push(ms)
          pass = resolve
          signal.addEventListener('abort', () => resolve())
        }),
    },
    files: {},
    store: { sessions: async () => [{}] },
    vault: {
      keep: async (
        { agent, sessionId }: { agent: string; sessionId: string },
        path: string,
        { token }: { token: number },
      ) => {
        expect(token).toBe(LEASE.token)
        kept.push(`${agent} ${sessionId} ${path}`)
        return 1
      },
    },
  }
  const agent = {
    name: 'claude-code',
    fullEnv: {},
    adapter: {
      sessionFiles: {
        locate: async ({ workDir }: { workDir: string }) => ({ found: `${workDir}/s.jsonl` }),
      },
    },
  }
  const copy = new LiveCopy(dependencies as never, agent as never, {
    workDir: '/project',
    lease: LEASE,
  })
  const next = async () => {
    const before = pauses.length
    pass()
    await expect.poll(() => pauses.length).toBe(before + 1)
  }
  return { copy, kept, pauses, next }
}

test('V-1 J-8 the file is copied soon after the session was named, and again only when a tool was called', async () => {
  const { copy, kept, next } = world()
  copy.see(NAMED)
  expect(kept).toEqual([])
  await next()
  expect(kept).toEqual(['claude-code s /project/s.jsonl'])
  copy.see(TEXT)
  await next()
  expect(kept).toHaveLength(1)
  copy.see(CALLED)
  await next()
  expect(kept).toHaveLength(2)
  await copy.end()
})

test('V-1 the pauses between copies grow to ten seconds', async () => {
  const { copy, pauses, next } = world()
  copy.see(NAMED)
  for (let times = 0; times < 5; times++) await next()
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  await copy.end()
})

test('V-1 nothing is copied before the agent has named its session, and nothing after the end', async () => {
  const { copy, kept, next } = world()
  copy.see(CALLED)
  await next()
  expect(kept).toEqual([])
  copy.see(NAMED)
  await copy.end()
  expect(kept).toEqual([])
})
