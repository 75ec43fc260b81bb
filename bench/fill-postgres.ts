// The same rows as fill-store.ts, in a PostgreSQL database.
import { Client } from 'pg'
import { postgres } from '../src/index.ts'
import { messageRows, RUNS_PER_THREAD, STATEMENTS } from './fill-store.ts'

export async function fillPostgres(url: string, runs: number): Promise<void> {
  // Creates the tables.
  await (await postgres(url)()).close()
  const client = new Client({ connectionString: url, options: '-c search_path=reprise' })
  await client.connect()
  try {
    // Foreign keys are not checked: their plans would be those for empty tables.
    await client.query('set session_replication_role = replica')
    await client.query('begin')
    // n: one row per thread. t: one row per message of a thread.
    await client.query(
      `create temp table n as
       select i, 'thr_' || lpad(i::text, 8, '0') as thread, 'ses_' || i as session
       from generate_series(0, ${runs / RUNS_PER_THREAD} - 1) as i`,
    )
    await client.query(
      'create temp table t (k integer, role text, agent text, text text, hash text)',
    )
    for (const row of messageRows()) {
      await client.query('insert into t values ($1, $2, $3, $4, $5)', [...row])
    }
    for (const statement of STATEMENTS) await client.query(statement)
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

export async function sizeOf(url: string): Promise<number> {
  const client = new Client(url)
  await client.connect()
  try {
    const asked = 'select pg_database_size(current_database())::float8 as bytes'
    const { rows } = await client.query<{ bytes: number }>(asked)
    return rows[0]?.bytes ?? 0
  } finally {
    await client.end()
  }
}
