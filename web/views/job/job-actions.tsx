// What a person can do with a job: cancel it, try it again, remove it, read its conversation.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { JobDetails } from '../../../src/api.ts'
import { OPEN_JOB_STATUSES } from '../../../src/core/job/job.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'

export function JobActions({ job }: { readonly job: JobDetails }) {
  const { id, status, threadId } = job
  const { act } = useAct()
  const { route } = useLocation()
  const [asks, setAsks] = useState<'cancel' | 'remove' | null>(null)
  const isOpen = OPEN_JOB_STATUSES.includes(status)
  const retry = (resume: boolean) =>
    void act(() => reprise.jobs.retry(id, { resume }), 'The job is back in the queue.')
  const remove = async () => {
    await act(async () => {
      await reprise.jobs.remove(id)
      // Before the views are read again: this one would ask for a job that is gone.
      route('/jobs')
    }, 'The job is removed.')
  }
  const isWaiting = status === 'waiting' || status === 'parked'
  useShortcut('r', 'Retry the job', isOpen && !isWaiting ? null : () => retry(true))
  useShortcut('c', 'Cancel the job', isOpen ? () => setAsks('cancel') : null)
  return (
    <>
      <a class="button" href={`/threads/${threadId}`}>
        Open thread
      </a>
      {isOpen && (
        <Button kind="danger" scope="submit" keys="C" onClick={() => setAsks('cancel')}>
          <Icon name="stop" />
          Cancel job
        </Button>
      )}
      {!isOpen && (
        <Button kind="danger" scope="submit" onClick={() => setAsks('remove')}>
          Remove…
        </Button>
      )}
      {(!isOpen || isWaiting) && (
        <>
          <Button scope="submit" onClick={() => retry(false)}>
            Retry in a new session
          </Button>
          <Button kind="filled" scope="submit" keys="R" onClick={() => retry(true)}>
            <Icon name="retry" />
            {isWaiting ? 'Retry now' : 'Retry'}
          </Button>
        </>
      )}
      {asks === 'cancel' && (
        <Confirm
          title="Cancel this job?"
          verb="Cancel job"
          onClose={() => setAsks(null)}
          onConfirm={() => void act(() => reprise.jobs.cancel(id), 'The job is cancelled.')}
        >
          An attempt that is going ends with all its processes. What it changed in the work dir
          stays; checkpoints can bring it back.
        </Confirm>
      )}
      {asks === 'remove' && (
        <Confirm
          title="Remove this job?"
          verb="Remove job"
          onClose={() => setAsks(null)}
          onConfirm={() => void remove()}
        >
          Its thread and its checkpoints are removed with it. Files of the work dir stay as they
          are.
        </Confirm>
      )}
    </>
  )
}
