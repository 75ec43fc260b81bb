// Conversations of the full demo whose history, agent, directory or program changed between two turns.
import { bashCall, editCall, said } from '../full/steps.ts'
import { NEW_VERSION } from '../full/story-world.ts'
import type { ThreadStory, Told } from '../full/tell-thread.ts'
import { accessLog, catalogue } from './pasted-logs.ts'

/** Replaces the text of a message; counts from 1. */
const edits =
  (number: number, text: string) =>
  async ({ thread }: Told): Promise<void> => {
    const { messages } = await thread.show()
    const message = messages[number - 1]
    if (message) await thread.edit(message.id, text)
  }

/** Begins another thread with the first two messages of this one. */
const forks =
  (title: string) =>
  async ({ thread, world }: Told): Promise<void> => {
    const { messages } = await thread.show()
    const at = messages[1]
    if (!at) return
    const copy = await thread.fork({ at: at.id, title })
    await world.script([{ do: [said('One disk was full. We lost 31 minutes, and no order.')] }])
    await copy.send('Make one sentence of it.').result
  }

export const CHANGED_THREADS: readonly ThreadStory[] = [
  {
    title: 'Postmortem of 9 November',
    workDir: 'fleet',
    turns: [
      {
        ago: '8d 7h',
        prompt: accessLog('Collect what happened on 9 November. The log of the web server:', 1_600),
        options: { model: 'claude-opus-4-8' },
        work: [
          bashCall(
            'journalctl --since "2026-11-09 14:00" --until "2026-11-09 15:30" -u shop | grep -c ERROR',
            '1842',
          ),
          bashCall(
            'journalctl --since "2026-11-09 14:00" -u postgres | grep -m3 FATAL',
            '14:06:11 FATAL: no space left on device\n14:06:11 FATAL: no space left on device\n14:06:14 FATAL: the database system is in recovery mode',
          ),
        ],
        answer: `| time | what |
| --- | --- |
| 14:06 | the disk of the database is full |
| 14:07 | the shop answers 500 |
| 14:31 | Ada adds 100 GB |
| 14:38 | the database is back |
| 15:10 | the last waiting order is sent |`,
      },
      {
        ago: '8d 6h 40m',
        prompt: 'Write the postmortem, for customers.',
        options: { model: 'claude-opus-4-8' },
        work: 4,
        answer:
          '# What happened on 9 November\n\nFrom 14:07 to 14:38 the shop could not take orders. A disk was full, and the alarm for it was off. No order was lost. The alarm is on again, at 80 %.',
      },
      {
        ago: '8d 6h',
        prompt: 'Add what we change, as a list.',
        options: { model: 'claude-opus-4-8' },
        before: edits(3, 'Write the postmortem, for our own team.'),
        work: 3,
        answer:
          '- The alarm is on at 80 %, and a test calls it each week.\n- Old logs move away after 14 days.\n- The runbook says how to add space.',
      },
      {
        ago: '3d 4h',
        before: forks('Postmortem of 9 November, on one page'),
        prompt: 'Who has to do what until Friday?',
        options: { model: 'claude-opus-4-8' },
        work: 3,
        answer:
          '**Ada**: the test of the alarm. **Ben**: the logs. **Chris**: the runbook, two pages.',
      },
    ],
  },
  {
    title: 'Add tracing to the checkout',
    workDir: 'shop',
    turns: [
      {
        ago: '10d 2h',
        prompt: 'Add tracing to the checkout, so that we see which call is slow.',
        work: 11,
        answer:
          'The checkout has five spans now: basket, stock, price, payment, mail. `npm run trace` shows the last hundred.',
      },
      {
        ago: '10d 1h 30m',
        prompt: 'Review this. What would you not let pass?',
        options: { agent: 'reviewer', model: 'claude-opus-4-8' },
        work: 6,
        answer: `Two things:

1. \`span.end()\` is not called when the payment throws. Use \`try … finally\`.
2. The customer's mail address is an attribute of a span. **Remove it.**

The rest is good.`,
      },
      {
        ago: '10d 1h',
        prompt: 'Do both.',
        options: { agent: 'claude-code' },
        work: [
          editCall(
            'src/checkout/pay.ts',
            "  const span = tracer.startSpan('payment', { attributes: { mail: customer.mail } })\n  const paid = await pay(order)\n  span.end()",
            "  const span = tracer.startSpan('payment')\n  try {\n    return await pay(order)\n  } finally {\n    span.end()\n  }",
          ),
          bashCall(
            'npx vitest run test/checkout.test.ts',
            ' ✓ test/checkout.test.ts (22 tests) 310ms',
          ),
        ],
        answer:
          'Both are done: the span ends in `finally`, and no span holds a mail address. A test looks for `@` in all attributes.',
      },
      {
        ago: '3d 6h',
        prompt: 'Which call was the slowest yesterday?',
        work: 5,
        answer: '`payment`, by far: **1.9 s** at the 95th percentile. All others are below 80 ms.',
      },
      {
        ago: '3d 5h 20m',
        prompt: 'Would you change anything else before we release it?',
        options: { agent: 'reviewer', model: 'claude-opus-4-8' },
        before: ({ world }) => world.updateReviewer(NEW_VERSION),
        work: 5,
        answer:
          'No. Sample one request in ten before you release it: the traces of a busy day would take 6 GB.',
      },
    ],
  },
  {
    title: 'Cache headers of the product pages',
    workDir: 'shop',
    turns: [
      {
        ago: '5d 7h',
        prompt: 'Which cache headers should product pages have?',
        work: 5,
        answer:
          '`public, max-age=60, stale-while-revalidate=600`. Prices may be a minute old; pictures never change under the same name.',
      },
      {
        ago: '5d 6h 45m',
        prompt: 'Forget what we said. What would you say with fresh eyes?',
        options: { freshSession: true },
        work: 5,
        answer:
          'The same, with one difference: send an `etag` too. Crawlers ask again each minute, and 304 costs us nothing.',
      },
      {
        ago: '4d 3h',
        prompt: 'Then do it.',
        work: 8,
        answer:
          'Product pages send both headers. In the test, 94 of 100 requests of a crawler get a 304.',
      },
    ],
  },
  {
    title: 'Cheaper images in the catalogue',
    workDir: 'shop',
    turns: [
      {
        ago: '11d 7h',
        prompt: 'The catalogue sends 4 MB of images per page. Where is the weight?',
        work: 6,
        answer:
          'In 12 hero pictures: PNG, 2,400 pixels wide, 310 kB each. As AVIF at 1,200 pixels they have 38 kB.',
      },
      {
        ago: '11d 6h 30m',
        prompt: 'Convert them, and keep the originals.',
        work: 7,
        answer:
          'Done. A page sends **0.5 MB** now. The originals are in `originals/`, outside of the build.',
      },
      {
        ago: '6d 1h',
        prompt: 'Do the same for the website.',
        moves: 'website',
        work: 6,
        answer: 'The website had 31 pictures, 9 MB in all. It has 1.1 MB now.',
      },
      {
        ago: '5d 22h',
        prompt: 'And the logo?',
        moves: 'website',
        work: 2,
        answer: 'It is an SVG of 2 kB. There is nothing to win.',
      },
    ],
  },
  {
    title: 'Why are totals off by a cent?',
    workDir: 'shop',
    turns: [
      {
        ago: '9d 7h',
        prompt: catalogue('Some totals are off by a cent. These are the products:', 1_700),
        work: 9,
        answer:
          'The tax is rounded **per line** in the shop, and **per order** in the till. With three lines of 0.335 they differ by a cent.',
      },
      {
        ago: '9d 6h 30m',
        prompt: 'The till is right. Change the shop.',
        work: 8,
        answer:
          'The shop rounds once, at the end. All 412 orders of yesterday have the same total in both now.',
      },
      {
        ago: '2d 2h',
        prompt: 'Is there another place where we round?',
        refuses: true,
        work: 6,
        answer:
          'One: `src/refunds/amount.ts`. It rounds per line too. No refund was wrong so far, because refunds have one line each.',
      },
    ],
  },
]
