// A chat backend: three routes over threads, with server-sent events that survive a lost connection and a restart.
//   POST /chats {}                      → { "id" }
//   POST /chats/ID/messages { "text" }  → { "runId" }
//   GET  /turns/RUN/events              → text/event-stream; Last-Event-ID continues after the last event
// Run: node examples/chat-backend.ts 8080 (needs `claude` on PATH). It has no login: put it behind yours.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { claudeCode, createReprise, type EventPlace, RepriseError, sqlite } from 'reprise'

const reprise = createReprise({ store: sqlite('chats.db'), agents: [claudeCode()] })
const server = createServer((request, response) => {
  answer(request, response).catch(error => refuse(response, error))
})
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  console.log('listening on', server.address())
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, id = '', part] = (request.url ?? '').split('/')
  const route = `${request.method} ${kind} ${part ?? ''}`.trim()
  if (route === 'POST chats') {
    const thread = await reprise.threads.create({ workDir: process.cwd() })
    return send(response, 201, { id: thread.id })
  }
  if (route === 'POST chats messages') {
    const thread = await reprise.threads.get(id)
    const turn = thread.send(await textOf(request), { disallowedTools: ['Bash', 'Write', 'Edit'] })
    // The events tell how the turn ends, so nobody awaits its result here.
    turn.result.catch(() => {})
    // From here on the prompt is stored: whatever happens to this process, it is not lost.
    const { runId } = await turn.submitted
    return send(response, 202, { runId })
  }
  if (route === 'GET turns events') return stream(id, request, response)
  send(response, 404, { error: { code: 'not-found', message: `there is no ${request.url}` } })
}

async function stream(runId: string, request: IncomingMessage, response: ServerResponse) {
  const after = placeOf(request.headers['last-event-id'])
  await reprise.runs.get(runId)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  for await (const event of reprise.turns.follow(runId, { after, signal: gone.signal })) {
    response.write(`id: ${event.runId}:${event.seq}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

/** The `id:` of the last event that the browser has: `run:seq`. */
function placeOf(header: string | string[] | undefined): EventPlace | undefined {
  const [runId, seq] = String(header ?? '').split(':')
  return runId && seq ? { runId, seq: Number(seq) } : undefined
}

async function textOf(request: IncomingMessage): Promise<string> {
  const body = (await json(request)) as { readonly text?: unknown }
  return String(body.text ?? '')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.end()
  } else if (error instanceof RepriseError) {
    const { code, message, hint, httpStatus } = error
    send(response, httpStatus, { error: { code, message, hint } })
  } else {
    send(response, 400, { error: { code: 'bad-input', message: String(error) } })
  }
}

function stop(): void {
  server.close()
  server.closeAllConnections()
  // Turns that run may take 30 seconds to end; what is interrupted continues in the same session with the next message.
  void reprise.close({ drainMs: 30_000 })
}
