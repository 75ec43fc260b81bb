// A job that gave up: why, and whether to try again or to remove it.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Job } from '../../../src/core/job/job.ts'
import { stepWords } from '../../../src/core/job/retry-words.ts'
import { sentence, useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { ItemFrame, type ItemProps } from './item.tsx'

type Props = ItemProps & { readonly job: Job; readonly since: number }

export function JobItem({ job, since, ...item }: Props) {
  const { act } = useAct()
  const [isRemoving, setRemoving] = useState(false)
  const done = async (action: () => Promise<unknown>, words: string) => {
    if (await act(action, words)) item.onDone()
  }
  const retry = (resume: boolean) =>
    void done(() => reprise.jobs.retry(job.id, { resume }), 'The job is back in the queue.')
  useShortcut('r', 'Retry the job', item.isFocused ? () => retry(true) : null)
  const keys = (key: string) => (item.isFocused ? { keys: key } : {})
  return (
    <ItemFrame
      {...item}
      icon="dead"
      hue="bad"
      kind="Job gave up"
      since={since}
      title={job.prompt.split('\n')[0]?.slice(0, 160) ?? job.id}
      href={`/jobs/${job.id}`}
      where={<WhereOfJob job={job} />}
    >
      <p class="muted">{job.step === null ? '' : sentence(stepWords(job.step))}</p>
      <div class="form-actions">
        <Button
          kind={item.isFocused ? 'filled' : 'plain'}
          scope="submit"
          onClick={() => retry(true)}
          {...keys('R')}
        >
          Retry
        </Button>
        <Button scope="submit" onClick={() => retry(false)}>
          Retry in a new session
        </Button>
        <Button kind="danger" scope="submit" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
        <Button kind="quiet" onClick={item.onDismiss}>
          Dismiss
        </Button>
        <a class="button quiet" href={`/jobs/${job.id}`}>
          Open job
        </a>
      </div>
      {isRemoving && (
        <Confirm
          title="Remove this job?"
          verb="Remove job"
          onClose={() => setRemoving(false)}
          onConfirm={() => void done(() => reprise.jobs.remove(job.id), 'The job is removed.')}
        >
          Its thread and its checkpoints are removed with it. Files of the work dir stay as they
          are.
        </Confirm>
      )}
    </ItemFrame>
  )
}

function WhereOfJob({ job }: { readonly job: Job }) {
  return (
    <Fragment>
      <dt>Job</dt>
      <dd>
        <a class="link mono" href={`/jobs/${job.id}`}>
          {job.id}
        </a>
      </dd>
      <dt>Agent</dt>
      <dd>{job.agent}</dd>
      <dt>Work dir</dt>
      <dd class="mono">{job.workDir}</dd>
    </Fragment>
  )
}
