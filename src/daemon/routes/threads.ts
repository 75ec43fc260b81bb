// Routes of threads: create, list, show, remove, send turns, and change the messages.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise, Turn, TurnOptions } from '../../api.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { previewInWords } from '../../core/decide/preview.ts'
import { given } from '../../core/optional.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import type { Submitted } from '../contract/routes/thread-routes.ts'
import { begun, keepGoing } from './keep-going.ts'
import { listPage } from './page.ts'
import { permitted } from './permissions.ts'
import { requestKey } from './request-key.ts'
import { requestTrace } from './request-trace.ts'

export function threadRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.createThread, async c => {
    const wanted = permitted(c, given(c.req.valid('json')))
    const key = requestKey(c.req.valid('header')['idempotency-key'], ['create', wanted])
    const thread = await reprise.threads.create({ ...wanted, ...(key && { key }) })
    return c.json(await thread.show(), 201)
  })

  app.openapi(ROUTES.adoptThread, async c => {
    const { messages, ...wanted } = permitted(c, given(c.req.valid('json')))
    const key = requestKey(c.req.valid('header')['idempotency-key'], ['adopt', wanted, messages])
    const said = messages.map(({ tools = [], ...message }) => ({ ...message, tools }))
    const thread = await reprise.adopt({ ...wanted, messages: said, ...(key && { key }) })
    return c.json({ id: thread.id }, 201)
  })

  app.openapi(ROUTES.listThreads, async c => {
    const { q, limit, cursor, ...rest } = c.req.valid('query')
    const filter = given({ text: q, ...rest })
    const query = { ...filter, ...given({ cursor }) }
    const page = await listPage(limit, n => reprise.threads.list({ ...query, limit: n }))
    return c.json({ ...page, total: await reprise.threads.count(filter) }, 200)
  })

  app.openapi(ROUTES.getThread, async c => {
    const thread = await reprise.threads.get(c.req.valid('param').id)
    return c.json(await thread.show(), 200)
  })

  app.openapi(ROUTES.renameThread, async c => {
    const { id } = c.req.valid('param')
    return c.json(await reprise.threads.rename(id, c.req.valid('json').title), 200)
  })

  app.openapi(ROUTES.removeThread, async c => {
    const thread = await reprise.threads.get(c.req.valid('param').id)
    return c.json(await thread.remove(), 200)
  })

  app.openapi(ROUTES.forkThread, async c => {
    const thread = await reprise.threads.get(c.req.valid('param').id)
    const forked = await thread.fork(given(c.req.valid('json')))
    return c.json(await forked.show(), 201)
  })

  app.openapi(ROUTES.previewTurn, async c => {
    const thread = await reprise.threads.get(c.req.valid('param').id)
    return c.json(previewInWords(await thread.preview(given(c.req.valid('json')))), 200)
  })

  app.openapi(ROUTES.preWarm, async c => {
    // As for the turn itself, so that it can use the process.
    const body = permitted(c, { questions: 'ask' as const, ...given(c.req.valid('json')) })
    const thread = await reprise.threads.get(c.req.valid('param').id)
    return c.json(await thread.preWarm(body), 200)
  })

  app.openapi(ROUTES.endPreWarm, async c => {
    const thread = await reprise.threads.get(c.req.valid('param').id)
    return c.json(await thread.endPreWarm(c.req.valid('query').ticket), 200)
  })

  app.openapi(ROUTES.sendTurn, async c => {
    const { id } = c.req.valid('param')
    // Agents may ask by default; a script that cannot answer sends `questions: 'none'`.
    const body = permitted(c, { questions: 'ask' as const, ...given(c.req.valid('json')) })
    const key = requestKey(c.req.valid('header')['idempotency-key'], ['turn', id, body])
    return c.json(await submit(reprise, { id, body, key, ...requestTrace(c) }), 202)
  })

  app.openapi(ROUTES.retryMessage, async c => {
    const { id, messageId } = c.req.valid('param')
    const options = permitted(c, { questions: 'ask' as const, ...given(c.req.valid('json')) })
    const asked = ['retry', id, messageId, options]
    const key = requestKey(c.req.valid('header')['idempotency-key'], asked)
    const thread = await reprise.threads.get(id)
    const turn = thread.retry(messageId, {
      ...options,
      ...(key && { key }),
      ...requestTrace(c),
    })
    const ids = await stored(turn, options)
    return c.json({ ...(await reprise.runs.get(ids.runId)), ...ids }, 202)
  })

  app.openapi(ROUTES.editMessage, async c => {
    const { id, messageId } = c.req.valid('param')
    const thread = await reprise.threads.get(id)
    return c.json(await thread.edit(messageId, c.req.valid('json').text), 200)
  })

  app.openapi(ROUTES.selectMessage, async c => {
    const { id, messageId } = c.req.valid('param')
    const thread = await reprise.threads.get(id)
    return c.json(await thread.select(messageId), 200)
  })

  app.openapi(ROUTES.truncateThread, async c => {
    const { id, messageId } = c.req.valid('param')
    const thread = await reprise.threads.get(id)
    await thread.truncate(messageId)
    return c.body(null, 204)
  })
}

type Submission = {
  readonly id: string
  readonly body: TurnOptions & { readonly prompt: string }
  readonly key: ReturnType<typeof requestKey>
} & ReturnType<typeof requestTrace>

async function submit(
  reprise: LocalReprise,
  { id, body, key, ...traced }: Submission,
): Promise<Submitted> {
  const answered = key && (await earlier(reprise, key))
  if (answered) return answered
  const { prompt, ...options } = body
  const thread = await reprise.threads.get(id)
  const decision = await reprise.nextDecision(id, options)
  const note = JSON.stringify(decision)
  const turn = thread.send(prompt, {
    ...options,
    ...(key && { key: { ...key, note } }),
    ...traced,
  })
  const ids = await stored(turn, options)
  // When two requests come at once with one key, both get the answer of the stored one.
  return (key && (await earlier(reprise, key))) || { ...ids, decision }
}

async function earlier(
  reprise: LocalReprise,
  key: NonNullable<Submission['key']>,
): Promise<Submitted | null> {
  const kept = await reprise.findRequest(key)
  if (!kept?.runId || !kept.messageId) return null
  const decision = JSON.parse(kept.note) as Decision
  return { runId: kept.runId, messageId: kept.messageId, decision }
}

async function stored(turn: Turn, { whenBusy }: TurnOptions) {
  const ids = await turn.submitted
  keepGoing(turn)
  // A caller that does not want to queue gets `busy` now.
  if (whenBusy === 'fail') await begun(turn)
  return ids
}
