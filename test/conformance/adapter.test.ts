// The adapter of Claude Code, held against streams recorded from two of its versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCodeAdapter } from '../../src/adapters/claude-code/index.ts'
import { quirksOf } from '../../src/adapters/claude-code/quirks.ts'
import {
  type AdapterCase,
  adapterConformance,
  type Expected,
} from '../../src/testing/adapter-conformance.ts'

const RECORDINGS = join(import.meta.dirname, '../recordings/claude-code')
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

type Row = {
  readonly case: string
  readonly continues?: 'resume' | 'fork'
  readonly exit?: AdapterCase['exit']
  /** Asked for another id than the recorded one. */
  readonly otherId?: true
  readonly expected: Omit<Expected, 'sessionId'> & { readonly sessionId?: null }
}

/** Recorded from both versions with the same prompts and the same answers of the model. */
const BOTH: readonly Row[] = [
  { case: 'turn', expected: { outcome: 'completed', text: 'ok 1', anchors: 1, outputTokens: 7 } },
  { case: 'resume', continues: 'resume', expected: { outcome: 'completed', text: 'ok 2' } },
  {
    case: 'resume',
    continues: 'resume',
    otherId: true,
    expected: { outcome: 'failed/resume-refused', text: 'ok 2' },
  },
  { case: 'fork', continues: 'fork', expected: { outcome: 'completed', text: 'ok 3', anchors: 1 } },
  {
    case: 'resume-refused',
    continues: 'resume',
    exit: { code: 1 },
    expected: { outcome: 'failed/resume-refused', text: '', sessionId: null },
  },
  {
    case: 'resume-refused',
    continues: 'fork',
    exit: { code: 1 },
    expected: { outcome: 'failed/resume-refused', text: '', sessionId: null },
  },
  {
    case: 'anchor-missing',
    continues: 'fork',
    exit: { code: 1 },
    expected: { outcome: 'failed/anchor-missing', text: '', sessionId: null },
  },
  {
    case: 'tool-allowed',
    expected: {
      outcome: 'completed',
      text: 'I will run it\n\ndone',
      tools: ['Bash'],
      toolsRan: 1,
      anchors: 4,
      outputTokens: 14,
      events: ['thinking', 'tool-result'],
    },
  },
  {
    case: 'tool-denied',
    expected: {
      outcome: 'completed',
      text: 'trying\n\ncould not',
      tools: ['Bash', 'Write'],
      toolsRan: 0,
    },
  },
  {
    case: 'tool-missing',
    expected: { outcome: 'completed', text: 'could not', tools: ['Write'], toolsRan: 0 },
  },
  {
    case: 'tool-dont-ask',
    expected: { outcome: 'completed', text: 'could not', tools: ['Bash'], toolsRan: 0 },
  },
  {
    case: 'tool-fails',
    expected: { outcome: 'completed', text: 'failed', tools: ['Bash', 'Read'], toolsRan: 2 },
  },
  {
    case: 'subagent',
    expected: {
      outcome: 'completed',
      text: 'main done',
      toolsRan: 2,
      anchors: 2,
      costUsd: 0.00146,
    },
  },
  {
    case: 'parallel-tools',
    expected: {
      outcome: 'completed',
      text: 'both\n\none two',
      tools: ['Bash', 'Bash'],
      anchors: 5,
      costUsd: 0.00073,
    },
  },
  ...Object.entries({
    'error-400': 'bad-request',
    'error-401': 'auth',
    'error-404': 'model-not-found',
    'error-429': 'rate-limit',
    'error-529': 'overload',
    'error-credit': 'credit',
    'error-network': 'network',
    'error-too-long': 'too-long',
  }).map(([name, failure]) => ({
    case: name,
    exit: { code: 1 },
    expected: { outcome: `failed/${failure}`, text: '', anchors: 0 },
  })),
  {
    case: 'limit-near',
    expected: { outcome: 'completed', text: 'ok', events: ['limit'] },
  },
  {
    case: 'limit-reached',
    exit: { code: 1 },
    expected: { outcome: 'failed/usage-limit', text: '', events: ['limit'] },
  },
]

