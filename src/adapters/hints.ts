// What a person can do about each class of failure.
import type { FailureClass } from '../core/run/run.ts'

/** What helps here differs from agent to agent. */
type AgentHint = 'auth' | 'network' | 'credit'

export type Hints = Readonly<Record<FailureClass, string>>

export function hintsWith(own: {
  readonly auth: string
  readonly credit: string
  /** What to check besides the connection and the proxy settings. */
  readonly address: string
}): Hints {
  const network = `Check the connection, the proxy settings and ${own.address}, then ${AGAIN}.`
  return { ...HINTS, auth: own.auth, credit: own.credit, network }
}

/** The thread of a job or a chain takes no messages. */
const GO_ON =
  'Continue with `reprise send -t` (a job: `reprise jobs retry`, a chain: `reprise chains continue`)'
const AGAIN =
  'send the message again with `reprise threads retry` (a job retries by itself, a chain: `reprise chains continue`)'

const HINTS: Readonly<Record<Exclude<FailureClass, AgentHint>, string>> = {
  'resume-refused':
    'Nothing to do: the turn runs again in a new session with the conversation so far.',
  'anchor-missing':
    'Nothing to do: the turn runs again in a new session with the conversation so far.',
  'not-continued': 'Look at what was done, then run `reprise jobs retry` with the id of the job.',
  'usage-limit': `After the limit resets, ${AGAIN}, or use another account or model (\`--model\`).`,
  'rate-limit': `Wait a minute, then ${AGAIN}.`,
  overload: `The API is at capacity. In a few minutes, ${AGAIN}.`,
  'server-error': `The API had an error of its own. In a moment, ${AGAIN}.`,
  'bad-request':
    'Run `reprise runs show` and read the message: the agent does not accept the request or a setting.',
  'too-long': 'Shorten the message, or start with a fresh session (--fresh-session).',
  'model-not-found': 'Set a model that this account may use (--model).',
  refusal:
    'Say it differently (`reprise threads retry` takes a new text), or use another model (`--model`).',
  'max-turns': `${GO_ON}.`,
  budget: 'Raise the budget (`--budget`, `budgetUsd`), or continue in smaller steps.',
  'policy-violation':
    'Run `reprise chains show` to see what the agent did outside its tier, before anything else runs.',
  'spawn-failed': 'Run `reprise agents` to see whether the agent can be started.',
  'agent-crashed':
    'Run `reprise runs show` for the end of its error output, and `reprise agents` to check the agent.',
  'no-result': `What the agent did so far is kept: ${AGAIN}.`,
  'no-first-event':
    'Run `reprise agents` to check the agent. If it works, its session may be damaged: use `--fresh-session`.',
  silent: `${GO_ON}, or allow a longer silence (\`limits.silenceMs\`; a job: \`--idle-timeout\`).`,
  'too-slow': `${GO_ON}, or allow a longer run (\`limits.totalMs\`; a job: \`--timeout\`).`,
  'output-limit': 'Ask for less output at once in the next message: `reprise send -t`.',
  cancelled: `${GO_ON}.`,
  'supervisor-died': `${GO_ON}.`,
  shutdown: `${GO_ON}.`,
  unanswered: 'Say what you want in the next message: `reprise send -t`.',
  unknown: 'Run `reprise runs show` for the message and the end of the error output.',
}
