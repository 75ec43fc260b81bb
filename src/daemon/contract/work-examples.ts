// Examples of a chain, a job and a session, for OpenAPI and docs/http-api.md; part of SHAPE_EXAMPLES.
import type { z } from '@hono/zod-openapi'
import type { Chain } from '../../api.ts'
import { DEFAULT_JOB_POLICY } from '../../core/job/job-policy.ts'
import type { jobSchema } from './job.ts'
import type { runFields } from './run.ts'
import type { sessionSchema } from './thread.ts'

type ExampleRun = z.input<typeof runFields> & Chain['runs'][number]

/** All of them are about this run. */
export function workExamples(run: ExampleRun) {
  return { Chain: chainOf(run), Job: jobOf(run), Session: sessionOf(run) }
}

function chainOf(run: ExampleRun): Chain {
  const id = 'chn_jmxm7uwklvqz7osv'
  const at = run.queuedAt
  const verdict = {
    verdict: 'resolved',
    summary: 'All services answer.',
    reason: '',
    findings: [{ service: 'shop', status: 'well', detail: 'answers within 80 ms' }],
  } as const
  const because = { code: 'agent-resolved', tier: 1 } as const
  return {
    id,
    status: 'resolved',
    threadId: 'thr_c2q7mdx3avnh5tkw',
    agent: run.agent,
    workDir: run.workDir,
    host: 'workshop',
    workspace: null,
    prompt: 'Check the health of all services',
    policy: 'ops',
    tier: 1,
    maxTier: 3,
    dryRun: false,
    budgetUsd: 2,
    because,
    words: 'tier 1 says that it is resolved',
    runs: [
      {
        ...run,
        id: 'run_q4nvb2xk7ycmsd5e',
        threadId: 'thr_c2q7mdx3avnh5tkw',
        chainId: id,
        tier: 1,
        permissionMode: 'dontAsk',
        trust: 'none',
        verdict,
        chainStep: { kind: 'end', status: 'resolved', because },
      },
    ],
    totals: { costUsd: 0.0115, runsWithoutCost: 0, durationMs: 2_200, tokens: 3_028 },
    byTier: [
      {
        tier: 1,
        name: 'observe',
        agent: run.agent,
        model: run.model,
        costUsd: 0.0115,
        runsWithoutCost: 0,
        costDisputed: false,
        durationMs: 2_200,
        tokens: 3_028,
        runs: 1,
        status: 'completed',
        trust: 'none',
        sandbox: 'none',
      },
    ],
    tiers: [
      {
        number: 1,
        name: 'observe',
        role: 'Look, measure, change nothing.',
        agent: run.agent,
        model: run.model,
        permissionMode: 'dontAsk',
        allowedTools: ['Bash', 'Read', 'Grep'],
        disallowedTools: ['Bash(docker restart:*)', 'Write', 'Edit'],
        cooldownMs: 0,
        dryRun: false,
        approval: 'auto',
        budgetUsd: 0.25,
      },
    ],
    scheduleId: null,
    createdAt: at,
    endedAt: at + 2_300,
  }
}

function jobOf(run: ExampleRun): z.input<typeof jobSchema> {
  const id = 'job_e5w4vsdrotk3vair'
  const threadId = 'thr_h7wzk4pmqc2xnvda'
  const at = run.queuedAt
  const commit = 'ef521ad0c9b14d5e8a7f63b2c10d94e7f5a68b31'
  return {
    id,
    threadId,
    status: 'completed',
    prompt: 'Make the tests pass',
    agent: run.agent,
    model: null,
    workDir: run.workDir,
    host: 'workshop',
    workspace: null,
    sharedRoot: null,
    labels: [],
    waitingFor: null,
    permissionMode: 'acceptEdits',
    allowedTools: [],
    disallowedTools: ['Bash(git push:*)'],
    trust: null,
    sandbox: null,
    instructions: null,
    policy: { ...DEFAULT_JOB_POLICY, timeoutMs: 1_800_000 },
    checkpointing: 'auto',
    concurrencyKey: null,
    priority: 0,
    schedule: null,
    dueAt: at,
    rootId: null,
    nextAttemptAt: null,
    nextHow: 'resume',
    step: { do: 'finish' },
    settledRunId: 'run_x6mzr3wdp5hqtkbc',
    attemptsFrom: 0,
    cancelRequested: false,
    createdAt: at,
    startedAt: at + 40,
    endedAt: at + 2_300,
    attempts: [
      {
        ...run,
        id: 'run_x6mzr3wdp5hqtkbc',
        threadId,
        jobId: id,
        permissionMode: 'acceptEdits',
        disallowedTools: ['Bash(git push:*)'],
        questions: 'none',
      },
    ],
    failure: null,
    costUsd: 0.0115,
    checkpoints: [
      {
        number: 1,
        kind: 'before',
        at,
        ref: `refs/reprise/${id}/1`,
        commit,
        head: { commit, branch: 'main' },
        notKept: [],
      },
    ],
    text: 'All 41 tests pass.',
    words: null,
  }
}

function sessionOf(run: ExampleRun): z.input<typeof sessionSchema> {
  const at = run.queuedAt
  return {
    id: 'ses_n3vkq7zt5mwxc2ad',
    sessionId: run.sessionId ?? '',
    threadId: run.threadId ?? '',
    agent: run.agent,
    pointer: 'confirmed',
    state: 'active',
    retiredBecause: null,
    confirmedAt: at + 2_300,
    evidence: 'file',
    workDir: run.workDir,
    model: run.model,
    runtime: 'claude-code 2.1.325',
    forkedFrom: null,
    seen: [{ hash: '9f86d081884c7d65', anchor: null, isPart: false }],
    messageCount: 2,
    knownEnd: null,
    instructionsHash: null,
    contextTokens: 3_028,
    contextWindow: 200_000,
    reportedCostUsd: 0.0115,
    fruitlessResumes: 0,
    failedResumes: 0,
    createdAt: at,
    lastMessageAt: at + 2_200,
    turnCount: 1,
    inputTokens: 3_013,
    outputTokens: 15,
    lastStopReason: 'end_turn',
  }
}
