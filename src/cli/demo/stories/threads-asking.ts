// Conversations of the full demo in which the agent asks: answered, allowed, refused, too late, and one that still waits.
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { bashCall, editCall, withPermission } from '../full/steps.ts'
import type { ThreadStory } from '../full/tell-thread.ts'

function asks(
  question: string,
  options: readonly (readonly [label: string, description: string])[],
): ScriptStep {
  const choices = options.map(([label, description]) => ({ label, description }))
  return { type: 'ask', questions: [{ question, header: 'Choose', options: choices }] }
}

export const ASKING_THREADS: readonly ThreadStory[] = [
  {
    title: 'Split orders out of the shop',
    workDir: 'shop',
    turns: [
      {
        ago: '2d 8h',
        prompt: 'We want orders as a service of their own. Where would you cut?',
        work: 10,
        answer: `At the outbox. Today:

\`\`\`
shop ── orders ── outbox ──▶ till
\`\`\`

Everything right of *orders* already goes through messages. The cut needs three changes: a table that moves, a route that moves, and one call that becomes a message.`,
      },
      {
        ago: '2d 7h 30m',
        prompt: 'Which of the three is the risky one?',
        work: 5,
        answer:
          'The call. `POST /orders` answers with the total, so it cannot become a message without a change for the website.',
      },
      {
        ago: '1d 6h 30m',
        prompt: 'Then keep the call. Make a plan with small steps.',
        work: 6,
        answer: `1. The new service reads the same database. *(a day)*
2. The shop calls it for new orders, one in ten. *(a day)*
3. All of them, with a switch to go back. *(half a day)*
4. The table moves. *(at night)*

After each step everything works, and each can be undone.`,
      },
      {
        ago: '7h',
        prompt: 'Do step 1.',
        work: 12,
        answer:
          'The service `orders` runs beside the shop and reads its orders. 31 tests, no writes yet.',
      },
      {
        ago: '44m',
        prompt: 'Prepare step 4: which database should it get?',
        asks: true,
        work: [
          bashCall(
            'psql -Atc "select pg_size_pretty(pg_total_relation_size(\'orders\'))"',
            '6210 MB',
          ),
          asks('Which store should the orders service use?', [
            ['Postgres', 'Runs for the shop already; one more schema, backups included'],
            ['SQLite', 'No server to run; one writer at a time'],
            ['Two stores', 'SQLite at the till, Postgres in the back; needs a sync'],
          ]),
        ],
      },
    ],
  },
  {
    title: 'Invoices as PDF',
    workDir: 'shop',
    turns: [
      {
        ago: '4d 7h',
        prompt: 'Customers want invoices as PDF. Begin.',
        asks: true,
        work: [
          bashCall('npm view pdfkit version', '0.17.1'),
          asks('Where should the PDF be made?', [
            ['When it is asked for', 'Always current; takes 200 ms'],
            ['When the order is sent', 'Instant later; 40 kB per order on disk'],
          ]),
        ],
      },
      {
        ago: '4d 6h 40m',
        reply: { content: 'When it is asked for' },
        work: 9,
        answer:
          '`GET /orders/:id/invoice.pdf` makes it on the spot, in 180 ms. It has the address, the lines, the tax and the total.',
      },
      {
        ago: '4d 2h',
        prompt: 'Put our logo on it.',
        work: 5,
        answer: 'It is at the top left, 24 mm wide, and adds 2 kB.',
      },
    ],
  },
  {
    title: 'Delete accounts for good',
    workDir: 'shop',
    turns: [
      {
        ago: '3d 8h',
        prompt: 'Delete the 14 accounts that asked for it. Show me before you do.',
        asks: true,
        work: [
          bashCall('psql -Atc "select count(*) from accounts where delete_asked"', '14'),
          withPermission(
            bashCall(
              'psql -c "delete from accounts where delete_asked and not has_open_orders"',
              'DELETE 13',
            ),
          ),
        ],
        answer: '13 are deleted. One has an open order; it stays until that is sent.',
      },
      { ago: '3d 7h 56m', reply: { allow: true } },
      {
        ago: '3d 7h 30m',
        prompt: 'Then close the open order too.',
        asks: true,
        work: [
          withPermission(
            bashCall('psql -c "update orders set status = \'closed\' where id = 88412"', ''),
          ),
        ],
        answer: 'I left the order as it is. It can be closed when it was sent.',
      },
      { ago: '3d 7h 20m', reply: { allow: false, message: 'Wait until it is sent.' } },
    ],
  },
  {
    title: 'Close the shop at night',
    workDir: 'website',
    turns: [
      {
        ago: '7d 2h',
        prompt: 'Can we show a page that says we are closed from 02:00 to 03:00?',
        work: 3,
        answer:
          'Yes, in the proxy: one file and one rule with the time. Nothing in the shop changes.',
      },
      {
        ago: '7d 1h 30m',
        prompt: 'Write it.',
        asks: true,
        work: [
          withPermission(
            editCall(
              'proxy/shop.conf',
              'location / { proxy_pass http://shop; }',
              'location / {\n  if ($closed) { return 503; }\n  proxy_pass http://shop;\n}',
            ),
          ),
        ],
        answer: 'The rule is there.',
      },
    ],
  },
]
