// A turn decides again while its session is in use, and after it put a lost session file back, once for each session.
import { expect, test } from 'vitest'
import { DEFAULT_RESUME } from '../../core/decide/settings.ts'
import { RepriseError } from '../../errors.ts'
import { decideWhenFree } from './decide-when-free.ts'

const HEARD = { id: 'msg_1', hash: 'h', role: 'user', agent: null, text: 'one', tools: [] }
const SESSION = {
  ...{ id: 'ses_1', sessionId: 's-1', pointer: 'confirmed', retiredBecause: null },
  ...{ workDir: '/project', runtime: 'agent 1', model: 'sonnet', lastMessageAt: 10 },
  ...{ fruitlessResumes: 0, contextTokens: 5, contextWindow: 1_000, lastStopReason: null },
  ...{ seen: [{ hash: 'h', anchor: 'a-1', isPart: false }], knownEnd: 'a-1' },
}
const MISSING = { state: 'missing', path: '/old/s-1.jsonl' }
const PRESENT = { state: 'present' }

type Given = {
  /** Who holds the session at each look. */
  readonly holders?: readonly (string | null)[]
  /** What the session file looks like at each look. */
  readonly files?: readonly object[]
  readonly workDir?: string
  readonly refused?: object
  readonly keptAt?: number | null
  /** Why a copy cannot be put back. */
  readonly restoreFails?: Error
  readonly cancelledAfter?: number
}

async function decided(given: Given = {}) {
  const notes: string[] = []
  const holders = [...(given.holders ?? [null])]
  const looks = [...(given.files ?? [PRESENT])]
  const cancel = new AbortController()
  let sleeps = 0
  const dependencies = {
    clock: {
      now: () => 20,
      sleep: async (ms: number, signal: AbortSignal) => {
        expect([ms, signal]).toEqual([9, cancel.signal])
        sleeps += 1
        if (sleeps === given.cancelledAfter) cancel.abort()
      },
    },
    timing: { queuePollMs: 9 },
    files: {},
    store: {
      sessions: async () => [{ ...SESSION, id: 'ses_0', pointer: 'retired' }, SESSION],
      sessionHolders: async () => {
        const holder = holders.length > 1 ? holders.shift() : holders[0]
        return new Map(holder ? [['ses_1', holder]] : [])
      },
      moveSession: async (_: object, id: string, to: string) => void notes.push(`move ${id} ${to}`),
    },
    vault: {
      extend: async () => {},
      read: async () => new Uint8Array(),
      keptAt: async () => given.keptAt ?? null,
      restore: async ({ id }: { id: string }, path: string) => {
        notes.push(`restore ${id} ${path}`)
        if (given.restoreFails) throw given.restoreFails
        return true
      },
    },
  }
  const agent = {
    name: 'one',
    fullEnv: {},
    runtime: {
      fingerprint: 'agent 1',
      abilities: { resume: true, fork: true, forkAtMessage: true, resumeAcrossWorkDirs: false },
    },
    adapter: {
      money: { contextWindow: () => null },
      sessionFiles: {
        inspect: async () => (looks.length > 1 ? looks.shift() : looks[0]),
        locate: async () => ({ found: null, home: '/home/s-1.jsonl' }),
        holds: () => true,
      },
    },
  }
  const { workDir = '/project' } = given
  const situation = {
    ...{ agent, threadId: 'thr_1', view: [HEARD], workDir, model: 'sonnet', freshSession: false },
    resume: { ...DEFAULT_RESUME, onWorkDirChange: 'relocate' },
  }
  const asked = {
    input: { lease: {}, signal: cancel.signal },
    refused: given.refused ?? null,
  }
  const made = await decideWhenFree(dependencies as never, situation as never, asked as never)
  return { ...made, notes, sleeps }
}

test('D-1 a free session is continued at once, with what is known of it', async () => {
  const { decision, source, sessions, facts, notes, sleeps } = await decided()
  expect(decision).toMatchObject({ action: 'resume', session: { id: 'ses_1' } })
  expect([source?.id, sessions.length, facts.sessions.length]).toEqual(['ses_1', 2, 2])
  expect([notes, sleeps]).toEqual([[], 0])
})

test('V-4 a session that another run holds is waited for', async () => {
  const { decision, sleeps } = await decided({ holders: ['run_1', 'run_1', null] })
  expect([decision.action, sleeps]).toEqual(['resume', 2])
})

test('U-3 a turn that is cancelled while it waits ends, and says how to go on', async () => {
  await expect(decided({ holders: ['run_1'], cancelledAfter: 2 })).rejects.toMatchObject({
    code: 'cancelled',
    message: 'the turn was cancelled while it waited',
    hint: 'Send the prompt again: `reprise send -t`.',
  })
})

test('V-1 a lost file is put back before the session is continued; the facts say so', async () => {
  const { decision, facts, notes } = await decided({ files: [MISSING, PRESENT], keptAt: 7 })
  expect(decision.action).toBe('resume')
  expect(notes).toEqual(['restore ses_1 /home/s-1.jsonl'])
  expect(facts.sessions[1]?.file).toEqual({
    state: 'present',
    restored: { because: 'it is not there', keptAt: 7 },
  })
  const unknown = await decided({ files: [MISSING, PRESENT] })
  expect(unknown.facts.sessions[1]?.file).toEqual({
    state: 'present',
    restored: { because: 'it is not there' },
  })
})

test('V-1 D-8 a session that is put back for another work dir belongs there from now on', async () => {
  const { notes } = await decided({ files: [MISSING, PRESENT], workDir: '/elsewhere' })
  expect(notes).toEqual(['restore ses_1 /home/s-1.jsonl', 'move ses_1 /elsewhere'])
})

test('V-1 a copy that is as lost as the file was is not put back for ever: the turn gets the transcript', async () => {
  const { decision, source, notes } = await decided({ files: [MISSING, MISSING] })
  expect(decision).toMatchObject({ action: 'replay', reason: { code: 'file-missing' } })
  expect([source, notes]).toEqual([null, ['restore ses_1 /home/s-1.jsonl']])
})

test('V-1 T-6 a file that cannot be put back, as on a full disk, is lost: the turn gets the transcript', async () => {
  const restoreFails = new Error('ENOSPC: no space left on device, write')
  const here = await decided({ files: [MISSING, MISSING], restoreFails })
  expect(here.decision).toMatchObject({ action: 'replay', reason: { code: 'file-missing' } })
  expect([here.source, here.notes]).toEqual([null, ['restore ses_1 /home/s-1.jsonl']])
  const elsewhere = await decided({
    ...{ files: [MISSING, MISSING], workDir: '/elsewhere', restoreFails },
  })
  expect(elsewhere.decision.action).toBe('replay')
  expect(elsewhere.notes, 'the session has not moved').toEqual(['restore ses_1 /home/s-1.jsonl'])
})

test('V-1 a store that is away while a file is put back ends the turn', async () => {
  const restoreFails = new RepriseError('store-unusable', 'the store is away', 'start it')
  const turn = decided({ files: [MISSING, MISSING], restoreFails })
  await expect(turn).rejects.toBe(restoreFails)
})

test('F-2 after a refusal the turn goes on without a session, whatever the facts say', async () => {
  const refused = { code: 'resume-refused', sessionId: 's-1', detail: 'gone' }
  const { decision, source } = await decided({ refused })
  expect(decision).toMatchObject({ action: 'replay', reason: refused })
  expect(source).toBeNull()
})
