// Which verbs print with --json what a route of the HTTP API answers. docs/cli.md is made from it, and a test compares them.

export const SAME_SHAPE = {
  threads: 'GET /api/threads',
  'threads show <thread>': 'GET /api/threads/{id}',
  runs: 'GET /api/runs',
  'runs show <run>': 'GET /api/runs/{id}',
  'runs events <run>': 'GET /api/runs/{id}/events',
  'runs prompt <run>': 'GET /api/runs/{id}/prompt',
  'why <run>': 'GET /api/runs/{id}/why',
  chains: 'GET /api/chains',
  'chains show <chain>': 'GET /api/chains/{id}',
  'chains show <run>': 'GET /api/runs/{id}/chain',
  jobs: 'GET /api/jobs',
  'jobs show <job>': 'GET /api/jobs/{id}',
  sessions: 'GET /api/sessions',
  'sessions show <session>': 'GET /api/sessions/{id}',
  schedules: 'GET /api/schedules',
  policies: 'GET /api/policies',
  agents: 'GET /api/agents',
  savings: 'GET /api/savings',
  'threads rename <thread> <title>': 'PATCH /api/threads/{id}',
  'threads rm <thread>': 'DELETE /api/threads/{id}',
} as const

export type SameShapeVerb = keyof typeof SAME_SHAPE
