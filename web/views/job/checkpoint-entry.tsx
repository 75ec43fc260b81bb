// A checkpoint of the work dir: what changed up to it, and a way back to it.
import { useState } from 'preact/hooks'
import type { JobCheckpoint } from '../../../src/api.ts'
import { diffOfPatch } from '../../../src/core/calls/diff-lines.ts'
import type { FileDiff } from '../../../src/core/job/file-diff.ts'
import { Diff } from '../../content/diff.tsx'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { clockTime, counted } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'

type CheckpointProps = {
  readonly jobId: string
  readonly checkpoint: JobCheckpoint
  /** The attempt before or after which it was taken. */
  readonly attempt: number
  readonly line: string
  /** An attempt of the job is running. */
  readonly isRunning: boolean
}

export function CheckpointEntry(props: CheckpointProps) {
  const { jobId, checkpoint, attempt, line, isRunning } = props
  const filters = useFilters()
  const { act } = useAct()
  const [isRestoring, setRestoring] = useState(false)
  const { number, kind, at, head } = checkpoint
  const isOpen = filters.get('diff') === String(number)
  const place = kind === 'safety' ? 'before files were restored' : `${kind} attempt ${attempt}`
  return (
    <li class="checkpoint">
      <div class="checkpoint-head">
        <span class={line}>
          <Icon name="checkpoint" />
        </span>
        <span>
          <b>Checkpoint {number}</b>{' '}
          <span class="meta">
            {place}, {clockTime(at)}
          </span>
          {head.commit !== null && (
            <span class="meta">
              {' '}
              at <span class="mono">{head.commit.slice(0, 7)}</span>
              {head.branch === null ? '' : ` of ${head.branch}`}
            </span>
          )}
        </span>
        <span class="end">
          <Button
            kind="quiet"
            expanded={isOpen}
            onClick={() => filters.set({ diff: isOpen ? undefined : String(number) })}
          >
            {isOpen ? 'Hide diff' : 'Show diff'}
          </Button>
          <Button
            kind="quiet"
            scope="submit"
            whyNot={isRunning ? WHILE_IT_RUNS : null}
            onClick={() => setRestoring(true)}
          >
            Restore…
          </Button>
        </span>
      </div>
      {isOpen && <CheckpointDiff jobId={jobId} number={number} />}
      {isRestoring && (
        <Confirm
          title={`Restore checkpoint ${number}?`}
          verb="Restore files and thread"
          onClose={() => setRestoring(false)}
          onConfirm={() =>
            void act(
              async () => reprise.jobs.restore(jobId, number),
              `The work dir is as it was at checkpoint ${number}.`,
            )
          }
        >
          Files of the work dir and the thread of the job become as they were {place}. The files as
          they are now are kept in a checkpoint of their own first, so you can go back. The next
          attempt continues from here.
        </Confirm>
      )}
    </li>
  )
}

const WHILE_IT_RUNS =
  'An attempt is running, and its agent changes these files. Cancel the job first, or wait for its end.'
const MOST_FILES = 20

function CheckpointDiff({ jobId, number }: { readonly jobId: string; readonly number: number }) {
  const { value, error, refresh } = useResource(`diff ${jobId} ${number}`, () =>
    reprise.jobs.diff(jobId, number),
  )
  const [isWhole, showAll] = useState(false)
  if (error) return <Trouble error={error} retry={refresh} />
  if (!value) return <Skeleton rows={2} />
  const shown = isWhole ? value.files : value.files.slice(0, MOST_FILES)
  const from = value.from === null ? 'the commit that HEAD was at' : `checkpoint ${value.from}`
  return (
    <div class="checkpoint-diff">
      <p class="meta">
        {counted(value.files.length, 'file')} changed since {from}
        {value.truncated && '; some were left out, because there are too many or they are too long'}
      </p>
      {shown.map(file => (
        <FileShown key={file.path} file={file} />
      ))}
      {shown.length < value.files.length && (
        <p>
          <Button onClick={() => showAll(true)}>Show all {value.files.length} files</Button>
        </p>
      )}
    </div>
  )
}

function FileShown({ file: { path, status, patch } }: { readonly file: FileDiff }) {
  if (patch === null) {
    return (
      <p>
        <span class="mono">{path}</span>{' '}
        <span class="meta">{status}; binary, or too long to show</span>
      </p>
    )
  }
  return <Diff path={path} lines={diffOfPatch(patch)} />
}
