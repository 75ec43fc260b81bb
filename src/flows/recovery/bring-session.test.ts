// Where the session file of a run comes from whose machine died.
import { expect, test } from 'vitest'
import { bringSession } from './bring-session.ts'

const PLAN = {
  run: { id: 'run_1' },
  decision: { action: 'resume' },
  source: { agent: 'claude-code', sessionId: 's', workDir: '/there' },
  mark: { path: '/of/the/dead/machine', sizeBytes: 7 },
}

async function bring(given: {
  found?: string | null
  home?: string | null
  hasCopy?: boolean
  plan?: object
}) {
  const { found = null, home = '/home/s.jsonl', hasCopy = true, plan = PLAN } = given
  const asked: string[] = []
  const dependencies = {
    files: {},
    store: { run: async () => ({ sessionId: null }) },
    vault: {
      extend: async (_: object, path: string) => void asked.push(`extend ${path}`),
      restore: async (_: object, path: string) => {
        asked.push(`restore ${path}`)
        return hasCopy
      },
    },
  }
  const agent = {
    fullEnv: {},
    adapter: { sessionFiles: { locate: async () => ({ found, home }) } },
  }
  const holder = { lease: { threadId: 'thr_1' }, agent }
  const brought = await bringSession(dependencies as never, holder as never, plan as never)
  return { asked, path: brought.mark.path, sizeBytes: brought.mark.sizeBytes }
}

test('J-8 V-1 our copy is put where the agent looks on this machine, and the end of the run is read there', async () => {
  expect(await bring({})).toEqual({
    asked: ['restore /home/s.jsonl'],
    path: '/home/s.jsonl',
    sizeBytes: 7,
  })
})

test('J-8 V-1 a file of an earlier turn on this machine is replaced, after what only it holds was copied', async () => {
  expect(await bring({ found: '/old/s.jsonl' })).toMatchObject({
    asked: ['extend /old/s.jsonl', 'restore /old/s.jsonl'],
    path: '/old/s.jsonl',
  })
})

test('J-8 without a copy, a place or a session everything stays as it is', async () => {
  const { path } = PLAN.mark
  expect(await bring({ hasCopy: false })).toMatchObject({ path })
  expect(await bring({ home: null })).toMatchObject({ asked: [], path })
  const plan = { ...PLAN, decision: { action: 'start' } }
  expect(await bring({ plan })).toMatchObject({ asked: [], path })
})
