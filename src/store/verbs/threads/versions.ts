// Versions of messages: a message keeps its position on every branch of its thread, so others at its position that
// follow the same message are its versions.
import { RepriseError } from '../../../errors.ts'
import type { VersionVerbs } from '../../contract/threads.ts'
import { type Database, read, type Sql, write } from '../../sql/dialect.ts'
import { lockThread } from '../../sql/locks.ts'
import { firstOf, rowsOf, updateRow } from '../../sql/plain-sql.ts'
import { sql } from '../../sql/statement.ts'
import { noteChange } from '../runs/changes.ts'
import { refuseUnapproved, refuseWhileOpen, threadNotFound } from './branches.ts'

export function versionVerbs(database: Database): VersionVerbs {
  return {
    versions: threadId => read(database, tx => versionsOn(tx, threadId)),
    selectMessage: choice => write(database, tx => selectMessage(tx, choice)),
  }
}

/** One list for each message of the current branch that has other versions. */
async function versionsOn(tx: Sql, threadId: string): Promise<readonly (readonly string[])[]> {
  if (!(await hasSeveralBranches(tx, threadId))) return []
  const rows = await rowsOf(
    tx,
    sql<{ position: number; id: string }>`
      select distinct others.position, messages.created_at, messages.id
      from threads
      join branch_entries as current on current.branch_id = threads.branch_id
      join branches on branches.thread_id = threads.id
      join branch_entries as others
        on others.branch_id = branches.id
        and others.position = current.position
      join messages on messages.id = others.message_id
      left join branch_entries as before
        on before.branch_id = current.branch_id
        and before.position = current.position - 1
      left join branch_entries as others_before
        on others_before.branch_id = others.branch_id
        and others_before.position = others.position - 1
      where threads.id = ${threadId}
      and coalesce(before.message_id, '') = coalesce(others_before.message_id, '')
      order by others.position, messages.created_at, messages.id
    `,
  )
  const lists = Map.groupBy(rows, row => row.position)
  return [...lists.values()].filter(list => list.length > 1).map(list => list.map(row => row.id))
}

/** Most threads have one branch, and no versions to look for. */
async function hasSeveralBranches(tx: Sql, threadId: string): Promise<boolean> {
  const found = await rowsOf(
    tx,
    sql<{ id: string }>`
      select id
      from branches
      where thread_id = ${threadId}
      limit 2
    `,
  )
  return found.length > 1
}

/** Makes the branch that holds the message the current one; of several, the one that was written to last. */
async function selectMessage(
  tx: Sql,
  { threadId, messageId, now }: Parameters<VersionVerbs['selectMessage']>[0],
): Promise<void> {
  await lockThread(tx, threadId)
  await refuseUnapproved(tx, threadId)
  await refuseWhileOpen(tx, threadId)
  const thread = await firstOf(
    tx,
    sql<{ branch_id: string }>`
      select branch_id
      from threads
      where id = ${threadId}
    `,
  )
  if (thread === undefined) throw threadNotFound(threadId)
  const holding = await rowsOf(
    tx,
    sql<{ id: string }>`
      select branches.id
      from branch_entries as held
      join branches on branches.id = held.branch_id
      join branch_entries on branch_entries.branch_id = branches.id
      join messages on messages.id = branch_entries.message_id
      where held.message_id = ${messageId}
      and branches.thread_id = ${threadId}
      group by branches.id, branches.created_at
      order by max(messages.created_at) desc, branches.created_at desc, branches.id desc
    `,
  )
  const [latest] = holding
  if (latest === undefined) throw noSuchMessage(threadId, messageId)
  if (holding.some(branch => branch.id === thread.branch_id)) return
  const row = { table: 'threads', id: threadId } as const
  await updateRow(tx, row, { branch_id: latest.id, updated_at: now })
  await noteChange(tx, { kind: 'thread', id: threadId, at: now })
}

function noSuchMessage(threadId: string, messageId: string): RepriseError {
  return new RepriseError(
    'not-found',
    `there is no message ${messageId} on any branch of thread ${threadId}`,
    `Run \`reprise threads show ${threadId}\` to see its messages and their versions.`,
  )
}
