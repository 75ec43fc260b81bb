// The log of a job, attempt by attempt, live. It follows the end until the reader scrolls away.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JobDetails } from '../../../src/api.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { useRunLog } from '../../feed/use-run-log.ts'
import { clockSeconds } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { jointOf } from '../../pictures/chain-picture.ts'
import { useShortcut } from '../../shell/shortcuts.ts'

/** Earlier attempts are on the pages of their runs. */
const MOST_ATTEMPTS = 5
const NEAR_END_PX = 24

export function JobLog({ job }: { readonly job: JobDetails }) {
  const [isFollowing, follow] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  const first = Math.max(0, job.attempts.length - MOST_ATTEMPTS)
  const toggle = () => follow(!isFollowing)
  useShortcut('l', 'Follow the log', toggle)
  const toEnd = () => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  }
  const onScroll = () => {
    const { current } = box
    if (!current) return
    follow(current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END_PX)
  }
  return (
    <section class="job-log" aria-label="Log">
      <header class="part-bar">
        <h2>Log</h2>
        {job.status === 'running' && (
          <span class="status accent">
            <Icon name="live" />
            live
          </span>
        )}
        <span class="end">
          <Button kind="quiet" keys="L" onClick={toggle}>
            {isFollowing ? 'Following' : 'Follow'}
          </Button>
        </span>
      </header>
      <div class="log-lines" ref={box} onScroll={onScroll} role="log" aria-label="Log" tabIndex={0}>
        {first > 0 && <p class="meta">Attempts 1 to {first} are on the pages of their runs.</p>}
        {job.attempts.slice(first).map((run, index) => (
          <AttemptLog key={run.id} run={run} number={first + index + 1} onChange={toEnd} />
        ))}
        {job.attempts.length === 0 && <p class="meta">Nothing was said yet.</p>}
      </div>
    </section>
  )
}

type AttemptLogProps = {
  readonly run: Run
  readonly number: number
  readonly onChange: () => void
}

const SESSION_WORDS = { same: 'same session', fork: 'fork of the session', new: 'new session' }

function AttemptLog({ run, number, onChange }: AttemptLogProps) {
  const { lines, leftOut } = useRunLog(run.id)
  // The end moves when lines come.
  useEffect(onChange, [lines])
  return (
    <>
      <h3 class="log-head">
        <span>
          Attempt {number}
          {number > 1 && run.decision ? `, ${SESSION_WORDS[jointOf(run.decision.action)]}` : ''}
        </span>
      </h3>
      {leftOut > 0 && (
        <p class="meta">
          {leftOut} earlier lines:{' '}
          <a class="link" href={`/runs/${run.id}`}>
            all events
          </a>
        </p>
      )}
      {lines.map(({ seq, at, kind, text }) => (
        <p key={seq} class={`log-line ${kind}`}>
          <span class="log-time">{clockSeconds(at)}</span>
          <span>{kind === 'bad' ? `× ${text}` : text}</span>
        </p>
      ))}
    </>
  )
}
