// What the daemon is measured against: node:http and hand-written SQL on the same file, doing the same reads and writes and no more.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()

function main(): void {
  const [file = '', token = ''] = process.argv.slice(2)
  const database = new Database(file)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  const answer = answers(database)
  const server = createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    const wanted = Buffer.from(`Bearer ${token}`)
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      response.writeHead(401).end()
      return
    }
    answer(request, response)
  })
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  })
}

function answers(database: Database.Database) {
  const threads = database.prepare(
    `select threads.*,
      (select count(distinct prompt_message_id) from runs where thread_id = threads.id) as turn_count,
      (select sum(cost_usd) from runs where thread_id = threads.id) as cost_usd
    from threads
    order by updated_at desc, id desc
    limit 51`,
  )
  const lastRun = database.prepare(
    'select * from runs where thread_id = ? order by seq desc limit 1',
  )
  const events = database.prepare(
    'select run_id as runId, seq, at, json from events where run_id = ? and seq > ? order by seq limit 100',
  )
  const addMessage = database.prepare(
    `insert into messages (id, thread_id, role, text, tools, interrupted, hash, run_id, created_at)
    values (?, ?, 'user', ?, '[]', 0, '', ?, ?)`,
  )
  const addRun = database.prepare(
    `insert into runs (id, place, agent, status, thread_id, attempt, prompt_message_id, work_dir,
      permission_mode, allowed_tools, disallowed_tools, fresh_session, owner, queued_at)
    values (?, 0, 'claude-code', 'queued', ?, 1, ?, '/', 'default', '[]', '[]', 0, '["bare",1,""]', ?)`,
  )
  const submit = database.transaction((threadId: string, prompt: string) => {
    const [runId, messageId, now] = [`run_${randomUUID()}`, `msg_${randomUUID()}`, Date.now()]
    addMessage.run(messageId, threadId, prompt, runId, now)
    addRun.run(runId, threadId, messageId, now)
    return { runId, messageId }
  })

  const list = (response: ServerResponse) => {
    const rows = threads.all() as { id: string }[]
    const items = rows.slice(0, 50).map(row => ({ ...row, lastRun: parsed(lastRun.get(row.id)) }))
    json(response, 200, { items, nextCursor: rows.length > 50 ? items.at(-1)?.id : null })
  }
  const stream = (response: ServerResponse, runId: string) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let after = 0; ; ) {
      const page = events.all(runId, after) as { seq: number; json: string }[]
      for (const { json, ...event } of page) {
        const data = `${JSON.stringify(event).slice(0, -1)},${json.slice(1)}`
        response.write(`id: ${event.seq}\ndata: ${data}\n\n`)
        after = event.seq
      }
      if (page.length < 100) break
    }
    response.end()
  }
  const take = (request: IncomingMessage, response: ServerResponse, id: string) => {
    let body = ''
    request.setEncoding('utf8').on('data', text => {
      body += text
    })
    request.on('end', () => {
      json(response, 202, submit.immediate(id, (JSON.parse(body) as { prompt: string }).prompt))
    })
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    const [, , kind, id = ''] = (request.url ?? '').split('/')
    if (request.method === 'POST') take(request, response, id)
    else if (kind === 'runs') stream(response, id)
    else list(response)
  }
}

/** The columns that hold JSON, as a client wants them. */
function parsed(row: unknown): unknown {
  if (row === undefined) return null
  const run = { ...(row as Record<string, unknown>) }
  for (const column of ['decision', 'facts', 'resume_settings', 'exit', 'failure']) {
    const text = run[column]
    if (typeof text === 'string') run[column] = JSON.parse(text)
  }
  return run
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
