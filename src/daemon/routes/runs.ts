// Routes of runs and their questions: list, show, explain, answer, cancel.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import { questionCursor } from '../../core/conversation/question-list.ts'
import { inWords } from '../../core/decide/explain.ts'
import { given } from '../../core/optional.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import { keepGoing } from './keep-going.ts'
import { listPage } from './page.ts'

export function runRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.listRuns, async c => {
    const { thread, chain, session, job, limit, ...rest } = c.req.valid('query')
    const wanted = { threadId: thread, chainId: chain, sessionId: session, jobId: job }
    const filter = given({ ...wanted, ...rest })
    const page = await listPage(limit, n => reprise.runs.list({ ...filter, limit: n }))
    return c.json(page, 200)
  })

  app.openapi(ROUTES.getRun, async c =>
    c.json(await reprise.runs.get(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.runResult, async c => {
    const run = await reprise.runs.get(c.req.valid('param').id)
    return c.json({ run, text: await reprise.answerOf(run) }, 200)
  })

  app.openapi(ROUTES.runWork, async c =>
    c.json(await reprise.runs.work(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.runPrompt, async c =>
    c.json(await reprise.runs.prompt(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.whyRun, async c =>
    c.json(inWords(await reprise.runs.why(c.req.valid('param').id)), 200),
  )

  app.openapi(ROUTES.runQuestions, async c => {
    const items = await reprise.runs.questions(c.req.valid('param').id)
    return c.json({ items, nextCursor: null }, 200)
  })

  app.openapi(ROUTES.listQuestions, async c => {
    const { limit, ...rest } = c.req.valid('query')
    const query = given(rest)
    const found = await reprise.questions({ ...query, limit: limit + 1 })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    const nextCursor = found.length > limit && last ? questionCursor(last, rest.state) : null
    return c.json({ items, nextCursor, total: await reprise.countQuestions(rest.state) }, 200)
  })

  app.openapi(ROUTES.answerQuestion, async c => {
    const { id } = c.req.valid('param')
    const { run, turn } = await reprise.runs.answer(id, c.req.valid('json'))
    if (turn) keepGoing(turn)
    return c.json(run, 200)
  })

  app.openapi(ROUTES.cancelRun, async c =>
    c.json(await reprise.runs.cancel(c.req.valid('param').id), 200),
  )
}
