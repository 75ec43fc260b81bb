// The flags of `reprise jobs`, as commander hands them over.
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { JobRequest } from '../../api.ts'
import type { Io } from '../start/io.ts'
import {
  type AgentFlags,
  addAgentFlags,
  addJsonFlag,
  agentOptionsOf,
  parseCount,
  parseDollars,
} from './flags.ts'
import {
  addRecurrenceFlags,
  parseDuration,
  type RecurrenceFlags,
  recurrenceOf,
} from './recurrence-flags.ts'

export type JobFlags = AgentFlags &
  RecurrenceFlags & {
    readonly timeout?: number
    readonly idleTimeout?: number
    readonly queueTimeout?: number
    readonly totalTimeout?: number
    readonly attempts?: number
    readonly backoff?: number
    readonly resume: boolean
    readonly checkpoints: boolean
    readonly concurrencyKey?: string
    readonly priority?: number
    readonly budget?: number
    readonly key?: string
    readonly wait?: true
  }

export function addJobFlags(command: Command): Command {
  const described = addAgentFlags(addJsonFlag(command), {
    who: 'who works on it (default: the agent of the config)',
    mode: 'how the agent treats permissions (default: acceptEdits)',
  })
  return addRecurrenceFlags(described, 'again and again, until it is cancelled')
    .option('--timeout <time>', 'of one attempt: 90s, 30m, 2h (default: 1h)', parseDuration)
    .option('--idle-timeout <time>', 'without a word (default: 15m)', parseDuration)
    .option('--queue-timeout <time>', 'before the first attempt', parseDuration)
    .option('--total-timeout <time>', 'of the whole job', parseDuration)
    .option('--attempts <count>', 'how many attempts may fail (default: 3)', parseCount)
    .option('--backoff <time>', 'the first pause; it doubles (default: 10s)', parseDuration)
    .option('--no-resume', 'every attempt in a new session, with what is already done')
    .option('--no-checkpoints', 'keep no states of the git work dir')
    .option('--concurrency-key <key>', 'jobs of one key run one after the other')
    .addOption(new Option('--priority <number>', 'higher first').argParser(parsePriority))
    .option('--budget <usd>', 'dollars after which no further attempt starts', parseDollars)
    .option('--key <key>', 'submitted again with it, the job is the same job')
    .option('--wait', 'until it is over; without a daemon, this process works on it')
}

export function jobRequestOf(io: Io, prompt: string, flags: JobFlags): JobRequest {
  const named = {
    timeoutMs: flags.timeout,
    idleTimeoutMs: flags.idleTimeout,
    queueTimeoutMs: flags.queueTimeout,
    totalTimeoutMs: flags.totalTimeout,
    maxAttempts: flags.attempts,
    backoff: flags.backoff === undefined ? undefined : { firstMs: flags.backoff },
    resume: flags.resume ? undefined : ('never' as const),
    checkpoints: flags.checkpoints ? undefined : ('off' as const),
    concurrencyKey: flags.concurrencyKey,
    priority: flags.priority,
    schedule: recurrenceOf(flags),
    budgetUsd: flags.budget,
  }
  const given = Object.entries(named).filter(([, value]) => value !== undefined)
  const request: JobRequest = {
    ...agentOptionsOf(io, flags),
    ...Object.fromEntries(given),
    prompt,
    workDir: resolve(io.cwd, flags.cwd ?? '.'),
  }
  // Without one, a submission that is sent again would be two jobs.
  const key = flags.key ?? crypto.randomUUID()
  return { ...request, key: { key, request: JSON.stringify(request), note: '' } }
}

function parsePriority(text: string): number {
  const priority = Number(text)
  if (Number.isInteger(priority) && Math.abs(priority) <= 1_000) return priority
  throw new InvalidArgumentError('It must be a whole number from -1000 to 1000.')
}
