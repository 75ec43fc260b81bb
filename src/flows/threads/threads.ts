// Threads: the conversations that Reprise owns. An edit makes a new list of messages; their contents decide which sessions can go on.
import type { Thread, ThreadDetails, TurnOptions } from '../../api.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { hashOf } from '../../core/conversation/messages.ts'
import { withCounts } from '../../core/conversation/session.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { withVersions } from '../../core/conversation/versions.ts'
import type { RemovedCheckpoints } from '../../core/job/checkpoint-keeping.ts'
import { given } from '../../core/optional.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Run } from '../../core/run/run.ts'
import type { WorkPlace } from '../../core/run/workspace.ts'
import { RepriseError } from '../../errors.ts'
import type { Store } from '../../store/contract/store.ts'
import type { BranchChange } from '../../store/contract/threads.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { turnEvents } from '../follow/turn-events.ts'
import { JOB_QUEUE } from '../jobs/job-queue.ts'
import { removeCheckpointsOf } from '../jobs/remove-checkpoints.ts'
import type { LiveRuns } from '../queue/live-runs.ts'
import { startUnderWay, type TurnControl } from '../queue/under-way.ts'
import { removeOutputs } from '../sessions/tier-outputs.ts'
import { refuseForeign, sendTurn, type TurnRequest } from '../turn/send-turn.ts'
import { preWarm } from '../warm/pre-warm.ts'
import { checkedPlace } from '../workspaces/checked-place.ts'
import { copyKept } from '../workspaces/copy-kept.ts'
import { beforeRetried, positionOf, upTo } from './branch-cuts.ts'
import { checkedMessage, checkedTitle, checkedView, refuseBadCarry } from './check-input.ts'
import { unsentPrompt } from './foresee-turn.ts'
import { previewTurn } from './preview-turn.ts'

const RUNS_PER_PAGE = 1_000

export type NewThread = {
  readonly agent: string
  readonly place: WorkPlace
  readonly title: string | null
  readonly view: ThreadRecord['view']
  readonly trust: ThreadRecord['trust']
  readonly sandbox: ThreadRecord['sandbox']
  readonly carry?: NonNullable<ThreadRecord['carry']>
}

/** Gives the id of the thread; with a key that was used before, the id of the thread created then. */
export async function createThread(
  dependencies: Dependencies,
  { place, ...wanted }: NewThread,
  key?: RequestKey,
): Promise<string> {
  // Reports a missing agent now instead of at the first turn.
  await findAgent(dependencies, wanted.agent)
  const view = checkedView(wanted.view)
  refuseBadCarry(wanted.carry)
  const now = dependencies.clock.now()
  const id = dependencies.random.id('thr')
  const where = await checkedPlace(dependencies, place, id)
  const kind = 'chat' as const
  const times = { createdAt: now, updatedAt: now }
  const thread = {
    ...wanted,
    ...{ id, kind, ...where },
    ...{ view, forkedFrom: null, instructions: null },
    ...times,
  }
  return dependencies.store.createThread(thread, [], key)
}

export async function existingThread(
  dependencies: Dependencies,
  id: string,
): Promise<ThreadRecord> {
  const thread = await dependencies.store.thread(id)
  if (thread) return thread
  throw new RepriseError(
    'not-found',
    `there is no thread ${id}`,
    'Run `reprise threads` to see their ids.',
  )
}

