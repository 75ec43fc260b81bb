// Conversations of the full demo that go on for days, almost always in the same session.
import { bashCall, editCall, failedCall, readCall, writeCall } from '../full/steps.ts'
import type { ThreadStory } from '../full/tell-thread.ts'
import { accessLog, catalogue } from './pasted-logs.ts'
import { numbered } from './shop-files.ts'

export const LONG_THREADS: readonly ThreadStory[] = [
  {
    title: 'Rate limits for the public API',
    workDir: 'shop',
    turns: [
      {
        ago: '13d 6h',
        prompt: 'How do we keep one caller from taking the whole API?',
        work: 9,
        answer: `Three places could hold the limit:

1. **The proxy.** Nothing changes in the shop, but it only knows addresses.
2. **A hook in Fastify.** It knows the API key, and costs one lookup per request.
3. **The database.** Exact, and too slow for product pages.

I would take the second, with a fixed window of one minute.`,
      },
      {
        ago: '13d 5h 48m',
        prompt: 'Take the second. 600 requests per key and minute.',
        work: [
          readCall('src/http/server.ts', numbered('src/http/server.ts')),
          writeCall(
            'src/http/rate-limit.ts',
            `const WINDOW_MS = 60_000

export function createRateLimit(most: number, now = Date.now) {
  const seen = new Map<string, { count: number; until: number }>()
  return (key: string) => {
    const entry = seen.get(key)
    if (!entry || entry.until <= now()) {
      seen.set(key, { count: 1, until: now() + WINDOW_MS })
      return { allowed: true, left: most - 1 }
    }
    entry.count += 1
    return { allowed: entry.count <= most, left: Math.max(0, most - entry.count) }
  }
}
`,
          ),
          editCall(
            'src/http/server.ts',
            "  server.get('/health', health())",
            "  const limit = createRateLimit(600)\n  server.addHook('onRequest', limited(limit))\n  server.get('/health', health())",
          ),
          failedCall(
            'npx vitest run test/rate-limit.test.ts',
            ' ❯ test/rate-limit.test.ts (4 tests | 1 failed)\n   × the window begins again after a minute\n     AssertionError: expected false to be true',
          ),
          editCall('src/http/rate-limit.ts', 'entry.until < now()', 'entry.until <= now()'),
          bashCall(
            'npx vitest run test/rate-limit.test.ts',
            ' ✓ test/rate-limit.test.ts (4 tests) 9ms',
          ),
        ],
        answer: `Done. \`src/http/rate-limit.ts\` counts per key, and \`/health\` is never limited.

| case | answer |
| --- | --- |
| below the limit | as before, with \`ratelimit-remaining\` |
| above it | 429 with \`retry-after\` |
| no key | counted by address, 60 per minute |

The window was off by one millisecond at first; a test holds that now.`,
      },
      {
        ago: '12d 7h',
        prompt: 'Two of our partners share an address. Does that hurt them?',
        work: 7,
        answer:
          'No. Both send a key, so they are counted apart. Only callers **without** a key share the 60 requests of their address.',
      },
      {
        ago: '11d 5h',
        prompt: 'Give partners 3,000, from the table of keys.',
        work: 11,
        answer: `The table has a new column, \`most_per_minute\`, with 600 as its default.

\`\`\`sql
alter table api_keys
  add column most_per_minute integer not null default 600;
\`\`\`

The limit is read once per key and minute, so a change takes effect within a minute.`,
      },
      {
        ago: '9d 3h',
        prompt: 'Write down how a partner can see how much is left.',
        work: 6,
        answer:
          'I added a section to `docs/partners.md`: the three headers, an example with `curl`, and what to do after a 429. It is 40 lines.',
      },
      {
        ago: '6d 4h',
        prompt: 'Are there callers that reach the limit every day?',
        work: 8,
        answer: `Two, by the log of the last week:

- **price-watch** reaches 600 each morning between 06:00 and 06:20.
- **till-backup** sends everything twice; that is a bug of ours.

The second one is worth fixing first.`,
      },
      {
        ago: '6d 3h 30m',
        prompt: 'Fix the second one.',
        work: 10,
        answer:
          'Fixed: the retry of the till began before the first answer was read. It now waits for it. 41 tests of the till pass, two of them are new.',
      },
      {
        ago: '1d 5h',
        prompt: 'Could we move the counters to Redis when we have two web servers?',
        work: 7,
        answer:
          'Yes, behind the same function. `incr` and `expire` in one pipeline cost about **0.4 ms** here. I would wait until the second server is real: with one, it is slower and can fail.',
      },
    ],
  },
  {
    title: 'Stock counts below zero',
    workDir: 'shop',
    turns: [
      {
        ago: '12d 3h',
        prompt: accessLog('Some products have a stock of -1. How? The log of that hour:', 1_900),
        work: 10,
        answer: `Two orders for the last piece read the same stock:

\`\`\`
order A   read 1            write 0
order B          read 1              write -1
\`\`\`

Nothing keeps the second one from writing.`,
      },
      {
        ago: '12d 2h 40m',
        prompt: 'Make it impossible, and test it with two connections.',
        work: 12,
        answer:
          'The count goes down in one statement now: `update stock set count = count - $1 where sku = $2 and count >= $1`. If no row changes, the order is refused with **409**. The test opens two connections and orders the last piece 200 times.',
      },
      {
        ago: '10d 6h',
        prompt: 'What about baskets that keep a piece for ten minutes?',
        work: 8,
        answer:
          'They are rows of their own, in `reservations`. A piece counts as gone while its reservation lives. Expired ones are removed by the same query that looks for free pieces, so no job is needed.',
      },
      {
        ago: '8d 5h',
        prompt: 'Repair the products that are below zero now.',
        work: 6,
        answer:
          'There were 17. I set them to zero and noted each in `stock_corrections`, with the orders that caused it.',
      },
      {
        ago: '5d 2h',
        prompt: 'Show me the reservations of today.',
        work: 4,
        answer: 'There were 171: 142 were bought, 29 expired.',
      },
      {
        ago: '5d 1h 50m',
        prompt: 'Show me the reservations of today as a table, by hour.',
        replaces: 9,
        work: 5,
        answer: `| hour | reserved | bought | expired |
| --- | ---: | ---: | ---: |
| 09 | 41 | 33 | 8 |
| 10 | 58 | 49 | 9 |
| 11 | 72 | 60 | 12 |

About one in seven expires.`,
      },
      {
        ago: '2d 6h',
        prompt: 'Ten minutes is short for families. What would twenty cost us?',
        work: 7,
        answer:
          'By the numbers of last week: at most **4 pieces** more are kept at any time, of about 18,000. I would do it.',
      },
    ],
  },
  {
    title: 'Import the winter catalogue',
    workDir: 'shop',
    turns: [
      {
        ago: '7d 5h',
        prompt: catalogue('This is the winter catalogue. What is wrong with it?', 2_600),
        before: async ({ meter }) => meter.grow(60_000),
        work: 12,
        answer: `I read all 2,600 rows. Most are fine; these are not:

- 212 rows have no weight.
- 40 prices use a comma.
- 3 products have the same SKU, \`MUG-RED\`.`,
      },
      {
        ago: '7d 4h 20m',
        prompt: 'Repair what you can, and list the rest.',
        before: async ({ meter }) => meter.grow(128_000),
        work: 14,
        answer:
          'The 40 prices are repaired. The weights and the three mugs are in `to-ask.csv`, 215 rows.',
      },
      {
        ago: '7d 3h',
        prompt: 'Import all but these rows.',
        before: async ({ meter }) => meter.grow(158_000),
        work: 9,
        answer:
          '2,385 products are imported, in five batches of 500. The shop shows them from 1 December on.',
      },
      {
        ago: '4d 6h',
        prompt: 'The supplier sent the weights. Add them.',
        work: 8,
        answer:
          'Done: all 212 weights are there. The three mugs still wait for an answer of the supplier.',
      },
      {
        ago: '4d 5h 30m',
        prompt: 'How long did the whole import take?',
        work: 3,
        answer:
          'Eleven minutes, of which nine were spent on pictures. The next one could fetch them in the background.',
      },
    ],
  },
  {
    title: 'Explain the queue to a newcomer',
    workDir: 'till',
    turns: [
      {
        ago: '6h 20m',
        prompt: 'Explain the queue between shop and till to somebody who starts on Monday.',
        work: 6,
        answer: `**In one sentence:** the shop writes each order into a table (the *outbox*) in the same transaction as the order itself, and a small loop sends what is in there to the till.

Why so:

1. If the till is away, orders wait. None is lost.
2. If the shop stops in the middle, the order and its message are both there, or neither.
3. The till may get a message twice. It knows the id, so it prints one receipt.

Look at \`src/orders/outbox.ts\` first; it has 25 lines.`,
      },
    ],
  },
]
