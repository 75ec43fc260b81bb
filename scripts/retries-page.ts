// The page about retries of jobs, from the rules of the core: what each failure leads to, and a day of nothing else.
import { DEFAULT_JOB_POLICY } from '../src/core/job/job-policy.ts'
import { TREATMENTS } from '../src/core/job/retry.ts'
import { type Day, simulateDay } from '../src/core/job/retry-day.ts'
import { HAPPENED, stopWords } from '../src/core/job/retry-words.ts'
import type { FailureClass } from '../src/core/run/run.ts'

const WORDS: Record<(typeof TREATMENTS)[FailureClass], string> = {
  stop: 'no retry',
  'stop-unless-resumed':
    'no retry; if it came from a resumed session, once more without that session',
  again: 'retry after a pause; counts as an attempt',
  outside: 'retry after a growing pause; counts as a wait',
  limit: 'parked until the limit ends, or for a growing pause; counts as a wait',
  cancel: 'the job is cancelled',
}

const CLASSES = (Object.keys(TREATMENTS) as FailureClass[]).filter(name => name !== 'cancelled')

export function retriesPage(): string {
  return `# How a job continues after a failure

<!-- Made by \`npm run docs\` from src/core. Do not edit. -->

An attempt that worked and did not finish counts against \`maxAttempts\` (${DEFAULT_JOB_POLICY.maxAttempts}). A failure from outside (an outage, a limit, a
restart) counts against \`maxWaits\` (${DEFAULT_JOB_POLICY.maxWaits}) instead. Pauses begin at ${seconds(DEFAULT_JOB_POLICY.backoff.firstMs)}, double without progress up to
${seconds(DEFAULT_JOB_POLICY.backoff.maxMs)}, and differ by up to ${DEFAULT_JOB_POLICY.backoff.jitter * 100} % so that many jobs do not come back at once. A job that has used up either count is
*dead*: it runs again only when somebody runs \`reprise jobs retry\`. A job that cannot succeed is *failed* at once.

| failure | what happened | then |
| --- | --- | --- |
${CLASSES.map(name => `| \`${name}\` | ${HAPPENED[name]} | ${WORDS[TREATMENTS[name]]} |`).join('\n')}

## A day of the same failure

Every attempt fails after 5 s, in the same way, for 24 hours, with the default policy and without jitter.

| failure | starts | waits | after the day |
| --- | --- | --- | --- |
${CLASSES.flatMap(rowsOf).join('\n')}
`
}

function rowsOf(name: FailureClass): readonly string[] {
  const policy = DEFAULT_JOB_POLICY
  if (name !== 'usage-limit') return [row(`\`${name}\``, simulateDay({ class: name, policy }))]
  return [
    row(
      '`usage-limit`, reset in 5 h',
      simulateDay({ class: name, policy, resetsAfterMs: 5 * 3_600_000 }),
    ),
    row('`usage-limit`, reset not known', simulateDay({ class: name, policy })),
  ]
}

function row(name: string, { starts, waitsMs, end }: Day): string {
  return `| ${name} | ${starts} | ${waitWords(waitsMs)} | ${endWords(end)} |`
}

function waitWords(waitsMs: readonly number[]): string {
  if (waitsMs.length === 0) return '–'
  const first = waitsMs.slice(0, 3).map(seconds).join(', ')
  const longest = seconds(Math.max(...waitsMs))
  return waitsMs.length <= 3 ? first : `${first}, … (longest ${longest})`
}

function endWords(end: Day['end']): string {
  if (end === null) return 'it still waits'
  if (end.do === 'cancel') return 'cancelled'
  return `${end.as}: ${stopWords(end.reason)}`
}

function seconds(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 360_000) / 10} h`
}
