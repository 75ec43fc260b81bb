import { expect, test } from 'vitest'
import { layoutLineage } from './lineage.ts'

const session = (id: string, forkedFrom: string | null, createdAt: number) => ({
  id,
  sessionId: `agent-${id}`,
  agent: 'claude-code',
  forkedFrom,
  createdAt,
})

const run = (id: string, session: string | null, queuedAt: number) => ({
  id,
  sessionId: session && `agent-${session}`,
  agent: 'claude-code',
  queuedAt,
})

test('a run is a point on its session, and a fork leaves the last point before it', () => {
  const { columns, rows } = layoutLineage(
    [session('fork', 'first', 50), session('first', null, 0), session('alone', null, 80)],
    [
      run('r3', 'fork', 30),
      run('r1', 'first', 10),
      run('r2', 'first', 20),
      run('r4', 'first', 40),
      run('r5', null, 50),
    ],
  )
  expect(columns).toEqual(['r1', 'r2', 'r3', 'r4', 'r5'])
  expect(rows).toEqual([
    {
      id: 'first',
      points: [
        { runId: 'r1', column: 0 },
        { runId: 'r2', column: 1 },
        { runId: 'r4', column: 3 },
      ],
      from: null,
    },
    { id: 'fork', points: [{ runId: 'r3', column: 2 }], from: { row: 0, column: 1 } },
    { id: 'alone', points: [], from: null },
  ])
})

test('a fork of a session that is gone stands alone', () => {
  const { rows } = layoutLineage([session('a', 'gone', 5)], [run('r', 'a', 1)])
  expect(rows[0]?.from).toBeNull()
})
