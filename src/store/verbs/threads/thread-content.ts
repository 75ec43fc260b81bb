// Threads that leave and enter as one file: everything about one, read at one moment, stored in one transaction.
import type { SentPrompt } from '../../../core/run/sent-prompt.ts'
import type { StoreKey, ThreadContent, ThreadContentVerbs } from '../../contract/thread-content.ts'
import { type Database, read, type Sql, write } from '../../sql/dialect.ts'
import { lockThread } from '../../sql/locks.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { messageOf, runOf, threadOf } from '../../sql/rows.ts'
import type {
  BranchEntryRow,
  BranchRow,
  MessageRow,
  RunRow,
  SentPromptRow,
  StoreKeyRow,
  ThreadRow,
} from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { noteChange } from '../runs/changes.ts'
import { refuseWhileOpen } from './branches.ts'
import { storeArrival, threadOfImport } from './import-thread.ts'
import { findSessions } from './sessions.ts'

export function threadContentVerbs(database: Database): ThreadContentVerbs {
  return {
    threadContent: id => read(database, tx => contentOf(tx, id)),

    importThread: arrival => write(database, tx => storeArrival(tx, arrival)),

    threadOfImport: key => threadOfImport(database, key),

    approveThread: ({ id, at }) =>
      write(database, async tx => {
        await lockThread(tx, id)
        const { changes } = await tx.execute(sql`
          update threads
          set approved_at = coalesce(approved_at, ${at})
          where id = ${id}
          and imported is not null
        `)
        if (changes > 0) await noteChange(tx, { kind: 'thread', id, at })
        return changes > 0
      }),

    storeKey: (make, now) => write(database, tx => ownKey(tx, make, now)),
  }
}

async function contentOf(tx: Sql, id: string): Promise<ThreadContent | null> {
  const thread = await firstOf(tx, sql<ThreadRow>`select * from threads where id = ${id}`)
  if (thread === undefined) return null
  await refuseWhileOpen(tx, id)
  const messages = await rowsOf(
    tx,
    sql<MessageRow>`
      select *
      from messages
      where thread_id = ${id}
      order by created_at, id
    `,
  )
  const runs = await rowsOf(
    tx,
    sql<RunRow>`
      select *
      from runs
      where thread_id = ${id}
      order by seq
    `,
  )
  const prompts = await rowsOf(
    tx,
    sql<SentPromptRow>`
      select sent_prompts.*
      from sent_prompts
      join runs on runs.id = sent_prompts.run_id
      where runs.thread_id = ${id}
      order by runs.seq
    `,
  )
  return {
    thread: threadOf(thread),
    branchId: thread.branch_id,
    branches: await branchesOf(tx, id),
    messages: messages.map(messageOf),
    runs: runs.map(runOf),
    prompts: prompts.map(row => ({ runId: row.run_id, ...(JSON.parse(row.json) as SentPrompt) })),
    sessions: await findSessions(tx, { threadId: id }),
  }
}

async function branchesOf(tx: Sql, threadId: string): Promise<ThreadContent['branches']> {
  const branches = await rowsOf(
    tx,
    sql<BranchRow>`
      select *
      from branches
      where thread_id = ${threadId}
      order by created_at, id
    `,
  )
  const entries = await rowsOf(
    tx,
    sql<BranchEntryRow>`
      select branch_entries.*
      from branch_entries
      join branches on branches.id = branch_entries.branch_id
      where branches.thread_id = ${threadId}
      order by branch_entries.branch_id, branch_entries.position
    `,
  )
  const ofBranch = Map.groupBy(entries, entry => entry.branch_id)
  return branches.map(({ id, created_at: createdAt }) => ({
    id,
    createdAt,
    messageIds: (ofBranch.get(id) ?? []).map(entry => entry.message_id),
  }))
}

const OWN = 'own'

async function ownKey(tx: Sql, make: () => StoreKey, now: number): Promise<StoreKey> {
  const found = await storedKey(tx)
  if (found) return found
  const made = make()
  const row = { private_key: made.privateKey, public_key: made.publicKey, created_at: now }
  const otherwise = sql`on conflict (name) do nothing`
  await insertRows(tx, { table: 'store_keys', otherwise }, [{ name: OWN, ...row }])
  return (await storedKey(tx)) ?? made
}

async function storedKey(tx: Sql): Promise<StoreKey | null> {
  const row = await firstOf(tx, sql<StoreKeyRow>`select * from store_keys where name = ${OWN}`)
  return row === undefined ? null : { privateKey: row.private_key, publicKey: row.public_key }
}
