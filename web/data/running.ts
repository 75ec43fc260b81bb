// The runs that go now, read once for all who show them.
import type { Run } from '../../src/core/run/run.ts'
import { reprise } from './client.ts'
import { type Resource, useResource } from './resource.ts'

const MOST = 200

export function useRunning(): Resource<readonly Run[]> {
  return useResource('running runs', () => reprise.runs.list({ status: 'running', limit: MOST }), [
    'runs',
  ])
}
