// How something stands: an icon, a word and a hue, for every status that there is.
import type { ChainStatus } from '../../src/core/chain/supervise.ts'
import type { QuestionState } from '../../src/core/conversation/question.ts'
import type { LifecycleState, PointerState } from '../../src/core/conversation/session.ts'
import type { JobStatus } from '../../src/core/job/job.ts'
import type { WorkerState } from '../../src/core/job/worker.ts'
import type { RunStatus } from '../../src/core/run/run.ts'
import { Icon, type IconName } from './icon.tsx'

export type AnyStatus =
  | RunStatus
  | JobStatus
  | ChainStatus
  | QuestionState
  | PointerState
  | LifecycleState
  | WorkerState
  | 'escalate'
  | 'broken off'

type Look = readonly [IconName, 'accent' | 'ok' | 'warn' | 'bad' | 'info' | 'muted']

/** A status without a look does not compile. */
const LOOKS: Record<AnyStatus, Look> = {
  queued: ['queued', 'muted'],
  running: ['running', 'accent'],
  waiting: ['waiting', 'warn'],
  parked: ['parked', 'warn'],
  completed: ['completed', 'ok'],
  failed: ['failed', 'bad'],
  interrupted: ['interrupted', 'warn'],
  cancelled: ['cancelled', 'muted'],
  dead: ['dead', 'bad'],
  resolved: ['resolved', 'ok'],
  exhausted: ['exhausted', 'bad'],
  held: ['held', 'warn'],
  'broken off': ['broken', 'warn'],
  escalate: ['escalate', 'info'],
  open: ['open', 'accent'],
  answered: ['completed', 'ok'],
  expired: ['expired', 'muted'],
  announced: ['announced', 'info'],
  confirmed: ['yes', 'ok'],
  retired: ['dead', 'bad'],
  created: ['announced', 'muted'],
  active: ['open', 'accent'],
  paused: ['parked', 'muted'],
  archived: ['archived', 'muted'],
  working: ['open', 'accent'],
  draining: ['parked', 'warn'],
  gone: ['broken', 'bad'],
}

type StatusProps = {
  readonly status: AnyStatus
  /** More words behind it: `running 41 s`. */
  readonly more?: string
  /** Shows the icon alone; the word is its name. */
  readonly iconOnly?: boolean
}

export function Status({ status, more, iconOnly = false }: StatusProps) {
  const [icon, hue] = LOOKS[status]
  const words = more === undefined ? status : `${status} ${more}`
  if (iconOnly) {
    return (
      <span class={`status ${hue}`} title={words}>
        <Icon name={icon} label={words} />
      </span>
    )
  }
  return (
    <span class={`status ${hue}`}>
      <Icon name={icon} />
      {words}
    </span>
  )
}
