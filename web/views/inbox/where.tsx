// Where an item belongs: its thread or chain or job, its run, agent and work dir.
import { Fragment } from 'preact'
import type { Run } from '../../../src/core/run/run.ts'
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { shortId } from '../../format.ts'

/** The run that asked, with its thread: both are read once per item. */
export function WhereOfRun({ runId }: { readonly runId: string }) {
  const run = useResource(`run ${runId}`, () => reprise.runs.get(runId)).value
  return (
    <Fragment>
      {run && <Owner run={run} />}
      <dt>Run</dt>
      <dd>
        <a class="mono" href={`/runs/${runId}`}>
          {shortId(runId)}
        </a>
      </dd>
      {run && (
        <Fragment>
          <dt>Agent</dt>
          <dd>{run.agent}</dd>
          <dt>Work dir</dt>
          <dd class="mono">{run.workDir}</dd>
        </Fragment>
      )}
    </Fragment>
  )
}

function Owner({ run }: { readonly run: Run }) {
  const { threadId, chainId, jobId } = run
  const title = useRunTitle(run)
  const [kind, href] =
    chainId !== null
      ? ['Chain', `/chains/${chainId}`]
      : jobId !== null
        ? ['Job', `/jobs/${jobId}`]
        : ['Thread', `/threads/${threadId}`]
  if (threadId === null) return null
  return (
    <Fragment>
      <dt>{kind}</dt>
      <dd>
        <a class="link" href={href}>
          {title ?? shortId(threadId)}
        </a>
      </dd>
    </Fragment>
  )
}

/** By the list of threads: a thread itself would bring all its messages. `undefined` until it is read. */
export function useThreadTitle(threadId: string | null): string | null | undefined {
  const { value, error } = useResource(threadId === null ? null : `title ${threadId}`, () =>
    reprise.threads.list({ text: threadId ?? '', limit: 1 }),
  )
  const isRead = threadId === null || value !== undefined || error !== null
  return isRead ? (value?.[0]?.title ?? null) : undefined
}

/** The title of its thread; else the task of its chain or job; `null` when there is neither, `undefined` until it is read. */
export function useRunTitle({ threadId, chainId, jobId }: Run): string | null | undefined {
  const title = useThreadTitle(threadId)
  const owner = chainId ?? jobId
  const isAsked = title === null && owner !== null
  const { value: task, error } = useResource(isAsked ? `task ${owner}` : null, async () =>
    chainId === null
      ? (await reprise.jobs.get(jobId ?? '')).prompt
      : (await reprise.chains.get(chainId)).prompt,
  )
  if (isAsked && task === undefined && error === null) return undefined
  return title ?? task ?? title
}
