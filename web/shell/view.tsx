// The frame of every view: its title in the bar and in the tab, its actions, and what it shows below.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { now } from '../data/clock.ts'
import { connection, reconnect } from '../feed/live.ts'
import { clockSeconds } from '../format.ts'
import { useInboxCount } from './inbox-count.ts'
import { Title } from './title.tsx'

type ViewProps = {
  readonly title: string
  /** The title can be changed in place. */
  readonly onRename?: (title: string) => Promise<unknown>
  /** Stands behind the title. */
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function View({ title, onRename, beside, actions, children }: ViewProps) {
  const waiting = useInboxCount() ?? 0
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Reprise`
  }, [title, waiting])
  return (
    <main class="view">
      <AwayBar />
      <header class="view-bar">
        <Title title={title} onRename={onRename} />
        {beside}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

/** What is shown stays; this says from when it is. */
function AwayBar() {
  const state = connection.value
  if (state.state !== 'away') return null
  return (
    <p class="away-bar" role="status">
      Reconnecting. What you see is from {clockSeconds(state.since)}; next try in{' '}
      {Math.max(0, Math.ceil((state.nextAt - now.value) / 1_000))} s.{' '}
      <button type="button" class="copy" onClick={reconnect}>
        Try now
      </button>
    </p>
  )
}
