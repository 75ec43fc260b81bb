// One PostgreSQL for the whole test run. The first test that asks for it starts it: the process that owns the run does so, and
// all others ask it over a socket.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from './server.ts'

const ADDRESS = 'REPRISE_TEST_POSTGRES'

/** Called by the process that owns the test run. Gives the function that stops the server, if anybody has asked for it. */
export async function offerPostgres(directory: string): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | null = null
  const offer = createServer(async socket => {
    socket.on('error', () => {})
    started ??= startPostgres(['max_connections=400'], askForPasswords)
    const answer = await started.then(
      ({ url }) => ({ url }),
      (error: unknown) => ({ problem: String(error) }),
    )
    socket.end(JSON.stringify(answer))
  })
  const path = join(directory, 'postgres.sock')
  offer.listen(path).unref()
  await once(offer, 'listening')
  process.env[ADDRESS] = path
  return async () => {
    offer.close()
    if (started !== null) await (await started).stop()
  }
}

/** Everybody but the superuser needs a password. */
function askForPasswords(data: string): void {
  const rules = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
  writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`)
}

async function sharedServer(): Promise<string> {
  const socket = connect(process.env[ADDRESS] ?? '')
  const answer = JSON.parse(await text(socket)) as { url: string } | { problem: string }
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.url
}

export type TestDatabase = {
  readonly url: string
  /** Runs SQL as the superuser. */
  run(sql: string): Promise<readonly Record<string, unknown>[]>
  drop(): Promise<void>
}

let databases = 0

/** A new database on the shared server: an empty one, or one with an empty store, which is several times as fast as to make it. */
export async function newDatabase(what: 'empty' | 'store' = 'empty'): Promise<TestDatabase> {
  const server = await sharedServer()
  const name = `test_${process.pid}_${databases++}`
  if (what === 'store') await makeTemplate(server)
  const template = what === 'store' ? `template ${TEMPLATE} strategy file_copy` : ''
  await runOn(server, `create database ${name} ${template}`)
  const url = new URL(`/${name}`, server).href
  const client = new Client(url)
  await client.connect()
  let last: Promise<unknown> = Promise.resolve()
  return {
    url,
    // One statement after another: all of them use one connection, which may hold locks.
    run(sql) {
      const result = last.then(async () => (await client.query(sql)).rows)
      last = result.catch(() => {})
      return result
    },
    async drop() {
      await last
      await client.end()
      await runOn(server, `drop database ${name} with (force)`)
    },
  }
}

const TEMPLATE = 'template_store'
let template: Promise<void> | null = null

/** One process of the test run makes it. */
function makeTemplate(server: string): Promise<void> {
  template ??= (async () => {
    const { postgres } = await import('../../src/store/postgres/postgres.ts')
    const client = new Client(server)
    await client.connect()
    await client.query('select pg_advisory_lock(1)')
    const { rows } = await client.query(`select 1 from pg_database where datname = '${TEMPLATE}'`)
    if (rows.length === 0) {
      await client.query(`create database ${TEMPLATE}`)
      await (await postgres(new URL(`/${TEMPLATE}`, server).href)()).close()
    }
    await client.end()
  })()
  return template
}

export async function runOn(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Removes every row: faster than a new database, where each test wants an empty store. */
export async function emptyStore({ run }: TestDatabase): Promise<void> {
  const [store] = await run("select to_regclass('reprise.store_version') as name")
  if (store?.name === null) return
  // Foreign keys remove the rest.
  await run(TABLES.map(table => `delete from reprise.${table}`).join(';'))
  const [work] = await run("select to_regclass('reprise_work.job') as name")
  if (work?.name !== null) await run('delete from reprise_work.job')
}

const TABLES = [
  'threads',
  'changes',
  'leases',
  'runtimes',
  'request_keys',
  'dispatches',
  'schedules',
  'checkpoint_places',
  'vault_pieces',
  'vault_contents',
  'workers',
]
