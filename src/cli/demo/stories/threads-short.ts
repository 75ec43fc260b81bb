// Short conversations of the full demo: a question or two, and the session goes on.
import type { ThreadStory } from '../full/tell-thread.ts'

type Row = readonly [ago: string, prompt: string, answer: string, calls: number]

const story = (title: string, workDir: ThreadStory['workDir'], rows: readonly Row[]) => ({
  title,
  workDir,
  turns: rows.map(([ago, prompt, answer, work]) => ({ ago, prompt, answer, work })),
})

export const SHORT_THREADS: readonly ThreadStory[] = [
  story('Move the till to Node 24', 'till', [
    [
      '13d 3h',
      'Can the till run on Node 24?',
      'Yes. One package is too old for it: `serial-2`. There is a new version.',
      5,
    ],
    [
      '13d 2h 30m',
      'Update it and try.',
      'All 218 tests pass on Node 24. It starts 90 ms sooner.',
      7,
    ],
  ]),
  story('Search that forgives typing errors', 'shop', [
    [
      '12d 8h',
      'People type "ketle". We should find kettles.',
      'Trigrams in Postgres do that: `create extension pg_trgm`. No new server.',
      6,
    ],
    [
      '12d 7h 40m',
      'Try it on the real catalogue.',
      'Of 200 wrong words from the log, **187** find the right product. A search takes 11 ms.',
      8,
    ],
  ]),
  story('Gift cards that expire', 'shop', [
    [
      '11d 4h',
      'When do our gift cards expire?',
      'After three years, at the end of the year. It is in `src/gifts/expiry.ts`, with a test.',
      4,
    ],
    [
      '7d 6h',
      'Send a mail a month before.',
      'Done, with a switch. Tonight it would send 41 mails.',
      8,
    ],
  ]),
  story('A dark mode for the back office', 'website', [
    [
      '10d 7h',
      'The back office is too bright at night.',
      'It has 34 colours. I can bring them down to 11 tokens, each with a light and a dark value.',
      5,
    ],
    ['10d 6h', 'Do it.', 'Done. All text has a contrast of at least 4.5 in both.', 9],
    [
      '9d 8h',
      'Remember the choice.',
      'It is kept per browser, and follows the system until somebody chooses.',
      4,
    ],
  ]),
  story('Orders from Switzerland', 'shop', [
    [
      '8d 8h',
      'Why do orders from Switzerland fail?',
      'The postcode has four digits there, and we ask for five.',
      5,
    ],
    [
      '8d 7h 40m',
      'Allow four.',
      'Each country has its own rule now, for nine countries. 27 tests.',
      7,
    ],
  ]),
  story('Licences of our packages', 'shop', [
    [
      '4d 8h',
      'Is there a licence among our packages that we cannot use?',
      '212 packages: 180 MIT, 21 ISC, 9 BSD, 2 Apache. All are fine.',
      5,
    ],
  ]),
  story('Mails that land in spam', 'fleet', [
    [
      '6d 8h',
      'Our mails land in spam since Monday.',
      'The DKIM key of the new mail host is missing in the DNS.',
      6,
    ],
    [
      '6d 7h 30m',
      'Which line do I add?',
      '```\nmail2026._domainkey  TXT  "v=DKIM1; k=rsa; p=MIIBIjANBg…"\n```',
      2,
    ],
  ]),
  story('Prices with tax in the feed', 'shop', [
    [
      '2d 9h',
      'The feed has prices without tax. Is that right?',
      'For this partner, no: its contract says with tax.',
      5,
    ],
    [
      '2d 8h 40m',
      'Change it for this partner only.',
      'The feed has a setting for each partner now. This one has tax since 10:40.',
      6,
    ],
  ]),
  story('Slow start of the website', 'website', [
    [
      '1d 8h',
      'The start page takes three seconds on a phone.',
      'Two of them are one script: the map of our shops, which is below the fold.',
      6,
    ],
    [
      '1d 7h 30m',
      'Load it later.',
      'It loads when somebody scrolls to it. The page takes **0.9 s** now.',
      6,
    ],
    ['3h 30m', 'Did it help?', 'Yes: 14 % fewer people leave before the page is there.', 4],
  ]),
  story('Who may see customer data?', 'shop', [
    [
      '4h 5m',
      'List who can read the table of customers.',
      '- `shop`: reads and writes\n- `report`: reads, without addresses\n- `ada`: everything; left over from a migration',
      4,
    ],
    ['3h 50m', 'Remove the last one.', 'Done. Nothing used it in the last 60 days.', 3],
  ]),
]
