// Threads: create, find, change, remove.

import type { Message } from '../../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../../core/conversation/thread.ts'
import { RepriseError } from '../../../errors.ts'
import type { ThreadVerbs } from '../../contract/threads.ts'
import { inChunks } from '../../sql/chunks.ts'
import { type Database, read, type Sql, write } from '../../sql/dialect.ts'
import { lockThread } from '../../sql/locks.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { threadOf, workspaceColumns } from '../../sql/rows.ts'
import type { ThreadRow } from '../../sql/schema.ts'
import { join, sql } from '../../sql/statement.ts'
import { noteChange } from '../runs/changes.ts'
import { now as databaseNow, sessionResource, threadResource } from '../runs/leases.ts'
import { claimKey, keepAnswer } from '../runs/request-keys.ts'
import { openTransaction } from '../work/open-transaction.ts'
import { createBranch, refuseUnapproved, refuseWhileOpen, storeMessages } from './branches.ts'
import { countThreads, threadsLike } from './thread-list.ts'

export function threadVerbs(database: Database): ThreadVerbs {
  return {
    createThread: (thread, messages, key) =>
      write(database, async tx => {
        const earlier = key && (await claimKey(tx, key))
        if (earlier) return earlier.threadId
        if (thread.forkedFrom !== null) await refuseUnapproved(tx, thread.forkedFrom)
        await insertThread(tx, thread, messages)
        if (key) {
          const did = { threadId: thread.id, runId: null, messageId: null, at: thread.createdAt }
          await keepAnswer(tx, key, did)
        }
        return thread.id
      }),

    async thread(id) {
      const row = await firstOf(
        database,
        sql<ThreadRow>`
          select *
          from threads
          where id = ${id}
        `,
      )
      return row === undefined ? null : threadOf(row)
    },

    listThreads: query => read(database, tx => threadsLike(tx, query)),

    countThreads: filter => countThreads(database, filter),

    renameThread: ({ id, title, now }) =>
      write(database, async tx => {
        await lockThread(tx, id)
        const renaming = sql`update threads set title = ${title} where id = ${id}`
        const { changes } = await tx.execute(renaming)
        if (changes > 0) await noteChange(tx, { kind: 'thread', id, at: now })
        return changes > 0
      }),

    settleCommit: ({ threadId, commit }) =>
      write(database, async tx => {
        await lockThread(tx, threadId)
        await tx.execute(sql`
          update threads
          set repository_commit = ${commit}
          where id = ${threadId}
          and repository is not null
          and repository_commit is null
        `)
        const row = await firstOf(
          tx,
          sql<Pick<ThreadRow, 'repository_commit'>>`
            select repository_commit
            from threads
            where id = ${threadId}
          `,
        )
        return row?.repository_commit ?? null
      }),

    removeThread: (id, enlist) =>
      write(database, async tx => {
        await lockThread(tx, id)
        await refuseWhileOpen(tx, id)
        await refuseWhileWorkedOn(tx, id)
        const resources = await resourcesOf(tx, id)
        const owners = await ownersOf(tx, id)
        await enlist?.(openTransaction(tx))
        // Foreign keys delete everything that belongs to the thread.
        const { changes } = await tx.execute(sql`delete from threads where id = ${id}`)
        await tx.execute(sql`delete from leases where resource in (${join(resources)})`)
        if (changes === 0) return false
        const at = await databaseNow(tx)
        for (const gone of [{ kind: 'thread', id } as const, ...owners]) {
          await noteChange(tx, { ...gone, at })
        }
        return true
      }),

    async removedThreads(ids) {
      const removed: string[] = []
      for (const some of inChunks(ids)) {
        const rows = await rowsOf(
          database,
          sql<{ id: string }>`
            select id
            from changes
            where kind = 'thread'
            and id in (${join(some)})
            and not exists (select 1 from threads where threads.id = changes.id)
          `,
        )
        removed.push(...rows.map(({ id }) => id))
      }
      return removed
    },
  }
}

export async function insertThread(
  tx: Sql,
  thread: ThreadRecord,
  messages: readonly Message[],
): Promise<void> {
  await insertThreadRow(tx, thread)
  await storeMessages(tx, thread.id, messages)
  const branch = { id: thread.id, threadId: thread.id, messages, now: thread.createdAt }
  await createBranch(tx, branch)
  await noteChange(tx, { kind: 'thread', id: thread.id, at: thread.createdAt })
}

/** The thread alone; the caller adds its branch. */
export async function insertThreadRow(tx: Sql, thread: ThreadRecord): Promise<void> {
  await insertRows(tx, { table: 'threads' }, [
    {
      id: thread.id,
      kind: thread.kind,
      title: thread.title,
      agent: thread.agent,
      work_dir: thread.workDir,
      host: thread.host,
      ...workspaceColumns(thread.workspace),
      view: thread.view,
      forked_from: thread.forkedFrom,
      instructions: thread.instructions,
      trust: thread.trust,
      sandbox: thread.sandbox,
      carry: thread.carry ?? null,
      // The first branch of a thread has the thread's id.
      branch_id: thread.id,
      created_at: thread.createdAt,
      updated_at: thread.updatedAt,
    },
  ])
}

/** A job that is running may have no open run: before its first run, or between two runs of one attempt. */
async function refuseWhileWorkedOn(tx: Sql, threadId: string): Promise<void> {
  const running = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from jobs
      where thread_id = ${threadId}
      and status = 'running'
    `,
  )
  if (running === undefined) return
  const hint = `Wait for it, or cancel it first: reprise jobs cancel ${running.id}.`
  throw new RepriseError('busy', `job ${running.id} is running`, hint)
}

/** The chain or the job that the thread belongs to, and that is removed with it. */
function ownersOf(tx: Sql, threadId: string) {
  return rowsOf(
    tx,
    sql<{ kind: 'chain' | 'job'; id: string }>`
      select 'chain' as kind, id
      from chains
      where thread_id = ${threadId}
      union all
      select 'job' as kind, id
      from jobs
      where thread_id = ${threadId}
    `,
  )
}

async function resourcesOf(tx: Sql, threadId: string): Promise<readonly string[]> {
  const sessions = await rowsOf(
    tx,
    sql<{ agent: string; sessionId: string }>`
      select agent, session_id as "sessionId"
      from sessions
      where thread_id = ${threadId}
    `,
  )
  return [threadResource(threadId), ...sessions.map(sessionResource)]
}
