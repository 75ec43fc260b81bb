// Threads: create, find, change, remove.
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import type { Message } from '../core/messages.ts'
import type { Run } from '../core/run.ts'
import { createBranch, refuseWhileGoing, storeMessages } from './branches.ts'
import { read, type Sql, write } from './dialect.ts'
import { sessionResource, threadResource } from './leases.ts'
import { firstOf } from './plain-sql.ts'
import { answerTo, keepAnswer } from './request-keys.ts'
import { runOf, threadOf } from './rows.ts'
import type { ThreadsTable } from './schema.ts'
import type { Store, ThreadRecord, ThreadSummary } from './store.ts'

type ThreadQuery = Parameters<Store['listThreads']>[0]

export function threadVerbs(
  database: Sql,
): Pick<Store, 'createThread' | 'thread' | 'listThreads' | 'removeThread'> {
  return {
    createThread: (thread, messages, key) =>
      write(database, async tx => {
        const earlier = key && (await answerTo(tx, key))
        if (earlier) return earlier.threadId
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
        sql<Selectable<ThreadsTable>>`
          select *
          from threads
          where id = ${id}
        `,
      )
      return row === undefined ? null : threadOf(row)
    },

    listThreads: query => read(database, tx => listThreads(tx, query)),

    removeThread: id =>
      write(database, async tx => {
        await refuseWhileGoing(tx, id)
        const resources = await resourcesOf(tx, id)
        // What belongs to the thread goes with it, by its foreign keys.
        const result = await tx.db.deleteFrom('threads').where('id', '=', id).executeTakeFirst()
        for (const resource of resources) {
          await tx.db.deleteFrom('leases').where('resource', '=', resource).execute()
        }
        return result.numDeletedRows > 0n
      }),
  }
}

export async function insertThread(
  tx: Sql,
  thread: ThreadRecord,
  messages: readonly Message[],
): Promise<void> {
  await tx.db
    .insertInto('threads')
    .values({
      id: thread.id,
      kind: thread.kind,
      title: thread.title,
      agent: thread.agent,
      work_dir: thread.workDir,
      view: thread.view,
      forked_from: thread.forkedFrom,
      // The first branch of a thread has the thread's id.
      branch_id: thread.id,
      created_at: thread.createdAt,
      updated_at: thread.updatedAt,
    })
    .execute()
  await storeMessages(tx, thread.id, messages)
  const branch = { id: thread.id, threadId: thread.id, messages, now: thread.createdAt }
  await createBranch(tx, branch)
}

async function listThreads(tx: Sql, query: ThreadQuery): Promise<readonly ThreadSummary[]> {
  const { text, kind = 'chat', cursor, limit } = query
  const last = cursor === undefined ? undefined : await activityOf(tx, cursor)
  // After a thread that was removed meanwhile there is nothing; starting over would never end.
  if (cursor !== undefined && last === undefined) return []
  const rows = await tx.db
    .selectFrom('threads')
    .selectAll()
    .select(eb => [
      eb
        .selectFrom('runs')
        .select(run => run.fn.count<number>('runs.prompt_message_id').distinct().as('n'))
        .whereRef('runs.thread_id', '=', 'threads.id')
        .as('turn_count'),
      eb
        .selectFrom('runs')
        .select(run => run.fn.sum<number>('runs.cost_usd').as('usd'))
        .whereRef('runs.thread_id', '=', 'threads.id')
        .as('cost_usd'),
    ])
    .where('kind', '=', kind)
    .$if(text !== undefined && text !== '', threads => threads.where(holding(tx, text ?? '')))
    .$if(last !== undefined, threads =>
      threads.where(eb =>
        eb(eb.refTuple('updated_at', 'id'), '<', eb.tuple(last?.updated_at ?? 0, last?.id ?? '')),
      ),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const lastRuns = await lastRunsOf(
    tx,
    rows.map(row => row.id),
  )
  return rows.map(row => ({
    ...threadOf(row),
    turnCount: row.turn_count ?? 0,
    costUsd: row.cost_usd ?? 0,
    lastRun: lastRuns.get(row.id) ?? null,
  }))
}

function activityOf({ db }: Sql, threadId: string) {
  return db
    .selectFrom('threads')
    .select(['updated_at', 'id'])
    .where('id', '=', threadId)
    .executeTakeFirst()
}

/** In the title or in any message, also of earlier branches. */
function holding({ dialect }: Sql, text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const like = sql.raw(dialect.like)
  return sql<SqlBool>`(
    threads.title ${like} ${pattern} escape '\\'
    or exists (
      select 1
      from messages
      where messages.thread_id = threads.id
      and messages.text ${like} ${pattern} escape '\\'
    )
  )`
}

async function lastRunsOf(tx: Sql, threadIds: readonly string[]): Promise<Map<string, Run>> {
  if (threadIds.length === 0) return new Map()
  const rows = await tx.db
    .selectFrom('runs')
    .selectAll()
    .where('seq', 'in', eb =>
      eb
        .selectFrom('runs')
        .select(run => run.fn.max('seq').as('seq'))
        .where('thread_id', 'in', threadIds)
        .groupBy('thread_id'),
    )
    .execute()
  return new Map(rows.flatMap(row => (row.thread_id === null ? [] : [[row.thread_id, runOf(row)]])))
}

async function resourcesOf(tx: Sql, threadId: string): Promise<readonly string[]> {
  const sessions = await tx.db
    .selectFrom('sessions')
    .select(['agent', 'session_id as sessionId'])
    .where('thread_id', '=', threadId)
    .execute()
  return [threadResource(threadId), ...sessions.map(sessionResource)]
}