export function threadHandle(
  id: string,
  ready: () => Promise<Dependencies>,
  live: LiveRuns,
): Thread {
  const record = async () => {
    const dependencies = await ready()
    return { dependencies, thread: await existingThread(dependencies, id) }
  }
  const own = async () => {
    const found = await record()
    refuseForeign(found.thread)
    return found
  }
  const start = (
    options: TurnOptions,
    ask: (dependencies: Dependencies) => Promise<Pick<TurnRequest, 'prompt' | 'branch'>>,
  ) =>
    startUnderWay(
      (control: TurnControl) =>
        live.during(async () => {
          const { dependencies, thread } = await own()
          const asked = await ask(dependencies)
          return sendTurn(dependencies, { thread, options, control, ...asked })
        }),
      (runId, over) => turnEvents(ready, runId, over),
      options.signal,
    )

  return {
    id,
    send: (prompt, options = {}) =>
      start(options, async dependencies => ({
        prompt,
        ...(await cutAfter(dependencies, id, options)),
      })),
    retry: (messageId, options = {}) =>
      start(options, dependencies => retryOf(dependencies, id, { messageId, ...given(options) })),
    show: async () => {
      const { dependencies, thread } = await record()
      return details(dependencies, thread)
    },
    edit: async (messageId, text) => edit((await own()).dependencies, id, { messageId, text }),
    truncate: async messageId => truncate((await own()).dependencies, id, messageId),
    select: async messageId => {
      const { dependencies, thread } = await own()
      const now = dependencies.clock.now()
      await dependencies.store.selectMessage({ threadId: id, messageId, now })
      return details(dependencies, { ...thread, updatedAt: now })
    },
    fork: async (options = {}) => {
      const { dependencies, thread } = await record()
      return threadHandle(await copyThread(dependencies, thread, given(options)), ready, live)
    },
    preview: async (options = {}) => {
      const { dependencies, thread } = await record()
      return previewTurn(dependencies, thread, options)
    },
    preWarm: (options = {}) =>
      live.during(async () => {
        const { dependencies, thread } = await own()
        return preWarm(dependencies, thread, options)
      }),
    endPreWarm: async ticket => {
      const { dependencies } = await own()
      return { ended: (await dependencies.warm?.endUnused(id, ticket)) ?? false }
    },
    remove: async () => {
      const { dependencies } = await record()
      return { id, checkpoints: await removeThread(dependencies, id) }
    },
  }
}

/** Removes a thread, our copies of its sessions and the checkpoints of its job. */
export async function removeThread(
  dependencies: Dependencies,
  id: string,
): Promise<readonly RemovedCheckpoints[]> {
  const sessions = await dependencies.store.sessions({ threadId: id })
  const job = await dependencies.store.jobOfThread(id)
  const cancelWork = job ? dependencies.engine.enlistCancel(JOB_QUEUE, job.id) : undefined
  await dependencies.store.removeThread(id, cancelWork)
  await dependencies.warm?.endThread(id)
  for (const session of sessions) {
    await dependencies.vault.remove(session)
    await dependencies.archive.remove(session)
  }
  await dependencies.workspaces.remove(id)
  await dependencies.vault.objects.remove(id)
  await removeOutputs(dependencies, id)
  if (job) await dependencies.vault.objects.remove(job.id)
  return job === null ? [] : removeCheckpointsOf(dependencies, job)
}

async function details({ store }: Dependencies, thread: ThreadRecord): Promise<ThreadDetails> {
  const [messages, versions, runs, sessions] = await Promise.all([
    store.branch(thread.id),
    store.versions(thread.id),
    allRuns(store, thread.id),
    store.sessions({ threadId: thread.id }),
  ])
  const costUsd = runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  const counted = sessions.map(withCounts)
  return {
    ...thread,
    messages: withVersions(messages, versions),
    runs: runs.toReversed(),
    sessions: counted,
    costUsd,
  }
}

/** Newest first. */
async function allRuns(store: Store, threadId: string): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (;;) {
    const last = runs.at(-1)
    const page = await store.listRuns({
      threadId,
      limit: RUNS_PER_PAGE,
      ...(last && { cursor: last.id }),
    })
    runs.push(...page)
    if (page.length < RUNS_PER_PAGE) return runs
  }
}

