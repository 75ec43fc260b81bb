// Chains of the full demo that were held, failed or came to their last tier.
import { bashCall, readCall, refusedCall, tokens } from '../full/steps.ts'
import type { ChainStory } from '../full/tell-chain.ts'

export const HELD_FOR_APPROVAL: ChainStory = {
  title: 'Orders wait in the outbox',
  prompt: 'The release of this morning is out. Orders wait in the outbox. Find out why.',
  policy: 'releases',
  workDir: 'shop',
  tiers: [
    {
      work: [
        bashCall('psql -Atc "select count(*) from outbox where sent_at is null"', '1284'),
        bashCall(
          'docker logs --since 10m shop-outbox-1 | tail -3',
          'sent 50\nTypeError: payload.lines is not iterable\nretrying in 2 s',
        ),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The outbox stops at the first order of the new release.',
        reason: 'the sender fails on every new order; looking does not help',
        findings: [
          { service: 'outbox', status: 'stuck', detail: '1,284 orders wait, 31 more each minute' },
        ],
      },
      usage: tokens(31_000, 9_400, 1_240),
      minutes: 1,
    },
    {
      work: [
        readCall(
          'src/orders/outbox.ts',
          '   12\t      for (const row of rows) await send(row.payload)\n   13\t      await new Promise(resolve => setTimeout(resolve, everyMs))',
        ),
        bashCall('docker restart shop-outbox-1', 'shop-outbox-1'),
        bashCall(
          'docker logs --since 1m shop-outbox-1 | tail -2',
          'TypeError: payload.lines is not iterable\nretrying in 2 s',
        ),
        refusedCall('helm rollback shop 41'),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The new release writes orders that the sender of the same release cannot read.',
        reason: 'only the release before this one can read both kinds of orders',
        findings: [
          { service: 'outbox', status: 'stuck', detail: 'a restart does not help' },
          { service: 'shop', status: 'cause', detail: 'release 2026.11.17-1 stores lines as text' },
          { service: 'database', status: 'well', detail: 'no lock, no slow query' },
        ],
      },
      usage: tokens(402_000, 48_000, 9_700),
      minutes: 3,
    },
  ],
}

/** Asks for tier 3 within the hour after another chain was there. */
export const HELD_BY_COOLDOWN: ChainStory = {
  title: 'The shop was slow for five minutes',
  prompt: 'The shop was slow for five minutes. Is it still?',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [bashCall('curl -s -w "%{time_total}" -o /dev/null http://shop/products/mug', '2.418')],
      verdict: {
        verdict: 'escalate',
        summary: 'Product pages take 2.4 s instead of 90 ms.',
        reason: 'the cause is in the cache, which tier 1 may not touch',
      },
      usage: tokens(24_600, 8_100, 940),
      minutes: 1,
    },
    {
      work: [
        bashCall('redis-cli info stats | grep hits', 'keyspace_hits:0\nkeyspace_misses:48211'),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The cache is empty after the rollback and fills slowly.',
        reason: 'filling it at once needs a playbook',
      },
      usage: tokens(164_000, 31_000, 4_100),
      minutes: 2,
    },
  ],
}

export const EXHAUSTED: ChainStory = {
  title: 'Certificates that expire this month',
  prompt: 'List the certificates that expire this month, and renew them.',
  policy: 'ops',
  workDir: 'fleet',
  options: { maxTier: 2 },
  tiers: [
    {
      work: [
        bashCall(
          'for h in shop till mail; do echo | openssl s_client -connect $h:443 2>/dev/null | openssl x509 -noout -enddate; done',
          'notAfter=Nov 23 08:00:00 2026 GMT\nnotAfter=Mar  2 08:00:00 2027 GMT\nnotAfter=Nov 25 08:00:00 2026 GMT',
        ),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'Two of three certificates expire this month: shop and mail.',
        reason: 'renewing changes files',
        findings: [
          { service: 'shop', status: 'expires', detail: '23 November' },
          { service: 'mail', status: 'expires', detail: '25 November' },
        ],
      },
      usage: tokens(27_300, 10_200, 1_480),
      minutes: 1,
    },
    {
      work: [
        bashCall('certbot renew --dry-run', 'Simulating renewal … success (1 of 2)'),
        refusedCall('ansible-playbook renew.yaml'),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The shop is renewed; the mail host only takes a playbook.',
        reason: 'the playbook is above this tier',
        findings: [{ service: 'shop', status: 'well', detail: 'renewed until 15 February 2027' }],
      },
      usage: tokens(238_000, 39_000, 5_600),
      minutes: 4,
    },
  ],
}

export const GAVE_UP: ChainStory = {
  title: 'Free space on the database host',
  prompt: 'The database host has 3 % of its disk left. Make room without losing data.',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [
        bashCall(
          'df -h /var/lib/postgresql',
          '/dev/sdb1  480G  466G  14G  98% /var/lib/postgresql',
        ),
      ],
      verdict: {
        verdict: 'failed',
        summary:
          'All of it is live data. Only a larger disk helps, and that is for a person to buy.',
        reason: 'nothing on this disk can be removed',
        findings: [
          { service: 'database', status: 'full', detail: '466 of 480 GB are tables in use' },
        ],
      },
      usage: tokens(19_800, 7_300, 1_120),
      minutes: 2,
    },
  ],
}

/** Its agent does what its tier forbids. */
export const LEFT_ITS_FENCE: ChainStory = {
  title: 'Clean up the old images',
  prompt: 'How much space do old container images take?',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [
        bashCall('docker images --format "{{.Size}}" | wc -l', '84'),
        bashCall('docker rm $(docker ps -aq)', 'f3b1…'),
      ],
      usage: tokens(28_400, 9_900, 610),
      minutes: 1,
    },
  ],
}
