// Plain SQL of an engine on a connection or in a transaction of the store.
import type { RunSql } from '../contract/work.ts'
import type { Sql } from './dialect.ts'
import { numberedSql } from './statement.ts'

export function runSql(tx: Sql): RunSql {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await tx.execute(numberedSql<Row>(text, values))).rows
}
