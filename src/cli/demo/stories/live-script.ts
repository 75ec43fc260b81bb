// What the agents do once the full demo is open: the turns that still run, and answers to what its visitor sends.
import type { FakeScript, ScriptStep, TextPiece } from '../../../testing/fake-agent/script.ts'
import { bashCall, readCall, said, withPermission } from '../full/steps.ts'
import type { StoryWorld } from '../full/story-world.ts'
import { UPDATE_GOES_ON } from './job-stories.ts'
import { HEALTH_EDIT } from './live-threads.ts'

export const PROMPTS_NOW = {
  restart: 'Restart the web container, and tell me whether it answers',
  backup: 'Measure each step of the backup, one after the other',
  restore: 'And how long would a restore take?',
  health: 'Let the health check ask the database as well',
  chain: 'Product pages take two seconds. Find the cause.',
} as const

const USAGE = {
  inputTokens: 6,
  cacheReadTokens: 24_800,
  cacheWriteTokens: 2_140,
  outputTokens: 512,
}
const bill: ScriptStep = { type: 'billed', usage: USAGE }

/** `still`: what runs does not go on, so that every picture is the same. */
export function liveScript(world: StoryWorld, { still }: { readonly still: boolean }): FakeScript {
  const goOn = (...steps: readonly ScriptStep[]): readonly ScriptStep[] =>
    still ? [{ type: 'hang' }] : [{ type: 'waitForFile', path: openedMark(world) }, ...steps]
  return [
    { when: 'attempt 3', once: true, do: [bill, ...UPDATE_GOES_ON, ...goOn(...slowTests())] },
    { when: PROMPTS_NOW.restart, do: [bill, ...restartSteps()] },
    { when: PROMPTS_NOW.health, do: [bill, ...healthSteps()] },
    { when: PROMPTS_NOW.backup, do: [bill, ...backupSteps(), ...goOn(slowText(BACKUP_TABLE))] },
    { when: 'tier 3 of 3', do: [{ type: 'sleep', ms: 3_000 }, ...rollBackSteps()] },
    {
      when: 'tier 2 of 3',
      once: true,
      do: [bill, ...cacheSteps(), ...goOn({ type: 'sleep', ms: 90_000 }, resolvedStep())],
    },
    { when: 'tier 2 of 3', do: [{ type: 'sleep', ms: 3_000 }, resolvedStep()] },
    { when: 'tier 1 of 3', do: [bill, ...lookSteps()] },
    { do: [bill, slowText(ANSWER_TO_VISITORS)] },
  ]
}

/** Created when the demo is open. */
export function openedMark(world: StoryWorld): string {
  return world.path('opened')
}

function restartSteps(): readonly ScriptStep[] {
  const command =
    'docker compose restart shop-web && curl -fsS --retry 5 http://127.0.0.1:8080/health'
  return [
    bashCall(
      'docker compose ps shop-web',
      'shop-web-1   Up 3 minutes (unhealthy)   0.0.0.0:8080->8080/tcp',
    ),
    said('I restart the web container, then ask for its health.'),
    withPermission(bashCall(command, 'Container shop-web-1  Restarted\nok')),
    said('It is restarted and answers with `ok`.'),
  ]
}

function healthSteps(): readonly ScriptStep[] {
  return [
    readCall(
      'src/http/health.ts',
      "    1\timport type { RouteHandler } from 'fastify'\n    2\t\n    3\texport function health(): RouteHandler {\n    4\t  return async (_request, reply) => {\n    5\t    reply.code(200).send('ok')\n    6\t  }\n    7\t}",
    ),
    said('The check asks the database and answers 503 when it is silent for half a second.'),
    withPermission(HEALTH_EDIT),
    said('Done. `GET /health` answers 503 while the database is silent.'),
  ]
}

function backupSteps(): readonly ScriptStep[] {
  return [
    bashCall(
      'systemd-analyze log nightly-backup | tail -4',
      'dump      01:00:02 – 01:09:40\ncompress  01:09:40 – 04:41:13\nupload    04:41:13 – 04:58:51\nverify    04:58:51 – 05:02:20',
    ),
    said('Compressing takes three and a half of the four hours. I measure it alone.'),
    bashCall('time xz -9 -T1 < sample.dump | wc -c', '41203816\nreal 2m51.204s'),
    bashCall('time zstd -10 -T0 < sample.dump | wc -c', '44107232\nreal 0m4.880s'),
    said('`xz` works on one core. On the same sample:\n\n'),
  ]
}

const BACKUP_TABLE = `| program | time | size |
| --- | ---: | ---: |
| \`xz -9 -T1\` | 171 s | 41 MB |
| \`zstd -10 -T0\` | 5 s | 44 MB |

With \`zstd\` the night takes **under an hour**. The copies grow by 7 %. I would change \`backup.sh\` like this:

\`\`\`diff
-xz -9 -T1 "$dump"
+zstd -10 -T0 --rm "$dump"
\`\`\`
`

function cacheSteps(): readonly ScriptStep[] {
  return [
    bashCall('redis-cli info stats | grep keyspace', 'keyspace_hits:1204\nkeyspace_misses:48211'),
    bashCall('redis-cli config get maxmemory', 'maxmemory\n67108864'),
    said('The cache is too small for the catalogue: 64 MB, and it needs about 210 MB.'),
  ]
}

function lookSteps(): readonly ScriptStep[] {
  return [
    bashCall('curl -s -w "%{time_total}" -o /dev/null http://shop/products/mug', '2.087'),
    {
      type: 'verdict',
      output: {
        verdict: 'escalate',
        summary: 'Product pages take 2.1 s; all other pages are as quick as before.',
        reason: 'the cache of the product pages misses, and tier 1 may not change it',
        findings: [{ service: 'products', status: 'slow', detail: '2.1 s instead of 90 ms' }],
      },
    },
  ]
}

function resolvedStep(): ScriptStep {
  const summary = 'With 256 MB the cache holds the whole catalogue; product pages take 90 ms.'
  return { type: 'verdict', output: { verdict: 'resolved', summary } }
}

function rollBackSteps(): readonly ScriptStep[] {
  const summary = 'The release before this one is back, and the outbox is empty.'
  return [
    bashCall('helm rollback shop 41 --wait', 'Rollback was a success! Happy Helming!'),
    { type: 'sleep', ms: 2_000 },
    bashCall('psql -Atc "select count(*) from outbox where sent_at is null"', '0'),
    { type: 'verdict', output: { verdict: 'resolved', summary } },
  ]
}

function slowTests(): readonly ScriptStep[] {
  return Array.from({ length: 40 }, (_, index) => [
    { type: 'sleep', ms: 15_000 } as const,
    bashCall(`npx vitest run --shard ${index + 1}/40`, ` Tests  6 passed (6)`),
  ]).flat()
}

const ANSWER_TO_VISITORS = `This is the **fake agent** of the demo. It says the same to everybody, but everything around it is real:

- Reprise decided how this turn continues; ask \`why\`.
- The answer is stored, event by event, before you see it.
- The session file is there, and the next turn resumes it.

Try an edit of an earlier message, and look at the preview.
`

/** A text that arrives word by word. */
function slowText(words: string): ScriptStep {
  const pieces = words.match(/\S+\s*/g) ?? []
  return {
    type: 'text',
    text: pieces.flatMap((piece): readonly TextPiece[] => [piece, { sleepMs: 60 }]),
  }
}
