// Chains of the full demo that resolved what they were started for.
import { bashCall, grepCall, readCall, refusedCall, tokens } from '../full/steps.ts'
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
