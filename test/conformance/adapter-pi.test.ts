// The adapter of pi, held against streams recorded from the real program.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { piAdapter } from '../../src/adapters/pi/index.ts'
import {
  type AdapterCase,
  adapterConformance,
  type Expected,
} from '../../src/testing/adapter-conformance.ts'

const VERSION = '0.87.1'
const RECORDINGS = join(import.meta.dirname, '../recordings/pi', VERSION)
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

type Row = {
  readonly case: string
  readonly continues?: 'resume' | 'fork'
  /** Asked for another id than the recorded one. */
  readonly otherId?: true
  readonly exit?: AdapterCase['exit']
  readonly expected: Omit<Expected, 'sessionId'>
}

const ROWS: readonly Row[] = [
  {
    case: 'turn',
    expected: {
      outcome: 'completed',
      text: 'I will remember it.',
      outputTokens: 5,
      costUsd: 0.001418,
    },
  },
  {
    case: 'resume',
    continues: 'resume',
    expected: { outcome: 'completed', text: 'MOCK-OK: Which word?', costUsd: 0.0001798 },
  },
  {
    case: 'resume',
    continues: 'resume',
    otherId: true,
    expected: { outcome: 'failed/resume-refused', text: 'MOCK-OK: Which word?' },
  },
  {
    case: 'fork',
    continues: 'fork',
    expected: { outcome: 'completed', text: 'MOCK-OK: Another way.' },
  },
  {
    case: 'tool',
    expected: { outcome: 'completed', text: 'Done.', tools: ['bash'], toolsRan: 1 },
  },
  {
    case: 'tool-missing',
    expected: { outcome: 'completed', text: 'Done.', tools: ['bash'], toolsRan: 0 },
  },
  // The exit code is 0 in all of these.
  { case: 'error-401', expected: { outcome: 'failed/auth', text: '' } },
  { case: 'error-429', expected: { outcome: 'failed/rate-limit', text: '', events: ['retry'] } },
  { case: 'error-500', expected: { outcome: 'failed/server-error', text: '', events: ['retry'] } },
  {
    case: 'other-directory-by-id',
    continues: 'resume',
    expected: { outcome: 'failed/resume-refused', text: '' },
  },
  {
    case: 'unknown-session',
    continues: 'resume',
    exit: { code: 1, stderr: "No session found matching 'dead'" },
    expected: { outcome: 'failed/resume-refused', text: '' },
  },
  // Nothing is printed in these either, and the session is in order.
  {
    case: 'unknown-session',
    continues: 'resume',
    exit: { code: 1, stderr: 'Error: Model "dead" not found. Use --list-models to see them.' },
    expected: { outcome: 'failed/model-not-found', text: '' },
  },
  {
    case: 'unknown-session',
    continues: 'resume',
    exit: { code: 1, stderr: 'No API key found for anthropic.\n\nUse /login to log in.' },
    expected: { outcome: 'failed/auth', text: '' },
  },
  {
    case: 'killed',
    continues: 'resume',
    exit: { code: null, signal: 'SIGKILL' },
    expected: { outcome: 'interrupted/agent-crashed', text: '' },
  },
]

function caseOf(row: Row): AdapterCase {
  const stream = readFileSync(join(RECORDINGS, `${row.case}.jsonl`), 'utf8')
  const announced = /^\{"type":"session","version":3,"id":"([^"]+)"/.exec(stream)?.[1] ?? null
  const id = row.otherId || announced === null ? UNKNOWN_ID : announced
  return {
    name: [VERSION, row.case, row.continues, row.otherId && 'another id asked', row.exit?.stderr]
      .filter(Boolean)
      .join(' '),
    runtime: {
      agent: 'pi',
      executable: 'pi',
      version: VERSION,
      abilities: {
        ...{ resume: true, fork: true, forkAtMessage: false },
        ...{ chooseSessionId: false, resumeAcrossWorkDirs: false },
      },
      quirks: [],
      warning: null,
      fingerprint: VERSION,
    },
    stream,
    continuation: continuationOf(row, id),
    ...(row.exit && { exit: row.exit }),
    expected: { sessionId: announced, ...row.expected },
  }
}

function continuationOf({ continues }: Row, id: string): AdapterCase['continuation'] {
  if (continues === 'fork') return { kind: 'fork', from: UNKNOWN_ID, at: null, sessionId: null }
  if (continues === 'resume') return { kind: 'resume', sessionId: id }
  return { kind: 'new', sessionId: null }
}

await adapterConformance('pi', piAdapter, ROWS.map(caseOf))
