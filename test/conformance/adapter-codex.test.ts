// The adapter of codex, held against streams recorded from the real program.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codexAdapter } from '../../src/adapters/codex/index.ts'
import {
  type AdapterCase,
  adapterConformance,
  type Expected,
} from '../../src/testing/adapter-conformance.ts'

const VERSION = '0.169.0'
const RECORDINGS = join(import.meta.dirname, '../recordings/codex', VERSION)
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

type Row = {
  readonly case: string
  readonly continues?: 'resume' | 'fork'
  readonly exit?: AdapterCase['exit']
  /** Asked for another id than the recorded one. */
  readonly otherId?: true
  readonly expected: Omit<Expected, 'sessionId'>
}

const failing = (name: string, failure: string): Row => ({
  case: `error-${name}`,
  exit: { code: 1 },
  expected: { outcome: `failed/${failure}`, text: '', events: ['notice'] },
})

const refused = (name: string, words: string, failure: string): Row => ({
  case: name,
  continues: 'resume',
  exit: { code: 1, stderr: `Error: thread/resume: thread/resume failed: ${words} (code -32600)` },
  expected: { outcome: `failed/${failure}`, text: '' },
})

const TOOL = { tools: ['command_execution'], toolsRan: 1 }

const ROWS: readonly Row[] = [
  {
    case: 'turn',
    expected: { outcome: 'completed', text: 'I will remember it.', events: ['thinking'] },
  },
  { case: 'resume', continues: 'resume', expected: { outcome: 'completed', text: 'BANANA' } },
  {
    case: 'no-session-id',
    continues: 'resume',
    otherId: true,
    expected: { outcome: 'failed/resume-refused', text: 'MOCK-OK: Who am I?' },
  },
  { case: 'fork', continues: 'fork', expected: { outcome: 'completed', text: 'Forked.' } },
  {
    case: 'other-model',
    continues: 'resume',
    expected: { outcome: 'completed', text: 'MOCK-OK: Another model.', events: ['notice'] },
  },
  { case: 'tool', expected: { outcome: 'completed', text: 'Done.', ...TOOL } },
  { case: 'tool-denied', expected: { outcome: 'completed', text: 'Done.', ...TOOL } },
  { case: 'tool-fails', expected: { outcome: 'completed', text: 'It failed.', ...TOOL } },
  { case: 'tool-missing', expected: { outcome: 'completed', text: 'There is none.', tools: [] } },
  failing('401', 'auth'),
  failing('429', 'rate-limit'),
  failing('500', 'overload'),
  failing('network', 'network'),
  refused('unknown-session', 'no rollout found for thread id x', 'resume-refused'),
  refused('session-busy', 'thread x already has an active writer', 'anchor-missing'),
  {
    case: 'killed',
    continues: 'resume',
    exit: { code: null, signal: 'SIGKILL' },
    expected: { outcome: 'interrupted/agent-crashed', text: '' },
  },
  {
    case: 'after-kill',
    continues: 'resume',
    expected: { outcome: 'completed', text: 'MOCK-OK: Go on.' },
  },
]

function caseOf(row: Row): AdapterCase {
  const stream = readFileSync(join(RECORDINGS, `${row.case}.jsonl`), 'utf8')
  const announced = /"thread_id":"([^"]+)"/.exec(stream)?.[1] ?? null
  const id = row.otherId || announced === null ? UNKNOWN_ID : announced
  return {
    name: [VERSION, row.case, row.continues, row.otherId && 'another id asked']
      .filter(Boolean)
      .join(' '),
    runtime: {
      agent: 'codex',
      executable: 'codex',
      version: VERSION,
      abilities: {
        resume: true,
        fork: true,
        forkAtMessage: false,
        chooseSessionId: false,
        resumeAcrossWorkDirs: true,
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

await adapterConformance('codex', codexAdapter, ROWS.map(caseOf))
