// What is shown of each agent on its real program. The tests run by this table, and docs/agents.md prints it.
import type { SessionEvidence } from '../../src/core/conversation/session.ts'
import type { FailureClass } from '../../src/core/run/run.ts'
import { type ScriptedReply, toolReply } from '../../src/testing/index.ts'

/** How a turn continues: with the agent's own session, with a copy of it, or with the transcript in a new one. */
export type Way = 'resume' | 'fork' | 'replay'

export type Proven = {
  readonly agent: string
  /** How Reprise talks to it. */
  readonly way: 'ACP' | 'native'
  /** What proves that it saved the first turn, and the second. */
  readonly evidence: readonly [SessionEvidence, SessionEvidence]
  /** The second turn of a thread. */
  readonly second: Way
  /** The turn after one whose process was killed in the middle. */
  readonly afterKill: Way
  /** The turn after one whose process was killed in the middle, when that was the first of the thread. */
  readonly afterFirstKill: Way
  /** The turn after an earlier prompt was edited. */
  readonly afterEdit: Way
  /** The turn after everything in its home directory was deleted. */
  readonly afterLoss: Way
  /** The turn after its thread came to another store in a thread file. */
  readonly afterImport: Way
  /** Whether the agent asks before it runs a command. */
  readonly asks: boolean
  /** What a run fails with when the model API answers with this status only. */
  readonly errors: Readonly<Record<401 | 429 | 500, FailureClass>>
  readonly tokens: 'reported' | 'not reported'
  readonly cost: 'reported' | 'not reported'
  /** The call that runs a command. */
  readonly command: (command: string) => ScriptedReply
  /** What must be known about a cell. */
  readonly notes?: Partial<Record<keyof Proven, string>>
}

/** An agent that tries again in silence is stopped by `limits.silenceMs`. */
const SILENT = { 401: 'auth', 429: 'silent', 500: 'silent' } as const

/** Only the agent can read its sessions, and it loads them. */
const LOADED = {
  way: 'ACP',
  evidence: ['word', 'protocol'],
  second: 'resume',
  afterKill: 'resume',
  afterFirstKill: 'replay',
  afterEdit: 'replay',
  afterLoss: 'replay',
  afterImport: 'replay',
} as const

const bash = (command: string) => toolReply('bash', { command, description: 'Writes' })

/** Its session file proves what it saved, and our copy of the file takes the place of a lost one. */
const IN_FILES = {
  way: 'native',
  evidence: ['file', 'file'],
  second: 'resume',
  afterKill: 'resume',
  afterFirstKill: 'resume',
  afterEdit: 'replay',
  afterLoss: 'resume',
  afterImport: 'resume',
} as const

const OUR_COPY = 'our copy of its file takes the place of the lost one'

export const PROVEN: readonly Proven[] = [
  {
    agent: 'claude-code',
    ...IN_FILES,
    afterEdit: 'fork',
    asks: true,
    errors: { 401: 'auth', 429: 'rate-limit', 500: 'server-error' },
    tokens: 'reported',
    cost: 'reported',
    command: command => toolReply('Bash', { command, description: 'Writes' }),
    notes: { afterLoss: OUR_COPY },
  },
  {
    agent: 'codex',
    ...IN_FILES,
    asks: false,
    errors: { 401: 'auth', 429: 'rate-limit', 500: 'overload' },
    tokens: 'reported',
    cost: 'not reported',
    command: cmd => toolReply('exec_command', { cmd }),
    notes: { afterLoss: OUR_COPY, asks: 'it runs commands in a sandbox of its own' },
  },
  {
    agent: 'pi',
    ...IN_FILES,
    afterFirstKill: 'replay',
    asks: false,
    errors: { 401: 'auth', 429: 'rate-limit', 500: 'server-error' },
    tokens: 'reported',
    cost: 'reported',
    command: bash,
    notes: { afterLoss: OUR_COPY, asks: 'it has the tools of its mode, and runs every call' },
  },
  {
    agent: 'opencode',
    ...LOADED,
    asks: true,
    errors: SILENT,
    tokens: 'reported',
    cost: 'reported',
    command: bash,
    notes: { tokens: 'only of turns without calls: it reports its last model request alone' },
  },
  {
    agent: 'gemini',
    ...LOADED,
    evidence: ['word', 'word'],
    second: 'replay',
    afterKill: 'replay',
    asks: true,
    errors: SILENT,
    tokens: 'reported',
    cost: 'not reported',
    command: command => toolReply('run_shell_command', { command, description: 'Writes' }),
    notes: { second: 'it repeats a loaded session after it has said that it was loaded' },
  },
  {
    agent: 'qwen',
    ...LOADED,
    asks: true,
    errors: SILENT,
    tokens: 'reported',
    cost: 'not reported',
    command: command => toolReply('run_shell_command', { command, is_background: false }),
  },
  {
    agent: 'copilot',
    ...LOADED,
    asks: true,
    errors: { 401: 'auth', 429: 'silent', 500: 'server-error' },
    tokens: 'reported',
    cost: 'not reported',
    command: bash,
  },
  {
    agent: 'kimi',
    ...LOADED,
    asks: true,
    errors: SILENT,
    tokens: 'not reported',
    cost: 'not reported',
    command: command => toolReply('Bash', { command }),
  },
  {
    agent: 'codex-acp',
    ...LOADED,
    asks: false,
    errors: { 401: 'auth', 429: 'rate-limit', 500: 'overload' },
    tokens: 'reported',
    cost: 'not reported',
    command: cmd => toolReply('exec_command', { cmd }),
    notes: { asks: 'it runs commands in a sandbox of its own' },
  },
  {
    agent: 'claude-agent-acp',
    ...LOADED,
    asks: true,
    errors: { 401: 'auth', 429: 'rate-limit', 500: 'server-error' },
    tokens: 'reported',
    cost: 'reported',
    command: command => toolReply('Bash', { command, description: 'Writes' }),
  },
  {
    agent: 'pi-acp',
    ...LOADED,
    asks: false,
    errors: { 401: 'unknown', 429: 'unknown', 500: 'unknown' },
    tokens: 'not reported',
    cost: 'not reported',
    command: bash,
    notes: {
      asks: 'it runs every command',
      errors: 'it calls such a turn ended and says nothing about the error',
    },
  },
]
