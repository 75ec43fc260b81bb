// /metrics: the store counts, so that runs of other processes are included.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import type { Worker } from '../../core/job/worker.ts'
import type { UsageRow } from '../../core/money/usage.ts'
import type { RunCount } from '../../core/run/run.ts'
import type { WarmReport } from '../../core/warm/warm-settings.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import type { Requests } from '../requests-seen.ts'
import type { Listeners } from './events.ts'

export type MetricParts = {
  readonly reprise: LocalReprise
  readonly listeners: Listeners
  readonly requests: Requests
}

export function metricRoutes(app: OpenAPIHono, parts: MetricParts): void {
  app.openapi(ROUTES.metrics, async c => {
    const { reprise, listeners, requests } = parts
    const counts = await reprise.countRuns()
    const jobs = await reprise.countJobs()
    const chains = await reprise.countChains()
    const workers = await reprise.workers()
    const warm = await reprise.warm()
    const { rows } = await reprise.savings('agent')
    const figures = { counts, jobs, chains, workers, warm, rows, requests }
    return c.text(await render({ ...figures, listeners: listeners.count }), 200)
  })
}

type Figures = {
  readonly counts: readonly RunCount[]
  readonly jobs: Awaited<ReturnType<LocalReprise['countJobs']>>
  readonly chains: Awaited<ReturnType<LocalReprise['countChains']>>
  readonly workers: readonly Worker[]
  readonly warm: WarmReport | null
  readonly rows: readonly UsageRow[]
  readonly listeners: number
  readonly requests: Requests
}

/** Builds a new registry for each scrape, so that nothing can differ from the store. */
async function render({
  counts,
  jobs,
  chains,
  workers,
  warm,
  rows,
  listeners,
  requests,
}: Figures): Promise<string> {
  const { Counter, Gauge, Registry } = await import('prom-client')
  const registers = [new Registry()]
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `reprise_${name}`, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `reprise_${name}_total`, help, labelNames, registers })

  const runs = gauge('runs', 'Runs by status and decision', ['status', 'decision'])
  const live = gauge('runs_live', 'Runs that are queued, running or waiting')
  for (const { status, action, runs: count } of counts) {
    runs.set({ status, decision: action ?? 'none' }, count)
    if (isOpen(status)) live.inc(count)
  }
  if (warm) {
    gauge('warm_processes', 'Agent processes that wait for their next turn').set(warm.processes)
    gauge('warm_memory_bytes', 'Memory of these processes').set(warm.memoryBytes)
    const turns = counter('turns_by_process', 'Turns of this process by agent process', ['process'])
    for (const process of ['warm', 'new'] as const) turns.inc({ process }, warm.turns[process])
  }
  const jobsBy = gauge('jobs', 'Jobs by status', ['status'])
  for (const { status, jobs: count } of jobs) jobsBy.set({ status }, count)
  const workersBy = gauge('workers', 'Processes that work on jobs', ['host', 'state'])
  const capacity = gauge('worker_capacity', 'Jobs that workers can work on at a time', ['host'])
  const active = gauge('worker_active', 'Jobs that workers work on now', ['host'])
  for (const { host, state, concurrency, active: count } of workers) {
    workersBy.inc({ host, state })
    // One that drains takes no more jobs, and of one that is gone nobody knows.
    if (state === 'working') capacity.inc({ host }, concurrency)
    if (state !== 'gone') active.inc({ host }, count)
  }
  const chainsBy = gauge('chains', 'Chains by status', ['status'])
  for (const { status, chains: count } of chains.chains) chainsBy.set({ status }, count)
  const tierRuns = counter('tier_runs', 'Runs of chains by policy and tier', ['policy', 'tier'])
  const tierCost = counter('tier_cost_usd', 'Cost of chains, as far as their agents report it', [
    'policy',
    'tier',
  ])
  for (const { policy, tier, runs: count, costUsd } of chains.tiers) {
    tierRuns.inc({ policy, tier }, count)
    if (costUsd !== null) tierCost.inc({ policy, tier }, costUsd)
  }
  const tokens = counter('tokens', 'Tokens of ended runs by agent and kind', ['agent', 'kind'])
  const cost = counter('cost_usd', 'Measured cost of ended runs', ['agent'])
  // A gauge, because savings can fall: a resume may cost more than a cold start.
  const saved = gauge('saved_usd', 'Estimated savings of ended runs', ['agent'])
  for (const { key: agent, usage, costUsd, savedUsd } of rows) {
    tokens.inc({ agent, kind: 'input' }, usage.inputTokens)
    tokens.inc({ agent, kind: 'cache_read' }, usage.cacheReadTokens)
    tokens.inc({ agent, kind: 'cache_write' }, usage.cacheWriteTokens)
    tokens.inc({ agent, kind: 'output' }, usage.outputTokens)
    cost.inc({ agent }, costUsd)
    saved.set({ agent }, savedUsd)
  }
  gauge('event_listeners', 'Open streams of events').set(listeners)
  const http = counter('http_requests', 'Requests by route and status', [
    'method',
    'route',
    'status',
  ])
  for (const { count, ...labels } of requests.seen()) http.inc(labels, count)
  const process = gauge('resident_memory_bytes', 'Memory of the daemon')
  process.set(globalThis.process.memoryUsage.rss())
  return registers[0]?.metrics() ?? ''
}

function isOpen(status: RunCount['status']): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting'
}
