// Gives everything in a thread file new ids, so that nothing of it can meet what is here already. Pure, but for the source of ids.
import type { Message } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Run } from '../../core/run/run.ts'
import type { StoredEvent } from '../../core/run/stored-events.ts'
import type { Random } from '../../core/world.ts'
import type { ThreadContent } from '../../store/contract/thread-content.ts'

/** A session that can be continued here, under a new id of the agent. */
export type TakenSession = Pick<Session, 'id' | 'runtime'> & { readonly sessionId: string }

export type Renewal = {
  readonly content: ThreadContent
  event(event: StoredEvent): StoredEvent
}

/** Sessions that nobody continues here are left out. `thread` replaces what a file may not decide. */
export function renewIds(
  content: ThreadContent,
  {
    thread,
    taken,
    random,
  }: {
    readonly thread: ThreadContent['thread']
    readonly taken: readonly TakenSession[]
    readonly random: Pick<Random, 'id'>
  },
): Renewal {
  const renew = (
    prefix: 'msg' | 'run' | 'ses' | 'brn',
    items: readonly { readonly id: string }[],
  ) => new Map(items.map(({ id }) => [id, random.id(prefix)]))
  const messages = renew('msg', content.messages)
  const runs = renew('run', content.runs)
  const branches = renew('brn', content.branches)
  const takenById = new Map(taken.map(session => [session.id, session]))
  const kept = content.sessions.filter(({ id }) => takenById.has(id))
  const sessions = renew('ses', kept)
  const agentIds = new Map(
    kept.map(({ id, agent, sessionId }) => [`${agent} ${sessionId}`, takenById.get(id)?.sessionId]),
  )
  const found = (ids: ReadonlyMap<string, string>, id: string | null) =>
    id === null ? null : (ids.get(id) ?? null)
  const certain = (ids: ReadonlyMap<string, string>, id: string) => ids.get(id) ?? id

  const message = (old: Message): Message => ({
    ...old,
    id: certain(messages, old.id),
    runId: found(runs, old.runId),
  })
  const run = (old: Run): Run => ({
    ...old,
    id: certain(runs, old.id),
    threadId: thread.id,
    chainId: null,
    jobId: null,
    tier: null,
    parentRunId: found(runs, old.parentRunId),
    continuedBy: found(runs, old.continuedBy),
    promptMessageId: found(messages, old.promptMessageId),
    answerMessageId: found(messages, old.answerMessageId),
    processRunId: found(runs, old.processRunId),
    sessionId: agentIds.get(`${old.agent} ${old.sessionId}`) ?? null,
  })
  const session = (old: Session): Session => ({
    ...old,
    id: certain(sessions, old.id),
    sessionId: takenById.get(old.id)?.sessionId ?? old.sessionId,
    threadId: thread.id,
    forkedFrom: found(sessions, old.forkedFrom),
    workDir: thread.workDir,
    runtime: takenById.get(old.id)?.runtime ?? old.runtime,
    evidence: 'file',
    fruitlessResumes: 0,
    failedResumes: 0,
  })
  return {
    content: {
      thread,
      branchId: certain(branches, content.branchId),
      branches: content.branches.map(branch => ({
        ...branch,
        id: certain(branches, branch.id),
        messageIds: branch.messageIds.map(id => certain(messages, id)),
      })),
      messages: content.messages.map(message),
      runs: content.runs.map(run),
      prompts: content.prompts.map(prompt => ({ ...prompt, runId: certain(runs, prompt.runId) })),
      sessions: kept.map(session),
    },
    event: event => ({
      ...event,
      runId: certain(runs, event.runId),
      json: withRuns(event.json, runs),
    }),
  }
}

/** Events name the run that follows; everything else in them is what was said and done. */
function withRuns(json: string, runs: ReadonlyMap<string, string>): string {
  const body = JSON.parse(json) as Readonly<Record<string, unknown>>
  const changed = ['continuedBy', 'nextRunId'].flatMap(name => {
    const old = body[name]
    return typeof old === 'string' ? [[name, runs.get(old) ?? null] as const] : []
  })
  return changed.length === 0 ? json : JSON.stringify({ ...body, ...Object.fromEntries(changed) })
}
