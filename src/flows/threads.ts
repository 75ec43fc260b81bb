// Threads: the conversation we own. Edits make another list of messages; what a session may still be used for follows from content.
import type { Thread, ThreadDetails, TurnOptions } from '../api.ts'
import type { RemovedCheckpoints } from '../core/checkpoint-keeping.ts'
import { decide } from '../core/decide.ts'
import { explain } from '../core/explain.ts'
import type { Message } from '../core/messages.ts'
import { hashOf, viewOf } from '../core/messages.ts'
import type { Run } from '../core/run.ts'
import { withCounts } from '../core/session.ts'
import { RepriseError } from '../errors.ts'
import type { BranchChange, RequestKey, Store, ThreadRecord } from '../store/store.ts'
import { findAgent, inProject } from './agents.ts'
import { checkedPrompt, checkedView, checkedWorkDir } from './check-input.ts'
import { gather } from './gather.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'
import { removeCheckpointsOf } from './remove-checkpoints.ts'
import { refuseForeign, sendTurn, type TurnRequest } from './send-turn.ts'
import { startTurn, type TurnControl } from './turn.ts'

const RUNS_PER_PAGE = 1_000

export type NewThread = {
  readonly agent: string
  readonly workDir: string
  readonly title: string | null
  readonly view: ThreadRecord['view']
  readonly trust: ThreadRecord['trust']
  readonly sandbox: ThreadRecord['sandbox']
}

/** Gives its id; with a key that was used before, that of the thread created then. */
export async function createThread(
  parts: Parts,
  wanted: NewThread,
  key?: RequestKey,
): Promise<string> {
  // An agent that is not there is better told now than at the first turn.
  await findAgent(parts, wanted.agent)
  const view = checkedView(wanted.view)
  const workDir = await checkedWorkDir(parts, wanted.workDir)
  const now = parts.clock.now()
  const id = parts.random.id('thr')
  const kind = 'chat' as const
  const times = { createdAt: now, updatedAt: now }
  const thread = {
    ...wanted,
    ...{ id, kind, workDir, view, forkedFrom: null, instructions: null },
    ...times,
  }
  return parts.store.createThread(thread, [], key)
}

export async function existingThread(parts: Parts, id: string): Promise<ThreadRecord> {
  const thread = await parts.store.thread(id)
  if (thread) return thread
  throw new RepriseError(
    'not-found',
    `there is no thread ${id}`,
    'The list of threads has them all.',
  )
}

export function threadHandle(id: string, ready: () => Promise<Parts>, live: LiveRuns): Thread {
  const record = async () => {
    const parts = await ready()
    return { parts, thread: await existingThread(parts, id) }
  }
  const own = async () => {
    const found = await record()
    refuseForeign(found.thread)
    return found
  }
  const start = (
    options: TurnOptions,
    ask: (parts: Parts) => Promise<Pick<TurnRequest, 'prompt' | 'branch'>>,
  ) =>
    startTurn(
      (control: TurnControl) =>
        live.during(async () => {
          const { parts, thread } = await own()
          const asked = await ask(parts)
          return sendTurn(parts, live, { thread, options, control, ...asked })
        }),
      options.signal,
    )

  return {
    id,
    send: (prompt, options = {}) =>
      start(options, async parts => ({ prompt, ...(await cutAfter(parts, id, options)) })),
    retry: (messageId, options = {}) =>
      start(options, parts => retryOf(parts, id, { messageId, ...options })),
    show: async () => {
      const { parts, thread } = await record()
      return details(parts, thread)
    },
    edit: async (messageId, text) => edit((await own()).parts, id, { messageId, text }),
    truncate: async messageId => truncate((await own()).parts, id, messageId),
    fork: async (options = {}) => {
      const { parts, thread } = await record()
      return threadHandle(await fork(parts, thread, options), ready, live)
    },
    preview: async (options = {}) => {
      const { parts, thread } = await record()
      return preview(parts, thread, options)
    },
    remove: async () => {
      const { parts } = await record()
      return { id, checkpoints: await removeThread(parts, id) }
    },
  }
}

/** With everything of it that is elsewhere: our copies of sessions and the checkpoints of its job. */
export async function removeThread(
  parts: Parts,
  id: string,
): Promise<readonly RemovedCheckpoints[]> {
  const sessions = await parts.store.sessions({ threadId: id })
  const job = await parts.store.jobOfThread(id)
  await parts.store.removeThread(id)
  for (const session of sessions) await parts.vault.remove(session)
  return job === null ? [] : removeCheckpointsOf(parts, job)
}

async function details({ store }: Parts, thread: ThreadRecord): Promise<ThreadDetails> {
  const [messages, runs, sessions] = await Promise.all([
    store.branch(thread.id),
    allRuns(store, thread.id),
    store.sessions({ threadId: thread.id }),
  ])
  const costUsd = runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  const counted = sessions.map(withCounts)
  return { ...thread, messages, runs: runs.toReversed(), sessions: counted, costUsd }
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
  parts: Parts,
  threadId: string,
  change: { messageId: string; text: string },
): Promise<Message> {
  const branch = await parts.store.branch(threadId)
  const index = positionOf(branch, threadId, change.messageId)
  const old = branch[index] as Message
  const content = { role: old.role, agent: old.agent, text: checkedPrompt(change.text) }
  const edited: Message = {
    ...old,
    ...content,
    id: parts.random.id('msg'),
    hash: hashOf(content),
    createdAt: parts.clock.now(),
  }
  await replaceBranch(parts, threadId, { branch, messages: branch.with(index, edited) })
  return edited
}

