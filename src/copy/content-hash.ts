// One number for the content of a store, whatever database it is in and in whatever order it gives its rows.
import { hash } from 'node:crypto'
import type { Database } from '../store/sql/dialect.ts'
import type { Table } from './catalogue.ts'
import { pagesOf, type TableRow } from './table-rows.ts'

const SIZE = 2n ** 256n

/** Adds up the hashes of its entries: an entry that is there twice counts twice. */
export class ContentHash {
  #sum = 0n

  add(entry: readonly unknown[]): void {
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', JSON.stringify(entry))}`)) % SIZE
  }

  get hex(): string {
    return this.#sum.toString(16).padStart(64, '0')
  }
}

export async function hashTables(
  database: Database,
  tables: readonly Table[],
  onRows: (count: number) => void,
): Promise<string> {
  const content = new ContentHash()
  for (const table of tables) {
    for await (const rows of pagesOf(database, table, null)) {
      for (const row of rows) content.add(entryOf(table, row))
      onRows(rows.length)
    }
  }
  return content.hex
}

function entryOf({ name, columns }: Table, row: TableRow): readonly unknown[] {
  return [name, ...columns.map(column => row[column])]
}
