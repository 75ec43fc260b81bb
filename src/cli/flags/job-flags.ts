// The flags of `reprise jobs submit`, and the request made from them.

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { JobRequest } from '../../api.ts'
import type { Carry } from '../../core/chain/carry.ts'
import type { Io } from '../start/io.ts'
import {
  type AgentFlags,
  addAgentFlags,
  addJsonFlag,
  agentOptionsOf,
  carryOption,
  parseCount,
  parseDollars,
} from './flags.ts'
import { parseLabels } from './labels.ts'
import { type PlaceFlags, workPlaceOf } from './place-flags.ts'
import {
  addRecurrenceFlags,
  parseDuration,
  type RecurrenceFlags,
  recurrenceOf,
} from './recurrence-flags.ts'

export type JobFlags = AgentFlags &
  PlaceFlags &
  RecurrenceFlags & {
    readonly timeout?: number
    readonly idleTimeout?: number
    readonly queueTimeout?: number
    readonly totalTimeout?: number
    readonly attempts?: number
    readonly backoff?: number
    readonly resume: boolean
    readonly onSideEffects?: 'brief' | 'stop'
    readonly carry?: Carry
    readonly checkpoints: boolean
    readonly label?: readonly string[]
    readonly concurrencyKey?: string
    readonly priority?: number
    readonly budget?: number
    readonly key?: string
    readonly wait?: true
  }

export function addJobFlags(command: Command): Command {
  const described = addAgentFlags(addJsonFlag(command), {
    who: 'the agent that works on the job (default: the agent of the config)',
    mode: 'how the agent treats permissions (default: a mode in which it asks nobody)',
  })
  return addRecurrenceFlags(
    described,
    'repeat the job in steps of this time, until you cancel it: 15m, 2h',
  )
    .option(
      '--timeout <time>',
      'the longest time of one attempt: 90s, 30m, 2h (default: 1h)',
      parseDuration,
    )
    .option(
      '--idle-timeout <time>',
      'the longest time without output of the agent (default: 15m)',
      parseDuration,
    )
    .option('--queue-timeout <time>', 'the longest time before the first attempt', parseDuration)
    .option('--total-timeout <time>', 'the longest time of the whole job', parseDuration)
    .option('--attempts <count>', 'how many attempts may fail (default: 3)', parseCount)
    .option(
      '--backoff <time>',
      'the pause after the first failure; it doubles each time (default: 10s)',
      parseDuration,
    )
    .option(
      '--no-resume',
      'start each attempt in a new session, with a list of what is already done',
    )
    .addOption(
      new Option(
        '--on-side-effects <how>',
        'when the session cannot be continued after tools ran: brief: start afresh with a list of what is done; stop (default: brief)',
      ).choices(['brief', 'stop']),
    )
    .addOption(
      carryOption('a further attempt gets of the conversation (default: as the config says)'),
    )
    .option('--no-checkpoints', 'take no checkpoints of the git work dir')
    .option(
      '--label <label>',
      'run only on workers that have this label; may be repeated',
      parseLabels,
    )
    .option('--concurrency-key <key>', 'jobs with the same key run one after the other')
    .addOption(
      new Option(
        '--priority <number>',
        'jobs with a higher priority run first (default: 0)',
      ).argParser(parsePriority),
    )
    .option(
      '--budget <usd>',
      'start no further attempt after the job has cost this many dollars',
      parseDollars,
    )
    .option('--key <key>', 'the job is created once, however often you submit it with this key')
    .option('--wait', 'wait until the job is over; without a daemon, this process works on it')
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
    onSideEffects: flags.onSideEffects,
    carry: flags.carry,
    checkpoints: flags.checkpoints ? undefined : ('off' as const),
    labels: flags.label,
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
    ...workPlaceOf(io, flags),
  }
  // Without a key, a repeated request would create two jobs.
  const key = flags.key ?? crypto.randomUUID()
  return { ...request, key: { key, request: JSON.stringify(request), note: '' } }
}

function parsePriority(text: string): number {
  const priority = Number(text)
  if (Number.isInteger(priority) && Math.abs(priority) <= 1_000) return priority
  throw new InvalidArgumentError('It must be a whole number from -1000 to 1000.')
}
