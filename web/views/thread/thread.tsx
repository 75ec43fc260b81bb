// A thread: its conversation by turns, its sessions, its runs; and on the right why a run continued as it did.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { ThreadDetails } from '../../../src/api.ts'
import { OPEN_STATUSES } from '../../../src/core/run/run.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { costOfRuns, counted, estimate } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FactLink } from '../../parts/fact-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { View } from '../../shell/view.tsx'
import { RunPane } from '../run/run-pane.tsx'
import { Conversation } from './conversation.tsx'
import { ImportedNote } from './imported-note.tsx'
import { Lineage } from './lineage.tsx'
import { RunsOfThread } from './runs-of-thread.tsx'

export function Thread({ id }: { readonly id: string }) {
  const { value, error, refresh } = useResource(
    `thread ${id}`,
    async () => (await reprise.threads.get(id)).show(),
    [`thread:${id}`],
  )
  if (value === undefined) {
    return (
      <View title="Thread">
        {error ? (
          <Trouble error={error} retry={refresh} list={['Show all threads', '/threads']} />
        ) : (
          <Skeleton rows={6} />
        )}
      </View>
    )
  }
  return <LoadedThread thread={value} />
}

function LoadedThread({ thread }: { readonly thread: ThreadDetails }) {
  const filters = useFilters()
  const tab = filters.get('tab') ?? 'conversation'
  const runId = filters.get('run')
  const closePane = () => filters.set({ run: undefined })
  useShortcut('Escape', 'Close the pane', runId === undefined ? null : closePane)
  const current = thread.runs.find(({ status }) => status === 'running' || status === 'waiting')
  const last = current ?? thread.runs.at(-1)
  const path = `/threads/${thread.id}`
  const saved = thread.runs.reduce((sum, { savings }) => sum + (savings?.savedUsd ?? 0), 0)
  const turns = thread.messages.filter(({ role }) => role === 'user').length
  return (
    <View
      title={thread.title ?? thread.id}
      onRename={title => reprise.threads.rename(thread.id, title)}
      beside={last && <Status status={last.status} />}
      actions={<ThreadActions thread={thread} runId={current?.id ?? null} />}
    >
      <p class="fact-bar">
        <CopyId id={thread.id} />
        <b class="mono">{thread.workDir}</b>
        <span>{thread.agent}</span>
        <span>
          <b>{turns}</b> {turns === 1 ? 'turn' : 'turns'}
        </span>
        <span>
          cost <b>{costOfRuns(thread.costUsd, thread.runs)}</b>
        </span>
        {saved > 0 && (
          <span title="An estimate">
            saved <b>{estimate(saved, 'about ')}</b>
          </span>
        )}
        <Owner thread={thread} />
      </p>
      <ImportedNote thread={thread} />
      <Tabs
        label="Parts of the thread"
        tabs={[
          { href: path, name: 'Conversation', isOpen: tab === 'conversation' },
          {
            href: `${path}?tab=lineage`,
            name: 'Lineage',
            count: thread.sessions.length,
            isOpen: tab === 'lineage',
          },
          {
            href: `${path}?tab=runs`,
            name: 'Runs',
            count: thread.runs.length,
            isOpen: tab === 'runs',
          },
        ]}
      />
      <div class="with-pane">
        {tab === 'lineage' && <Lineage thread={thread} />}
        {tab === 'runs' && <RunsOfThread runs={thread.runs} />}
        {tab === 'conversation' && <Conversation thread={thread} />}
        {runId !== undefined && <RunPane key={runId} runId={runId} onClose={closePane} />}
      </div>
    </View>
  )
}

/** A thread of a chain or a job leads to its owner, a fork to the thread that it was forked from. */
function Owner({ thread }: { readonly thread: ThreadDetails }) {
  const run = thread.runs.find(({ chainId, jobId }) => chainId ?? jobId)
  if (run?.chainId) return <FactLink name="chain" path="/chains/" id={run.chainId} />
  if (run?.jobId) return <FactLink name="job" path="/jobs/" id={run.jobId} />
  if (thread.forkedFrom === null) return null
  return <FactLink name="forked from" path="/threads/" id={thread.forkedFrom} />
}

function ThreadActions({
  thread,
  runId,
}: {
  readonly thread: ThreadDetails
  readonly runId: string | null
}) {
  const { act } = useAct()
  const { route } = useLocation()
  const [isAsking, ask] = useState(false)
  const stop = () => {
    if (runId !== null) void act(() => reprise.runs.cancel(runId), 'Stopped.')
  }
  useShortcut('s', 'Stop the run', runId === null ? null : stop)
  const isBusy = thread.runs.some(({ status }) => OPEN_STATUSES.includes(status))
  const remove = async () => {
    await act(async () => {
      await (await reprise.threads.get(thread.id)).remove()
      // Before the views are read again: this one would ask for a thread that is gone.
      route('/threads')
    }, 'Removed.')
  }
  return (
    <>
      {runId !== null && (
        <Button onClick={stop} keys="S" scope="submit">
          <Icon name="stop" />
          Stop
        </Button>
      )}
      <Button
        kind="quiet"
        scope="submit"
        onClick={() => ask(true)}
        whyNot={isBusy ? 'A run is under way or waits: stop it first.' : null}
      >
        Remove…
      </Button>
      {isAsking && (
        <Dialog title="Remove this thread?" onClose={() => ask(false)}>
          <p>
            Its {counted(thread.messages.length, 'message')} and{' '}
            {counted(thread.runs.length, 'run')} are deleted. The agent's own session files stay.
          </p>
          <footer>
            <Button kind="danger" onClick={remove} scope="submit">
              Remove
            </Button>
            <Button onClick={() => ask(false)}>Keep it</Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}