const OLDER: readonly Row[] = [
  {
    case: 'background-task',
    expected: { outcome: 'completed', text: 'main done', toolsRan: 1, costUsd: 0.0469675 },
  },
  {
    case: 'compacted',
    continues: 'resume',
    expected: { outcome: 'completed', text: 'MOCK-OK: next turn please', events: ['compacted'] },
  },
  { case: 'deferred', expected: { outcome: 'completed', text: '', tools: ['Bash'] } },
  {
    case: 'max-turns',
    exit: { code: 1 },
    expected: { outcome: 'failed/max-turns', text: '', toolsRan: 1 },
  },
  {
    case: 'max-budget',
    exit: { code: 1 },
    expected: { outcome: 'failed/budget', text: '', toolsRan: 2 },
  },
  { case: 'interrupted-api', expected: { outcome: 'interrupted/no-result', text: '' } },
  {
    case: 'interrupted-api',
    exit: { code: null, signal: 'SIGTERM', endedBy: 'cancelled' },
    expected: { outcome: 'cancelled/cancelled', text: '' },
  },
  { case: 'interrupted-tool', expected: { outcome: 'interrupted/agent-crashed', text: '' } },
  {
    case: 'killed-tool',
    exit: { code: null, signal: 'SIGKILL' },
    expected: { outcome: 'interrupted/agent-crashed', text: '', tools: ['Bash'], toolsRan: 1 },
  },
  {
    case: 'killed-tool',
    exit: { code: null, signal: 'SIGKILL', endedBy: 'silent' },
    expected: { outcome: 'interrupted/silent', text: '', toolsRan: 1 },
  },
  {
    case: 'repeated-529',
    exit: { code: 1 },
    expected: { outcome: 'failed/overload', text: '', events: ['retry'] },
  },
  {
    case: 'fallback',
    exit: { code: 1 },
    expected: { outcome: 'failed/overload', text: '', events: ['retry', 'notice'] },
  },
  { case: 'refusal', exit: { code: 1 }, expected: { outcome: 'failed/refusal', text: 'I cannot' } },
  {
    case: 'whole-messages',
    expected: { outcome: 'completed', text: 'MOCK-OK: hello there', costUsd: 0.11538 },
  },
  {
    case: 'whole-tool',
    expected: { outcome: 'completed', text: 'I will run it\n\ndone', tools: ['Bash'], toolsRan: 1 },
  },
  {
    case: 'whole-subagent',
    expected: { outcome: 'completed', text: 'main done', tools: ['Agent', 'Bash'] },
  },
  {
    case: 'whole-thinking',
    expected: { outcome: 'completed', text: 'thought', events: ['thinking'] },
  },
]

const NEWER: readonly Row[] = [
  {
    case: 'refusal',
    exit: { code: 1 },
    expected: { outcome: 'failed/refusal', text: 'I cannotI cannot' },
  },
]

function caseOf(version: string, row: Row): AdapterCase {
  const stream = readFileSync(join(RECORDINGS, version, `${row.case}.jsonl`), 'utf8')
  const announced = /"subtype":"init"[^\n]*?"session_id":"([^"]+)"/.exec(stream)?.[1] ?? null
  const id = row.otherId || announced === null ? UNKNOWN_ID : announced
  const variant = [row.otherId && 'another id asked', row.exit?.endedBy, row.exit?.signal]
  return {
    name: [version, row.case, row.continues, ...variant].filter(Boolean).join(' '),
    runtime: {
      agent: 'claude-code',
      executable: 'claude',
      version,
      abilities: {
        resume: true,
        fork: true,
        forkAtMessage: true,
        chooseSessionId: true,
        resumeAcrossWorkDirs: false,
      },
      quirks: quirksOf(version),
      warning: null,
      fingerprint: version,
    },
    stream,
    continuation:
      row.continues === 'fork'
        ? { kind: 'fork', from: UNKNOWN_ID, at: UNKNOWN_ID, sessionId: id }
        : { kind: row.continues ?? 'new', sessionId: id },
    ...(row.exit && { exit: row.exit }),
    expected: { sessionId: announced, ...row.expected },
  }
}

await adapterConformance('claude-code', claudeCodeAdapter, [
  ...[...BOTH, ...OLDER].map(row => caseOf('2.1.197', row)),
  ...[...BOTH, ...NEWER].map(row => caseOf('2.1.325', row)),
])
