// The page about decisions, from the words of the core: actions, guards, reasons.
import { GUARDS, type Reason } from '../src/core/decide/decision.ts'
import {
  ACTION_WORDS,
  GUARD_WORDS,
  NATIVE_WORDS,
  PROMPT_BECAUSE,
  reasonWords,
  shortReason,
} from '../src/core/decide/explain.ts'
import { DEFAULT_RESUME } from '../src/core/decide/settings.ts'

/** One of each: a new reason without an example does not compile. */
const EXAMPLES: { readonly [Code in Reason['code']]: Extract<Reason, { code: Code }> } = {
  'agent-cannot-resume': { code: 'agent-cannot-resume', agent: 'claude-code' },
  'resume-off': { code: 'resume-off' },
  'fresh-asked': { code: 'fresh-asked' },
  'first-turn': { code: 'first-turn' },
  'no-session': { code: 'no-session', agent: 'claude-code' },
  'tier-agent-changed': {
    code: 'tier-agent-changed',
    tier: 2,
    was: 'claude-code',
    now: 'codex',
  },
  'session-unconfirmed': { code: 'session-unconfirmed', sessionId: '5b2f…' },
  'session-retired': {
    code: 'session-retired',
    sessionId: '5b2f…',
    because: { code: 'never-persisted' },
  },
  'history-changed': { code: 'history-changed', shared: 2, seen: 6 },
  'foreign-turns': { code: 'foreign-turns', messages: 4, shared: 2 },
  'directory-changed': { code: 'directory-changed', was: '/srv/shop', now: '/srv/shop-2' },
  'runtime-changed': {
    code: 'runtime-changed',
    was: '/usr/bin/claude 2.1.197',
    now: '/usr/bin/claude 2.1.325',
  },
  'session-too-old': { code: 'session-too-old', ageMs: 100 * 3_600_000, maxAgeMs: 86_400_000 },
  'resumes-fruitless': { code: 'resumes-fruitless', count: 3, max: 3 },
  'context-full': { code: 'context-full', tokens: 170_000, window: 200_000, threshold: 0.8 },
  'file-missing': { code: 'file-missing', path: '~/.claude/projects/-srv-shop/5b2f….jsonl' },
  'file-damaged': {
    code: 'file-damaged',
    path: '~/.claude/projects/-srv-shop/5b2f….jsonl',
    detail: 'its last line is not whole',
  },
  'tier-entered': { code: 'tier-entered', tier: 2 },
  'caller-asked': { code: 'caller-asked' },
  'carried-over': { code: 'carried-over', way: 'trimmed' },
  'session-busy': { code: 'session-busy', holder: 'run_k3x9…' },
  'fact-unknown': {
    code: 'fact-unknown',
    guard: 'context-fill',
    question: 'how full the context is',
  },
  'resume-refused': {
    code: 'resume-refused',
    sessionId: '5b2f…',
    detail: 'no conversation found',
  },
}

export function decisionsPage(): string {
  return `# How a turn continues

<!-- Made by \`npm run docs\` from src/core. Do not edit. -->

Facts go in, one decision comes out: \`facts → guards → decision → run\`. Reprise asks every guard every time, so that
\`reprise why RUN\` shows what each one saw, not only the first that said no.

## Actions

| action | what happens |
| --- | --- |
${Object.entries(ACTION_WORDS).flatMap(actionRows).join('\n')}

## Guards

| guard | question | if not |
| --- | --- | --- |
${GUARDS.map(guard => {
  const { question, ifNot } = GUARD_WORDS[guard]
  return `| \`${guard}\` | ${question} | ${ifNot} |`
}).join('\n')}

A replay is a session file that Reprise writes, where the agent takes one: the conversation with its roles, its calls and their results, which the agent
then continues; the prompt is the new message alone, and no text in the conversation can pass for a turn. It is made from the
store, which keeps 4,000 characters of an output at most. Outputs of more than 1,000 characters are cut, and say where what the store keeps of them can be read and whether that is all, unless \`carry: whole\`
asks for it in the session itself. Before the agent starts, the file gets the check that every session file gets before a resume. The decision records \`form: native\`. It records
\`form: prompt\`, and in \`formBecause\` why, where the transcript is in front of the prompt:

| formBecause | why |
| --- | --- |
${Object.entries(PROMPT_BECAUSE)
  .map(([code, words]) => `| \`${code}\` | ${words} |`)
  .join('\n')}

A guard that cannot know the answer counts as a no with \`whenUnknown: replay\` (the default), and as a yes with \`resume\`.

## Reasons

Every decision but \`resume\` names one, with the data that proves it. Tables show the short form.

| reason | for example | in a table |
| --- | --- | --- |
${Object.values(EXAMPLES)
  .map(reason => `| \`${reason.code}\` | ${reasonWords(reason)} | ${shortReason(reason)} |`)
  .join('\n')}

## Settings and their defaults

| resume setting | default |
| --- | --- |
${Object.entries(DEFAULT_RESUME)
  .map(([setting, value]) => `| \`${setting}\` | \`${value}\` |`)
  .join('\n')}
`
}

/** A replay has two forms, each with its own words. */
function actionRows([action, words]: readonly [string, string]): readonly string[] {
  if (action !== 'replay') return [`| \`${action}\` | ${words} |`]
  return [
    `| \`replay\`, \`form: native\` | ${NATIVE_WORDS.past} |`,
    `| \`replay\`, \`form: prompt\` | ${words} |`,
  ]
}
