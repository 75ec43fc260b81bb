// Chains of the full demo that came to their end, or to a hold, without anybody.
import type { Usage } from '../../../core/run/events.ts'
import { bashCall, grepCall, readCall, refusedCall } from '../full/steps.ts'
import type { ChainStory } from '../full/tell-chain.ts'

/** Its tiers cost $0.03, $0.47 and $2.00. */
export const THREE_TIERS: ChainStory = {
  title: 'Check the health of all services',
  prompt: 'Check the health of all services. Customers say that the shop answers with 502.',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [
        bashCall(
          'for s in shop till stock mail; do curl -s -o /dev/null -w "$s %{http_code}\\n" http://$s/health; done',
          'shop 502\ntill 200\nstock 200\nmail 200',
        ),
        bashCall(
          'docker ps --format "{{.Names}} {{.Status}}"',
          'shop-web-1 Up 41 seconds (unhealthy)\nshop-db-1 Up 9 days (healthy)\ntill-1 Up 9 days (healthy)\nstock-1 Up 3 days (healthy)\nmail-1 Up 9 days (healthy)',
        ),
        refusedCall('docker restart shop-web-1'),
        bashCall('docker inspect -f "{{.RestartCount}}" shop-web-1', '6'),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The shop answers 502; everything else is well.',
        reason: 'needs a restart, which tier 1 may not do',
        findings: [
          { service: 'shop', status: 'down', detail: 'answers 502; restarted 6 times in 10 min' },
          { service: 'till', status: 'well', detail: 'answers within 80 ms' },
          { service: 'database', status: 'well', detail: '11 of 60 connections in use' },
        ],
      },
      usage: {
        inputTokens: 0,
        cacheReadTokens: 50_000,
        cacheWriteTokens: 12_000,
        outputTokens: 2_000,
      },
      minutes: 1,
    },
    {
      work: [
        bashCall('docker restart shop-web-1', 'shop-web-1'),
        bashCall(
          'curl -sS --retry 5 http://shop/health',
          '<html><head><title>502 Bad Gateway</title></head></html>',
        ),
        bashCall(
          'docker logs --since 5m shop-web-1 | tail -6',
          'migrating: 0412_order_totals\nmigrating: 0412_order_totals (waits for a lock)\nmigrating: 0412_order_totals (waits for a lock)\nerror: canceling statement due to lock timeout\nhealth check failed 3 times\nexit 1',
        ),
        refusedCall('helm rollback shop 41'),
        grepCall(
          'lock_timeout',
          "deploy/migrate.sh:4:psql -c 'set lock_timeout to 30000'\ndeploy/migrate.sh:9:# the second connection takes the same lock",
        ),
        readCall(
          'deploy/migrate.sh',
          "    1\t#!/bin/sh\n    2\tset -eu\n    3\t# keeps the table for the totals\n    4\tpsql -c 'set lock_timeout to 30000'\n    5\tpsql -f 0412_order_totals.sql &\n    6\tpsql -f 0412_order_totals_fill.sql",
        ),
        refusedCall('kubectl delete pod shop-web-7c9f'),
      ],
      verdict: {
        verdict: 'escalate',
        summary:
          'Restarted, and it still answers 502: its migration waits for a lock that it holds itself.',
        reason: 'the new release is broken and has to be rolled back',
        findings: [
          {
            service: 'shop',
            status: 'down',
            detail: 'first 502 is 40 s after release 2026.11.16-2',
          },
          {
            service: 'shop',
            status: 'cause',
            detail: 'migration 0412 waits for a lock it holds itself',
          },
        ],
      },
      usage: {
        inputTokens: 0,
        cacheReadTokens: 466_667,
        cacheWriteTokens: 56_000,
        outputTokens: 8_000,
      },
      minutes: 3,
    },
    {
      work: [
        bashCall(
          'helm history shop',
          'REVISION  UPDATED           STATUS      DESCRIPTION\n40        Nov 14 09:12:44   superseded  Upgrade complete\n41        Nov 15 16:02:10   superseded  Upgrade complete\n42        Nov 16 11:48:03   deployed    Upgrade complete',
        ),
        bashCall('helm rollback shop 41 --wait', 'Rollback was a success! Happy Helming!'),
        bashCall('curl -sS --retry 10 http://shop/health', 'ok'),
        bashCall('psql -Atc "select count(*) from outbox where sent_at is null"', '200'),
        bashCall('sleep 60; psql -Atc "select count(*) from outbox where sent_at is null"', '0'),
        bashCall(
          'psql -Atc "select pid, state, wait_event_type from pg_stat_activity where wait_event_type = \'Lock\'"',
          '(0 rows)',
        ),
        bashCall('kubectl get pods -l app=shop', 'shop-web-5d4b   1/1   Running   0   94s'),
      ],
      verdict: {
        verdict: 'resolved',
        summary: 'The shop answers again, on the release of yesterday.',
        findings: [
          { service: 'shop', status: 'well', detail: 'rolled back to release 2026.11.15-1' },
          {
            service: 'orders',
            status: 'well',
            detail: '502 gone after 35 s; 200 orders caught up',
          },
          {
            service: 'shop',
            status: 'to do',
            detail: 'migration 0412 needs a fix before the next release',
          },
        ],
      },
      usage: {
        inputTokens: 0,
        cacheReadTokens: 1_500_000,
        cacheWriteTokens: 120_000,
        outputTokens: 20_000,
      },
      minutes: 5,
    },
  ],
}

