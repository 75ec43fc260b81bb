// The conversations of the full demo.
import type { Scene } from '../full/scene.ts'
import { tellThread } from '../full/tell-thread.ts'

export const THREADS: readonly Scene[] = [
  tellThread({
    title: 'Rate limits for the public API',
    workDir: 'shop',
    turns: [
      {
        ago: '9d 6h',
        prompt: 'How do we keep one caller from taking the whole API?',
        work: 6,
        answer:
          'Three places could hold the limit:\n\n1. **The proxy.** Nothing changes in the shop, but it only knows addresses.\n2. **A hook in Fastify.** It knows the API key, and costs one lookup per request.\n3. **The database.** Exact, and too slow for product pages.\n\nI would take the second, with a fixed window of one minute.',
      },
      {
        ago: '9d 5h 48m',
        prompt: 'Take the second. 600 requests per key and minute.',
        work: 9,
        answer:
          'Done. `src/http/rate-limit.ts` counts per key, and `/health` is never limited.\n\n| case | answer |\n| --- | --- |\n| below the limit | as before, with `ratelimit-remaining` |\n| above it | 429 with `retry-after` |',
      },
    ],
  }),
].flat()
