// Routes of threads that leave and enter as one file: both are streams.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ImportOptions, LocalReprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import { RepriseError } from '../../errors.ts'
import { requirePerson, requireScope } from '../caller.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import { FILE_TYPE } from '../contract/scope.ts'
import { permitted } from './permissions.ts'

export function threadFileRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.exportThread, async c => {
    const { sessions, checkpoints, only } = c.req.valid('query')
    const wanted = { sessions: sessions !== 'false', checkpoints: checkpoints !== 'false', only }
    const file = await reprise.threads.export(c.req.valid('param').id, wanted)
    const name = `${file.threadId}.${only === undefined ? 'reprise' : 'bundle'}`
    return new Response(streamOf(file.content), {
      status: 200,
      headers: {
        'content-type': FILE_TYPE,
        'content-length': String(file.bytes),
        'content-disposition': `attachment; filename="${name}"`,
      },
    })
  })

  app.openapi(ROUTES.importThread, async c => {
    const { sessions, ...wanted } = given(c.req.valid('query'))
    if (wanted.trustKey !== undefined) {
      requireScope(c, 'approve', 'to trust a key')
      requirePerson(c)
    }
    const { body } = c.req.raw
    if (body === null) throw noFile()
    const options: ImportOptions = { ...wanted, sessions: sessions !== 'false' }
    return c.json(await reprise.threads.import(body, permitted(c, options)), 201)
  })

  app.openapi(ROUTES.approveThread, async c =>
    c.json(await reprise.threads.approve(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.getPublicKey, async c =>
    c.json({ publicKey: await reprise.threads.publicKey() }, 200),
  )
}

/** A reader that goes away ends the export. */
function streamOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}

function noFile(): RepriseError {
  const hint = `Send the thread file as the body, with Content-Type: ${FILE_TYPE}.`
  return new RepriseError('bad-input', 'the request has no body', hint)
}
