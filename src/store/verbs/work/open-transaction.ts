// What an engine may do in a transaction of another verb. The verbs themselves know nothing of its work.
import type { OpenTransaction } from '../../contract/work.ts'
import type { Sql } from '../../sql/dialect.ts'
import { runSql } from '../../sql/run-sql.ts'
import { cancel, enqueue } from './dispatches.ts'

export function openTransaction(tx: Sql): OpenTransaction {
  return {
    enqueueWork: (work, now) => enqueue(tx, work, now),
    cancelWork: (queue, id) => cancel(tx, queue, id),
    run: runSql(tx),
  }
}
