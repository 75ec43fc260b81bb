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

/** By the list of threads: a thread itself would bring all its messages. */
export function useThreadTitle(threadId: string | null): string | null {
  const found = useResource(threadId === null ? null : `title ${threadId}`, () =>
    reprise.threads.list({ text: threadId ?? '', limit: 1 }),
  ).value
  return found?.[0]?.title ?? null
}

/** The title of its thread; else the task of its chain or job. */
export function useRunTitle({ threadId, chainId, jobId }: Run): string | null {
  const title = useThreadTitle(threadId)
  const owner = chainId ?? jobId
  const task = useResource(title !== null || owner === null ? null : `task ${owner}`, async () =>
    chainId === null
      ? (await reprise.jobs.get(jobId ?? '')).prompt
      : (await reprise.chains.get(chainId)).prompt,
  ).value
  return title ?? task ?? null
}
