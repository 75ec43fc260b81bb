// The fake model API: a loopback server that speaks four APIs of models, answers by script and keeps the bill.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { outputTokensOf, sendError, sendJson, sendReply } from './answer.ts'
import { chatWire } from './chat-wire.ts'
import { geminiWire } from './gemini-wire.ts'
import { messagesWire } from './messages-wire.ts'
import { parseRequest } from './parse-request.ts'
import { apiPriceOf, costUsd, DEFAULT_PRICES, type PriceTable } from './prices.ts'
import { createPromptCache, tokensOf } from './prompt-cache.ts'
import { errorReply, type ScriptedReply, textReply } from './replies.ts'
import { type BilledUsage, lastTextOf, type ModelRequest } from './request.ts'
import { responsesWire } from './responses-wire.ts'
import type { ErrorReply, Wire } from './wire.ts'

const WIRES: readonly Wire[] = [messagesWire, responsesWire, chatWire, geminiWire]

/** Answers a request; `undefined` means an echo. */
export type Responder = (
  request: ModelRequest,
) => ScriptedReply | undefined | Promise<ScriptedReply | undefined>

/** What was billed for several requests together. */
export type Billed = BilledUsage & { readonly requests: number; readonly costUsd: number }

/** A model API on loopback for the real programs. */
export type ModelApi = {
  /** `http://127.0.0.1:<port>`, for ANTHROPIC_BASE_URL; most agents of OpenAI's APIs want `/v1` behind it. */
  readonly url: string
  /** Every request for a message so far, in the order of arrival. */
  readonly requests: readonly ModelRequest[]
  /** Those requests that belong to a conversation. */
  readonly turns: readonly ModelRequest[]
  /** All other calls: `HEAD /`, token counts, unknown routes. */
  readonly otherCalls: readonly { readonly method: string; readonly path: string }[]
  /** Everything that was billed since the start. */
  readonly billed: Billed
  /** Queues replies; each turn takes the next. */
  script(replies: readonly (ScriptedReply | Responder)[]): void
  /** Answers turns for which no reply is queued. Without it, or when it gives nothing, the API echoes them. */
  respond(responder: Responder): void
  /** Resolves with the first request, past or future, that matches. Rejects when the API is closed. */
  waitFor(matches: (request: ModelRequest) => boolean): Promise<ModelRequest>
  /** Ends every connection, also those that wait. */
  close(): Promise<void>
}

/** How the fake model API bills. */
export type ModelApiOptions = { readonly prices?: PriceTable }

type Waiter = {
  readonly matches: (request: ModelRequest) => boolean
  readonly found: PromiseWithResolvers<ModelRequest>
}

/**
 * Starts a model API on a free port of loopback, for tests with a real agent program. Close it at the end of the test.
 *
 * @example
 * ```ts
 * const api = await startModelApi()
 * api.script([textReply('Hello.')])
 * const env = realAgentEnv({ api, home: directory })
 * const reprise = createReprise({ store: sqlite(':memory:'), agents: [claudeCode({ env })] })
 * ```
 */
