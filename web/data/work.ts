// Which process works on a run, and what the run has cost so far.
import type { RunWork } from '../../src/core/run/run-work.ts'
import { reprise } from './client.ts'
import { type Resource, useResource } from './resource.ts'

export function useWork(runId: string): Resource<RunWork> {
  return useResource(`work ${runId}`, () => reprise.runs.work(runId), [
    `run:${runId}`,
    `spent:${runId}`,
  ])
}
