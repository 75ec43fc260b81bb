// The jobs of the full demo, as they were submitted, and what their attempts do.
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { bashCall, editCall, failedCall, readCall, said } from '../full/steps.ts'
import type { JobStory } from '../full/tell-job.ts'
import { SHOP_FILES } from './shop-files.ts'

const HOUR_MS = 3_600_000

export const COMPLETED: JobStory = {
  prompt: 'Translate the error pages into German and French',
  workDir: 'website',
  attempts: [
    [
      bashCall('ls pages/errors', '404.html\n429.html\n500.html\n502.html'),
      readCall(
        'pages/errors/404.html',
        '    1\t<h1>This page is gone</h1>\n    2\t<p>Look for it on the start page.</p>',
      ),
      editCall('pages/errors/de/404.html', '', '<h1>Diese Seite gibt es nicht mehr</h1>'),
      editCall('pages/errors/fr/404.html', '', '<h1>Cette page n’existe plus</h1>'),
      said('All four pages are there in both languages, eight files. I kept the layout as it was.'),
    ],
  ],
}

/** The API is overloaded twice, then the work goes on in the same session. */
export const AFTER_AN_OUTAGE: JobStory = {
  prompt: 'Rename Customer to Account everywhere, and keep the API as it is',
  workDir: 'till',
  attempts: [
    [
      bashCall('grep -rl Customer src | wc -l', '34'),
      editCall('src/account.ts', 'export type Customer = {', 'export type Account = {'),
      said('11 of 34 files are done.'),
      { type: 'apiError', status: 529, retries: 3 },
    ],
    [{ type: 'apiError', status: 529, retries: 2 }, said('')],
    [
      bashCall('grep -rl Customer src | wc -l', '23'),
      editCall('src/receipt.ts', 'customer: Customer', 'account: Account'),
      bashCall('npx tsc --noEmit && npx vitest run', ' Tests  218 passed (218)'),
      said(
        'All 34 files are renamed. The API still says `customer`, by one mapping in `src/api/names.ts`.',
      ),
    ],
  ],
  minutes: 6,
}

export const FAILED: JobStory = {
  prompt: 'Write the release notes of November',
  workDir: 'website',
  attempts: [[{ type: 'apiError', status: 401 }]],
}

export const DEAD: JobStory = {
  prompt: 'Make the flaky test orders-sync stable',
  workDir: 'till',
  maxAttempts: 2,
  backoff: { firstMs: 20_000 },
  attempts: [
    [
      failedCall(
        'npx vitest run test/orders-sync.test.ts --repeats 50',
        ' Tests  3 failed | 47 passed (50)',
      ),
      said('It fails in 3 of 50 runs. The clock of the test and that of the queue differ.'),
      { type: 'maxTurns' },
    ],
    [
      failedCall(
        'npx vitest run test/orders-sync.test.ts --repeats 50',
        ' Tests  1 failed | 49 passed (50)',
      ),
      said('Better: 1 of 50. I look at the queue next.'),
      { type: 'maxTurns' },
    ],
  ],
  minutes: 12,
}

export const CANCELLED_JOB = (hangs: readonly ScriptStep[]): JobStory => ({
  prompt: 'Load all pictures of the catalogue again, in half the size',
  workDir: 'website',
  attempts: [
    [
      bashCall('ls catalogue/*.jpg | wc -l', '18240'),
      said('18,240 pictures. At this pace it takes nine hours.'),
      ...hangs,
    ],
  ],
  minutes: 10,
})

/** `everyMs` counts from when it was submitted. */
export const NIGHTLY: JobStory = {
  prompt: 'Run the whole test suite twice and list the tests that differ',
  workDir: 'till',
  schedule: { everyMs: 24 * HOUR_MS },
  attempts: [
    [
      bashCall('npx vitest run --reporter json > first.json', ''),
      bashCall('npx vitest run --reporter json > second.json', ''),
      said('Both runs are the same: 1,204 tests, none differs.'),
    ],
  ],
  minutes: 14,
}