export async function startModelApi(options: ModelApiOptions = {}): Promise<ModelApi> {
  const prices = options.prices ?? DEFAULT_PRICES
  const cache = createPromptCache()
  const requests: ModelRequest[] = []
  const otherCalls: { method: string; path: string }[] = []
  const queue: (ScriptedReply | Responder)[] = []
  const waiters = new Set<Waiter>()
  const sockets = new Set<Socket>()
  let responder: Responder = () => undefined

  const server = createServer((incoming, response) => {
    route(incoming, response).catch(error => {
      // A responder that throws is an error of the test: the agent gets a 500 with the message.
      if (response.headersSent) return void response.destroy()
      sendError(response, wireOf(incoming) ?? messagesWire, errorPart(500, String(error)))
    })
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })

  async function route(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = incoming.method ?? ''
    const path = pathOf(incoming)
    const wire = wireOf(incoming)
    if (wire) return answerMessage(wire, incoming, response)
    otherCalls.push({ method, path })
    if (path === '/') return void response.writeHead(200).end()
    if (method === 'POST' && path === '/v1/messages/count_tokens') {
      const text = await bodyOf(incoming)
      return sendJson(response, { status: 200, body: { input_tokens: tokensOf(text.length) } })
    }
    incoming.resume()
    sendError(response, messagesWire, errorPart(404, `No route ${method} ${path}`))
  }

  async function answerMessage(wire: Wire, incoming: IncomingMessage, response: ServerResponse) {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const call = {
      path: pathOf(incoming),
      headers: headersOf(incoming),
      text: await bodyOf(incoming),
    }
    const request = parseRequest(requests.length, wire, call)
    if (request === null) return sendError(response, wire, errorPart(400, 'The body is not JSON'))
    record(request)
    const reply = await replyTo(request)
    if (gone.signal.aborted) return
    if (reply.kind === 'silence') return
    if (reply.kind === 'error') return sendError(response, wire, reply)
    if (reply.kind === 'drop' && reply.after === null) return void response.destroy()
    if (reply.kind === 'message') await reply.hold?.wait(gone.signal)
    if (gone.signal.aborted) return
    const { model, body, streaming } = request
    const head = { model, body, usage: bill(wire, request, reply) }
    await sendReply({ wire, response, head, streaming, signal: gone.signal }, reply)
  }

  function record(request: ModelRequest): void {
    requests.push(request)
    for (const waiter of waiters) {
      if (!waiter.matches(request)) continue
      waiters.delete(waiter)
      waiter.found.resolve(request)
    }
  }

  async function replyTo(request: ModelRequest): Promise<ScriptedReply> {
    if (request.purpose !== 'turn') return sideReply(request)
    const next = queue.shift()
    const scripted = typeof next === 'function' ? await next(request) : next
    return scripted ?? (await responder(request)) ?? echo(request)
  }

  function bill(wire: Wire, request: ModelRequest, reply: ScriptedReply): BilledUsage {
    const { model, body } = request
    const { caching } = wire
    const prompt = cache.bill({ model, caching, sections: wire.promptSections(body) })
    const usage = { ...prompt, outputTokens: outputTokensOf(reply) }
    requests[request.index] = { ...request, usage }
    return usage
  }

  function close(): Promise<void> {
    for (const waiter of waiters) waiter.found.reject(new Error('The fake model API was closed'))
    waiters.clear()
    const { promise, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
    return promise
  }

  await listen(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    otherCalls,
    get turns() {
      return requests.filter(request => request.purpose === 'turn')
    },
    get billed() {
      return totalOf(requests, prices)
    },
    script: replies => void queue.push(...replies),
    respond(next) {
      responder = next
    },
    waitFor(matches) {
      const past = requests.find(matches)
      if (past !== undefined) return Promise.resolve(past)
      const found = Promise.withResolvers<ModelRequest>()
      waiters.add({ matches, found })
      return found.promise
    },
    close,
  }
}

function echo(request: ModelRequest): ScriptedReply {
  return textReply(`MOCK-OK: ${lastTextOf(request).trim().slice(0, 200)}`)
}

function sideReply(request: ModelRequest): ScriptedReply {
  if (request.purpose === 'side') return textReply('{"title": "A scripted conversation"}')
  if (request.purpose === 'compaction')
    return textReply('<summary>Summary of the conversation so far.</summary>')
  return textReply('#')
}

function totalOf(requests: readonly ModelRequest[], prices: PriceTable): Billed {
  const total = {
    requests: 0,
    inputTokens: 0,
    cacheWriteTokens: 0,
    cacheReadTokens: 0,
    outputTokens: 0,
    cacheWriteHourTokens: 0,
    costUsd: 0,
  }
  for (const { usage, model } of requests) {
    if (usage === null) continue
    total.requests += 1
    total.inputTokens += usage.inputTokens
    total.cacheWriteTokens += usage.cacheWriteTokens
    total.cacheReadTokens += usage.cacheReadTokens
    total.outputTokens += usage.outputTokens
    total.cacheWriteHourTokens += usage.cacheWriteHourTokens
    total.costUsd += costUsd(usage, apiPriceOf(model, prices))
  }
  return total
}

function errorPart(status: number, message: string): ErrorReply {
  return errorReply(status, { message }) as ErrorReply
}

function wireOf(incoming: IncomingMessage): Wire | undefined {
  return incoming.method === 'POST' ? WIRES.find(wire => wire.takes(pathOf(incoming))) : undefined
}

function pathOf(incoming: IncomingMessage): string {
  return (incoming.url ?? '/').split('?')[0] ?? '/'
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  )
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function listen(server: ReturnType<typeof createServer>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', resolve)
  return promise
}
