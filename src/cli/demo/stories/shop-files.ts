// The source files of the shop that the full demo works on: the agents read them, and a job changes them in git.

export const SHOP_FILES = {
  'package.json': `{
  "name": "shop",
  "private": true,
  "type": "module",
  "imports": { "#shop/*": "./src/*" },
  "scripts": { "start": "node src/main.ts", "test": "vitest run" },
  "dependencies": {
    "fastify": "^4.28.1",
    "pg": "^8.11.5",
    "zod": "^3.23.8"
  },
  "devDependencies": {
    "typescript": "^5.4.5",
    "vitest": "^1.6.0"
  }
}
`,
  'src/main.ts': `import { createPool } from '#shop/db/pool.ts'
import { createServer } from '#shop/http/server.ts'
import { startOutbox } from '#shop/orders/outbox.ts'

const pool = createPool(process.env.DATABASE_URL)
const server = createServer({ pool })
const outbox = startOutbox(pool, { everyMs: 2_000 })

await server.listen({ host: '0.0.0.0', port: 8080 })

process.on('SIGTERM', async () => {
  await server.close()
  await outbox.stop()
  await pool.end()
})
`,
  'src/db/pool.ts': `import pg from 'pg'

export type Pool = pg.Pool

export function createPool(url: string | undefined): Pool {
  return new pg.Pool({
    connectionString: url,
    max: 10,
    idleTimeoutMillis: 30_000,
  })
}
`,
  'src/http/server.ts': `import Fastify from 'fastify'
import type { Pool } from '#shop/db/pool.ts'
import { addOrderRoutes } from '#shop/orders/routes.ts'
import { addProductRoutes } from '#shop/products/routes.ts'
import { health } from '#shop/http/health.ts'

export function createServer({ pool }: { pool: Pool }) {
  const server = Fastify({ logger: true })
  server.get('/health', health())
  addOrderRoutes(server, pool)
  addProductRoutes(server, pool)
  return server
}
`,
  'src/http/health.ts': `import type { RouteHandler } from 'fastify'

export function health(): RouteHandler {
  return async (_request, reply) => {
    reply.code(200).send('ok')
  }
}
`,
  'src/orders/order.ts': `import { z } from 'zod'

export const orderSchema = z.object({
  customerId: z.string().uuid(),
  lines: z.array(
    z.object({
      sku: z.string().min(1),
      quantity: z.number().int().positive(),
      priceCents: z.number().int().nonnegative(),
    }),
  ),
})

export type Order = z.infer<typeof orderSchema>

export function totalCents(order: Order): number {
  return order.lines.reduce((sum, line) => sum + line.quantity * line.priceCents, 0)
}
`,
  'src/orders/routes.ts': `import type { FastifyInstance } from 'fastify'
import type { Pool } from '#shop/db/pool.ts'
import { orderSchema, totalCents } from '#shop/orders/order.ts'
import { saveOrder } from '#shop/orders/store.ts'

export function addOrderRoutes(server: FastifyInstance, pool: Pool): void {
  server.post('/orders', async (request, reply) => {
    const order = orderSchema.parse(request.body)
    const id = await saveOrder(pool, order)
    reply.code(201).send({ id, totalCents: totalCents(order) })
  })
}
`,
  'src/orders/store.ts': `import type { Pool } from '#shop/db/pool.ts'
import type { Order } from '#shop/orders/order.ts'

export async function saveOrder(pool: Pool, order: Order): Promise<string> {
  const { rows } = await pool.query(
    'insert into orders (customer_id, lines) values ($1, $2) returning id',
    [order.customerId, JSON.stringify(order.lines)],
  )
  return rows[0].id
}
`,
  'src/orders/outbox.ts': `import type { Pool } from '#shop/db/pool.ts'

export function startOutbox(pool: Pool, { everyMs }: { everyMs: number }) {
  let stopped = false
  const loop = async () => {
    while (!stopped) {
      const { rows } = await pool.query(
        'select id, payload from outbox where sent_at is null order by id limit 50',
      )
      for (const row of rows) await send(row.payload)
      await new Promise(resolve => setTimeout(resolve, everyMs))
    }
  }
  const running = loop()
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}

async function send(payload: unknown): Promise<void> {
  await fetch('http://till/orders', { method: 'POST', body: JSON.stringify(payload) })
}
`,
  'src/products/routes.ts': `import type { FastifyInstance } from 'fastify'
import type { Pool } from '#shop/db/pool.ts'

export function addProductRoutes(server: FastifyInstance, pool: Pool): void {
  server.get('/products/:sku', async (request, reply) => {
    const { sku } = request.params as { sku: string }
    const { rows } = await pool.query('select * from products where sku = $1', [sku])
    if (rows.length === 0) return reply.code(404).send({ error: 'unknown product' })
    reply.header('cache-control', 'no-cache').send(rows[0])
  })
}
`,
  'test/orders.test.ts': `import { expect, test } from 'vitest'
import { totalCents } from '#shop/orders/order.ts'

const customerId = '7f1f0d8e-5a52-4d7f-9a3e-0d3c1f3b2a10'

test('an order costs the sum of its lines', () => {
  const lines = [
    { sku: 'mug', quantity: 2, priceCents: 1_250 },
    { sku: 'tea', quantity: 1, priceCents: 700 },
  ]
  expect(totalCents({ customerId, lines })).toBe(3_200)
})

test('an order without lines costs nothing', () => {
  expect(totalCents({ customerId, lines: [] })).toBe(0)
})
`,
} as const

export type ShopFile = keyof typeof SHOP_FILES

/** A file as the Read tool shows it, with line numbers. */
export function numbered(file: ShopFile): string {
  return SHOP_FILES[file]
    .trimEnd()
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(5)}\t${line}`)
    .join('\n')
}