export const limited = (resetsAt: number): JobStory => ({
  prompt: 'Add tests for every branch of the price rules',
  workDir: 'till',
  attempts: [
    [
      readCall(
        'src/prices/rules.ts',
        '    1\texport const RULES = [halfPrice, threeForTwo, staff, birthday]',
      ),
      said('Two of four rules have their tests now: `halfPrice` and `threeForTwo`.'),
      { type: 'usageLimit', resetsAt: Math.round(resetsAt / 1_000) },
    ],
  ],
  minutes: 8,
})

export const WAITING: JobStory = {
  prompt: 'Look for dead links on the website',
  workDir: 'website',
  backoff: { firstMs: 75 * 60_000, maxMs: 2 * HOUR_MS, jitter: 0 },
  attempts: [
    [bashCall('wc -l < sitemap.txt', '1840'), { type: 'apiError', status: null, retries: 5 }],
  ],
}

export const QUEUED: JobStory = {
  prompt: 'Drop the polyfills that Node 24 does not need',
  workDir: 'shop',
  concurrencyKey: 'dependencies',
  attempts: [],
}

const UPDATED_PACKAGE = SHOP_FILES['package.json']
  .replace('"fastify": "^4.28.1"', '"fastify": "^5.2.0"')
  .replace('"pg": "^8.11.5"', '"pg": "^8.13.1"')

const UPDATED_SERVER = SHOP_FILES['src/http/server.ts'].replace(
  'Fastify({ logger: true })',
  "Fastify({ loggerInstance: pino({ level: 'info' }) })",
)

/** The job with checkpoints. Reprise is stopped in its first attempt, the second one falls silent, the third one runs. */
export function updateJob(shop: string, hangs: readonly ScriptStep[]): JobStory {
  const file = (name: string, text: string): ScriptStep => ({
    type: 'writeFile',
    path: `${shop}/${name}`,
    text,
  })
  return {
    prompt: 'Update the dependencies and make the tests pass',
    workDir: 'shop',
    concurrencyKey: 'dependencies',
    timeoutMs: HOUR_MS / 2,
    attempts: [
      [
        bashCall(
          'npm outdated',
          'Package     Current  Wanted  Latest\nfastify     4.28.1   4.29.0  5.2.0\npg          8.11.5   8.13.1  8.13.1\nzod         3.23.8   3.23.8  4.0.2',
        ),
        file('package.json', UPDATED_PACKAGE),
        editCall(
          'package.json',
          '"fastify": "^4.28.1",\n    "pg": "^8.11.5",',
          '"fastify": "^5.2.0",\n    "pg": "^8.13.1",',
        ),
        bashCall('npm install', 'added 4 packages, changed 61 packages in 9s'),
        said('fastify and pg are up to date. I run the tests.'),
        ...hangs,
      ],
      [
        failedCall(
          'npx vitest run',
          ' ❯ test/orders.test.ts (14 tests | 14 failed)\n Error: options.logger only accepts a configuration object',
        ),
        file('src/http/server.ts', UPDATED_SERVER),
        editCall(
          'src/http/server.ts',
          'Fastify({ logger: true })',
          "Fastify({ loggerInstance: pino({ level: 'info' }) })",
        ),
        said(
          'fastify 5 wants the logger as `loggerInstance`. 14 tests fail because of it; I changed it.',
        ),
        { type: 'hang' },
      ],
    ],
    minutes: 13,
  }
}

/** What the third attempt has done so far. */
export const UPDATE_GOES_ON: readonly ScriptStep[] = [
  bashCall('git status --short', ' M package.json\n M src/http/server.ts'),
  readCall(
    'src/http/server.ts',
    "    8\texport function createServer({ pool }: { pool: Pool }) {\n    9\t  const server = Fastify({ loggerInstance: pino({ level: 'info' }) })",
  ),
  said('The update of fastify is half done. I finish its 14 tests first, then zod.'),
  failedCall(
    'npx vitest run',
    ' Test Files  1 failed | 7 passed (8)\n      Tests  4 failed | 236 passed (240)',
  ),
  said('236 of 240 tests pass …'),
]
