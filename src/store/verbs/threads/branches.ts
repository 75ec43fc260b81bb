// Messages and the branches that list them. An append adds an entry; an edit makes a new list and keeps the old one.

import type { Message } from '../../../core/conversation/messages.ts'
import { RepriseError } from '../../../errors.ts'
import type { BranchChange, BranchVerbs } from '../../contract/threads.ts'
import { inChunks } from '../../sql/chunks.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThread } from '../../sql/locks.ts'
import { firstOf, insertRows, rowsOf, updateRow } from '../../sql/plain-sql.ts'
import { messageOf, messageRow } from '../../sql/rows.ts'
import type { MessageRow } from '../../sql/schema.ts'
import { join, sql } from '../../sql/statement.ts'
import { noteChange } from '../runs/changes.ts'
import { firstInLine } from '../runs/runs.ts'

export function branchVerbs(database: Database): BranchVerbs {
  return {
    branch: threadId => branchOf(database, threadId),

    async message(id) {
      const row = await firstOf(
        database,
        sql<MessageRow>`
          select *
          from messages
          where id = ${id}
        `,
      )
      return row === undefined ? null : messageOf(row)
    },

    async threadOfMessage(messageId) {
      const row = await firstOf(
        database,
        sql<{ thread_id: string }>`
          select thread_id
          from messages
          where id = ${messageId}
        `,
      )
      return row?.thread_id ?? null
    },

    replaceBranch: ({ now, ...change }) => write(database, tx => replaceBranch(tx, change, now)),
  }
}

export async function replaceBranch(tx: Sql, change: BranchChange, now: number): Promise<void> {
  const { threadId, branchId, messages } = change
  await lockThread(tx, threadId)
  await refuseUnapproved(tx, threadId)
  await refuseWhileOpen(tx, threadId)
  await refuseChanged(tx, threadId, change.expected)
  if (isUnchanged(change)) return
  await storeMessages(tx, threadId, messages)
  await createBranch(tx, { id: branchId, threadId, messages, now })
  const row = { table: 'threads', id: threadId } as const
  await updateRow(tx, row, { branch_id: branchId, updated_at: now })
  await noteChange(tx, { kind: 'thread', id: threadId, at: now })
}

/** True when the change removes and replaces nothing, so the branch can stay. */
function isUnchanged({ expected, messages }: BranchChange): boolean {
  if (messages.length !== expected.length) return false
  return messages.every((message, index) => message.id === expected[index])
}

async function branchOf(database: Sql, threadId: string): Promise<readonly Message[]> {
  const rows = await rowsOf(
    database,
    sql<MessageRow>`
      select messages.*
      from threads
      join branch_entries on branch_entries.branch_id = threads.branch_id
      join messages on messages.id = branch_entries.message_id
      where threads.id = ${threadId}
      order by branch_entries.position
    `,
  )
  return rows.map(messageOf)
}

export async function createBranch(
  tx: Sql,
  branch: {
    readonly id: string
    readonly threadId: string
    readonly messages: readonly Message[]
    readonly now: number
  },
): Promise<void> {
  const { id, threadId, messages, now } = branch
  await insertRows(tx, { table: 'branches' }, [{ id, thread_id: threadId, created_at: now }])
  const entries = messages.map((message, position) => ({
    branch_id: id,
    position,
    message_id: message.id,
  }))
  for (const some of inChunks(entries)) await insertRows(tx, { table: 'branch_entries' }, some)
}

/** Skips messages that the store already has: messages are immutable. */
export async function storeMessages(
  tx: Sql,
  threadId: string,
  messages: readonly Message[],
): Promise<void> {
  for (const some of inChunks(messages)) {
    const rows = some.map(message => messageRow(message, threadId))
    const otherwise = sql`on conflict (id) do nothing`
    const inserted = await insertRows(tx, { table: 'messages', otherwise }, rows)
    // All rows are new, so none can belong to another thread.
    if (inserted === rows.length) continue
    const ids = some.map(message => message.id)
    const foreign = await firstOf(
      tx,
      sql<{ id: string }>`
        select id
        from messages
        where id in (${join(ids)})
        and thread_id <> ${threadId}
      `,
    )
    if (foreign !== undefined) throw belongsElsewhere(foreign.id)
  }
}

/** Appends a message to the thread's branch, once. */
export async function appendToBranch(tx: Sql, threadId: string, messageId: string): Promise<void> {
  await tx.execute(sql`
    insert into branch_entries (branch_id, position, message_id)
    select
      threads.branch_id,
      (
        select coalesce(max(position), -1) + 1
        from branch_entries
        where branch_entries.branch_id = threads.branch_id
      ),
      ${messageId}
    from threads
    where threads.id = ${threadId}
    on conflict (message_id, branch_id) do nothing
  `)
}

/** Queued runs count too: their users sent them to continue the thread as it is. */
export async function refuseWhileOpen(tx: Sql, threadId: string): Promise<void> {
  const first = await firstInLine(tx, threadId)
  if (first === undefined) return
  const { id, status } = first
  const cancel = `cancel it: reprise runs cancel ${id}.`
  const hint =
    status === 'waiting'
      ? `Answer it (reprise runs answer ${id}), or ${cancel}`
      : `Wait until it has ended, or ${cancel}`
  throw new RepriseError(
    'busy',
    `run ${id} ${DOES[status] ?? 'is going'} on thread ${threadId}`,
    hint,
  )
}

const DOES: Readonly<Record<string, string>> = {
  queued: 'waits for its turn',
  waiting: 'waits for an answer',
}

/** Text of somebody else is only data until a person says otherwise: an agent would take it for instructions. */
export async function refuseUnapproved(tx: Sql, threadId: string): Promise<void> {
  const unapproved = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from threads
      where id = ${threadId}
      and imported is not null
      and approved_at is null
    `,
  )
  if (unapproved !== undefined) throw notApproved(threadId)
}

async function refuseChanged(tx: Sql, threadId: string, expected: readonly string[]) {
  const current = await rowsOf(
    tx,
    sql<{ message_id: string | null }>`
      select branch_entries.message_id
      from threads
      left join branch_entries on branch_entries.branch_id = threads.branch_id
      where threads.id = ${threadId}
      order by branch_entries.position
    `,
  )
  if (current.length === 0) throw threadNotFound(threadId)
  const ids = current.flatMap(row => (row.message_id === null ? [] : [row.message_id]))
  if (ids.length === expected.length && ids.every((id, index) => id === expected[index])) return
  throw new RepriseError(
    'conflict',
    `thread ${threadId} has changed meanwhile`,
    `Run \`reprise threads show ${threadId}\` to see it as it is now, then repeat the change.`,
  )
}

export function threadNotFound(threadId: string): RepriseError {
  return new RepriseError(
    'not-found',
    `there is no thread ${threadId}`,
    'Run `reprise threads` to see their ids.',
  )
}

function belongsElsewhere(messageId: string): RepriseError {
  return new RepriseError(
    'conflict',
    `message ${messageId} belongs to another thread`,
    'Copy it under a new id: `reprise threads fork`.',
  )
}

function notApproved(threadId: string): RepriseError {
  return new RepriseError(
    'conflict',
    `thread ${threadId} came in a file of somebody else and is only data`,
    `Read it first (\`reprise threads show ${threadId}\`), then let it go on: reprise threads approve ${threadId}.`,
  )
}