/** Tokens that a tier reads from the cache, writes to it, and says. */
function tokens(cacheReadTokens: number, cacheWriteTokens: number, outputTokens: number): Usage {
  return { inputTokens: 14, cacheReadTokens, cacheWriteTokens, outputTokens }
}

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

/** Tier 1 leaves no session behind, so tier 2 begins with a note. */
export const HANDED_OVER: ChainStory = {
  title: 'Why does the checkout answer slowly?',
  prompt: 'The checkout takes four seconds since Monday. Why?',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [
        { type: 'noPersistence' },
        bashCall('curl -s -w "%{time_total}" -o /dev/null http://shop/checkout', '4.102'),
      ],
      verdict: {
        verdict: 'escalate',
        summary: 'The checkout takes 4.1 s; 3.9 s of it is one query.',
        reason: 'an index is missing',
        findings: [
          { service: 'checkout', status: 'slow', detail: '3.9 s in `select … from prices`' },
        ],
      },
      usage: tokens(36_100, 11_900, 1_710),
      minutes: 1,
    },
    {
      work: [
        bashCall('psql -c "create index concurrently prices_sku on prices (sku)"', 'CREATE INDEX'),
        bashCall('curl -s -w "%{time_total}" -o /dev/null http://shop/checkout', '0.214'),
      ],
      verdict: {
        verdict: 'resolved',
        summary: 'With an index on the SKU the checkout takes 0.2 s.',
        findings: [{ service: 'checkout', status: 'well', detail: '0.2 s; index built in 41 s' }],
      },
      usage: tokens(271_000, 52_000, 6_900),
      minutes: 3,
    },
  ],
}

export const DRY_RUN: ChainStory = {
  title: 'What would a restart of the till cost?',
  prompt: 'What would happen if we restarted the till now?',
  policy: 'ops',
  workDir: 'fleet',
  options: { dryRun: true },
  tiers: [
    {
      work: [bashCall('docker logs --since 5m till-1 | tail -1', 'receipt 88412 printed')],
      verdict: {
        verdict: 'resolved',
        summary: 'A restart takes 6 s; about two receipts would be printed late, none lost.',
      },
      usage: tokens(14_200, 6_600, 760),
      minutes: 1,
    },
  ],
}

export const ALL_WELL: ChainStory = {
  title: 'Look at the fleet after the weekend',
  prompt: 'Look at all services after the weekend.',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [
        bashCall(
          'docker ps --format "{{.Names}} {{.Status}}"',
          'shop-web-1 Up 2 days (healthy)\nshop-db-1 Up 11 days (healthy)\ntill-1 Up 11 days (healthy)',
        ),
      ],
      verdict: {
        verdict: 'resolved',
        summary: 'All services are well. Nothing restarted since Friday.',
        findings: [{ service: 'all', status: 'well', detail: '12 of 12 answer within 80 ms' }],
      },
      usage: tokens(22_900, 7_900, 890),
      minutes: 1,
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
