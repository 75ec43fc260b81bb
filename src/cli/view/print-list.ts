// Prints a list: a table for people, and with --json a page as over HTTP.
import { listPage } from '../../daemon/routes/page.ts'
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { type Column, printJson, printTable } from './print.ts'

/** The flags of a list that has pages. */
export type PageFlags = JsonFlag & {
  readonly limit: number
  readonly cursor?: string
  readonly since?: number
}

type Listed<Row> = {
  readonly columns: readonly Column<Row>[]
  /** What to say instead of an empty table. */
  readonly empty: string
}

/** A list without pages. */
export function printAll<Row>(
  io: Io,
  rows: readonly Row[],
  { json, columns, empty }: Listed<Row> & JsonFlag,
): number {
  if (json) printJson(io, { items: rows, nextCursor: null })
  else if (rows.length === 0) io.stderr.write(`${empty}\n`)
  else printTable(io, rows, columns)
  return 0
}

/** One page of a list; `list` is asked for one row more, to know whether there is a next page. */
export async function printPage<Row extends { readonly id: string }>(
  io: Io,
  list: (limit: number) => Promise<readonly Row[]>,
  {
    json,
    limit,
    columns,
    empty,
    more = {},
  }: Listed<Row> & PageFlags & { /** Beside the items, in JSON. */ readonly more?: object },
): Promise<number> {
  const { items, nextCursor } = await listPage(limit, list)
  if (json) printJson(io, { items, nextCursor, ...more })
  else if (items.length === 0) io.stderr.write(`${empty}\n`)
  else {
    printTable(io, items, columns)
    if (nextCursor !== null && io.stderr.isTTY) io.stderr.write(`more: --cursor ${nextCursor}\n`)
  }
  return 0
}
