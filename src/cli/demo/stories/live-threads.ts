// The conversations of the full demo in which something is going on when it opens.
import { bashCall, editCall, failedCall, readCall } from '../full/steps.ts'
import type { ThreadStory } from '../full/tell-thread.ts'
import { accessLog } from './pasted-logs.ts'

export const TITLES_NOW = {
  restart: 'Shop answers 502',
  backup: 'Why does the nightly backup take four hours?',
  health: 'Plan a health check for the web server',
} as const

export const HEALTH_EDIT = editCall(
  'src/http/health.ts',
  "export function health(): RouteHandler {\n  return async (_request, reply) => {\n    reply.code(200).send('ok')\n  }\n}",
  "export function health(pool: Pool): RouteHandler {\n  return async (_request, reply) => {\n    const alive = await answersWithin(pool, 500)\n    reply\n      .code(alive ? 200 : 503)\n      .header('cache-control', 'no-store')\n      .send(alive ? 'ok' : 'the database does not answer')\n  }\n}",
)

/** What was said in them before. */
export const LIVE_THREADS: readonly ThreadStory[] = [
  {
    title: TITLES_NOW.restart,
    workDir: 'shop',
    turns: [
      {
        ago: '46m',
        prompt: 'The shop answers 502 since a few minutes. What do you see?',
        work: [
          bashCall(
            'docker compose ps',
            'shop-web-1   Up 12 minutes (unhealthy)\nshop-db-1    Up 9 days (healthy)',
          ),
          bashCall(
            'docker compose logs --tail 4 shop-web',
            'listening on 8080\nerror: too many clients already\nerror: too many clients already\nhealth check failed',
          ),
          failedCall(
            'psql -c "select count(*) from pg_stat_activity"',
            'psql: error: FATAL:  sorry, too many clients already',
          ),
        ],
        answer:
          'The web container runs, but the database refuses it: **too many clients already**.\n\n1. The pool of the shop may open 10 connections, and there are four containers: 40.\n2. The nightly report opens another 60 and never closes them.\n\nThe second is new since yesterday.',
      },
      {
        ago: '41m',
        prompt: 'Close the connections of the report. Nothing else.',
        work: [
          bashCall(
            'psql -U postgres -Atc "select pg_terminate_backend(pid) from pg_stat_activity where application_name = \'report\'" | wc -l',
            '60',
          ),
          bashCall('curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:8080/health', '502'),
        ],
        answer:
          'The 60 connections are closed, and the database has room again. The shop still answers 502: its pool keeps the broken connections. A restart of the web container would clear them.',
      },
    ],
  },
  {
    title: TITLES_NOW.backup,
    workDir: 'fleet',
    turns: [
      {
        ago: '1d 2h',
        prompt: accessLog('The nightly backup takes four hours. Why? The log of the proxy:', 1_500),
        work: [
          readCall(
            'backup.sh',
            '    1\t#!/bin/sh\n    2\tset -eu\n    3\tpg_dump shop > "$dump"\n    4\txz -9 -T1 "$dump"\n    5\trclone copy "$dump.xz" offsite:shop\n    6\trclone check "$dump.xz" offsite:shop',
          ),
          bashCall(
            'du -h /backup/*.xz | tail -3',
            '8.1G  /backup/2026-11-14.xz\n8.2G  /backup/2026-11-15.xz\n8.2G  /backup/2026-11-16.xz',
          ),
        ],
        answer:
          'Four steps run one after the other: dump, compress, upload, verify. The log has no times, so I cannot say which one is slow.\n\nI can add a time stamp before each step; tomorrow we know.',
      },
      {
        ago: '1d 1h 50m',
        prompt: 'Do that.',
        work: [
          editCall(
            'backup.sh',
            'pg_dump shop > "$dump"',
            'log dump; pg_dump shop > "$dump"\nlog compress',
          ),
          bashCall('sh -n backup.sh && echo fine', 'fine'),
        ],
        answer: 'Each step now writes its name and the time to the journal. Nothing else changed.',
      },
    ],
  },
  {
    title: TITLES_NOW.health,
    workDir: 'shop',
    turns: [
      {
        ago: '5h 10m',
        prompt: 'Plan a health check for the web server',
        work: 4,
        answer:
          'A health check should answer one question: *can this process do its work now?*\n\n- **Yes**: 200 within 50 ms.\n- **No**: 503, with the part that is missing.\n\nIt must not do work itself, so no query but a ping, and no cache in front of it.',
      },
      {
        ago: '5h 2m',
        prompt: 'Now write its test',
        work: 5,
        answer: 'Done: `test/health.test.ts` checks the status and that it answers within 50 ms.',
      },
      {
        ago: '4h 40m',
        prompt: 'Which file do I have to change for the documentation?',
        before: async ({ thread }) => {
          const { messages } = await thread.show()
          const second = messages[2]
          if (second) await thread.edit(second.id, 'Now write its documentation')
        },
        work: 2,
        answer: 'Only `docs/health.md`; the server itself is done.',
      },
    ],
  },
]