async function edit(
  dependencies: Dependencies,
  threadId: string,
  change: { messageId: string; text: string },
): Promise<Message> {
  const branch = await dependencies.store.branch(threadId)
  const index = positionOf(branch, threadId, change.messageId)
  const old = branch[index] as Message
  const content = { role: old.role, agent: old.agent, text: checkedMessage(change.text) }
  const edited: Message = {
    ...old,
    ...content,
    id: dependencies.random.id('msg'),
    hash: hashOf(content),
    createdAt: dependencies.clock.now(),
  }
  await replaceBranch(dependencies, threadId, { branch, messages: branch.with(index, edited) })
  return edited
}

async function truncate(
  dependencies: Dependencies,
  threadId: string,
  messageId: string,
): Promise<void> {
  const branch = await dependencies.store.branch(threadId)
  const index = positionOf(branch, threadId, messageId)
  await replaceBranch(dependencies, threadId, { branch, messages: branch.slice(0, index) })
}

type Retried = Pick<TurnOptions, 'key'> & { readonly messageId: string; readonly text?: string }

/** Retrying an answer sends its prompt again. A prompt that never ran is simply sent. */
async function retryOf(
  dependencies: Dependencies,
  threadId: string,
  { messageId, text, key }: Retried,
): Promise<Pick<TurnRequest, 'prompt' | 'branch'>> {
  // This retry was already stored under the same key: the branch is already cut.
  const kept = key ? await dependencies.store.findRequest(key) : null
  const asked = kept?.messageId ? await dependencies.store.message(kept.messageId) : null
  if (asked) return { prompt: asked.text }
  const branch = await dependencies.store.branch(threadId)
  const waiting = await unsentPrompt(dependencies, threadId, { branch, messageId })
  if (waiting) return { prompt: text ?? waiting.text }
  const { prompt, kept: messages } = beforeRetried(branch, threadId, messageId)
  const change = branchChange(dependencies, threadId, { branch, messages })
  return { prompt: text ?? prompt.text, branch: change }
}

/** Does not cut again if the turn was already stored under its key: the branch already holds it. */
async function cutAfter(
  dependencies: Dependencies,
  threadId: string,
  { after, key }: TurnOptions,
): Promise<Pick<TurnRequest, 'branch'>> {
  if (after === undefined || (key && (await dependencies.store.findRequest(key))?.runId)) return {}
  const branch = await dependencies.store.branch(threadId)
  const messages = upTo(branch, threadId, after)
  return { branch: branchChange(dependencies, threadId, { branch, messages }) }
}

export async function copyThread(
  dependencies: Dependencies,
  thread: ThreadRecord,
  options: { at?: string; title?: string },
): Promise<string> {
  const branch = await dependencies.store.branch(thread.id)
  const kept = options.at ? upTo(branch, thread.id, options.at) : branch
  const now = dependencies.clock.now()
  const id = dependencies.random.id('thr')
  const copies = kept.map(message => ({ ...message, id: dependencies.random.id('msg') }))
  const title = options.title === undefined ? thread.title : checkedTitle(options.title)
  const kind = 'chat' as const
  const forked = {
    ...thread,
    id,
    kind,
    title,
    ...(thread.workspace && { workDir: dependencies.workspaces.pathOf(id) }),
    forkedFrom: thread.id,
    createdAt: now,
    updatedAt: now,
  }
  if (thread.workspace) await copyKept(dependencies, thread, id)
  await dependencies.store.createThread(forked, copies)
  return id
}

type Branches = { readonly branch: readonly Message[]; readonly messages: readonly Message[] }

async function replaceBranch(
  dependencies: Dependencies,
  threadId: string,
  branches: Branches,
): Promise<void> {
  const change = branchChange(dependencies, threadId, branches)
  await dependencies.store.replaceBranch({ ...change, now: dependencies.clock.now() })
}

function branchChange(
  { random }: Dependencies,
  threadId: string,
  { branch, messages }: Branches,
): BranchChange {
  const expected = branch.map(message => message.id)
  return { threadId, branchId: random.id('brn'), expected, messages }
}