async function truncate(parts: Parts, threadId: string, messageId: string): Promise<void> {
  const branch = await parts.store.branch(threadId)
  const index = positionOf(branch, threadId, messageId)
  await replaceBranch(parts, threadId, { branch, messages: branch.slice(0, index) })
}

type Retried = Pick<TurnOptions, 'key'> & { readonly messageId: string; readonly text?: string }

/** On an answer, its prompt is asked again. A prompt whose turn never came is simply sent. */
async function retryOf(
  parts: Parts,
  threadId: string,
  { messageId, text, key }: Retried,
): Promise<Pick<TurnRequest, 'prompt' | 'branch'>> {
  // Done before: the branch is as it should be, and the run is there.
  const kept = key ? await parts.store.answerTo(key) : null
  const asked = kept?.messageId ? await parts.store.message(kept.messageId) : null
  if (asked) return { prompt: asked.text }
  const branch = await parts.store.branch(threadId)
  const waiting = await unsentPrompt(parts, threadId, { branch, messageId })
  if (waiting) return { prompt: text ?? waiting.text }
  const index = positionOf(branch, threadId, messageId)
  const at = branch.findLastIndex((message, i) => i <= index && message.role === 'user')
  const prompt = branch[at]
  if (!prompt) {
    const what = `message ${messageId} has no prompt before it that could be asked again`
    throw new RepriseError('bad-input', what, 'Retry a message of the user, or send a new one.')
  }
  const change = branchChange(parts, threadId, { branch, messages: branch.slice(0, at) })
  return { prompt: text ?? prompt.text, branch: change }
}

/** A turn that was sent before with its key is there already: the branch has gone on with it. */
async function cutAfter(
  parts: Parts,
  threadId: string,
  { after, key }: TurnOptions,
): Promise<Pick<TurnRequest, 'branch'>> {
  if (after === undefined || (key && (await parts.store.answerTo(key))?.runId)) return {}
  const branch = await parts.store.branch(threadId)
  const messages = upTo(branch, threadId, after)
  return { branch: branchChange(parts, threadId, { branch, messages }) }
}

async function unsentPrompt(
  { store }: Parts,
  threadId: string,
  { branch, messageId }: { branch: readonly Message[]; messageId: string },
): Promise<Message | null> {
  if (branch.some(message => message.id === messageId)) return null
  if ((await store.threadOfMessage(messageId)) !== threadId) return null
  const message = await store.message(messageId)
  const run = message?.runId ? await store.run(message.runId) : null
  return run && run.startedAt === null ? message : null
}

async function fork(
  parts: Parts,
  thread: ThreadRecord,
  options: { at?: string; title?: string },
): Promise<string> {
  const branch = await parts.store.branch(thread.id)
  const kept = options.at ? upTo(branch, thread.id, options.at) : branch
  const now = parts.clock.now()
  const id = parts.random.id('thr')
  const copies = kept.map(message => ({ ...message, id: parts.random.id('msg') }))
  const title = options.title ?? thread.title
  const kind = 'chat' as const
  const forked = {
    ...thread,
    id,
    kind,
    title,
    forkedFrom: thread.id,
    createdAt: now,
    updatedAt: now,
  }
  await parts.store.createThread(forked, copies)
  return id
}

async function preview(parts: Parts, thread: ThreadRecord, options: TurnOptions) {
  const found = await findAgent(parts, options.agent ?? thread.agent)
  const workDir = await checkedWorkDir(parts, options.workDir ?? thread.workDir)
  const settings = await parts.settingsFor(workDir)
  const agent = inProject(found, settings)
  const whole = await parts.store.branch(thread.id)
  const branch = options.after === undefined ? whole : upTo(whole, thread.id, options.after)
  const { facts } = await gather(parts, {
    agent,
    threadId: thread.id,
    view: viewOf(branch, thread.view, agent.name),
    workDir,
    model: options.model ?? agent.model,
    freshSession: options.freshSession ?? false,
    resume: settings.resume,
  })
  return explain(decide(facts, settings.resume))
}

function upTo(branch: readonly Message[], threadId: string, messageId: string): readonly Message[] {
  return branch.slice(0, positionOf(branch, threadId, messageId) + 1)
}

function positionOf(branch: readonly Message[], threadId: string, messageId: string): number {
  const index = branch.findIndex(message => message.id === messageId)
  if (index >= 0) return index
  throw new RepriseError(
    'not-found',
    `there is no message ${messageId} on the branch of thread ${threadId}`,
    `Thread ${threadId} itself shows the messages that it has.`,
  )
}

type Branches = { readonly branch: readonly Message[]; readonly messages: readonly Message[] }

async function replaceBranch(parts: Parts, threadId: string, branches: Branches): Promise<void> {
  const change = branchChange(parts, threadId, branches)
  await parts.store.replaceBranch({ ...change, now: parts.clock.now() })
}

function branchChange(
  { random }: Parts,
  threadId: string,
  { branch, messages }: Branches,
): BranchChange {
  const expected = branch.map(message => message.id)
  return { threadId, branchId: random.id('brn'), expected, messages }
}
