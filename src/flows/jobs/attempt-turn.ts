// What the turn of an attempt gets from its job and from the attempts before it. Pure.
import type { TurnOptions } from '../../api.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Job } from '../../core/job/job.ts'
import type { NextAttempt } from '../../core/job/job-prompt.ts'
import type { Run } from '../../core/run/run.ts'
import type { TurnSettings } from '../turn/turn-input.ts'

/** A job's own settings for limits and resuming, which replace the general ones. */
export function settingsOf(
  { policy }: Job,
  { runs, spentUsd }: { readonly runs: readonly Run[]; readonly spentUsd: number },
): TurnSettings {
  const { timeoutMs, idleTimeoutMs, maxFruitlessResumes, resume, onSideEffects, carry } = policy
  return {
    // Applies both when our guards block the session and when the agent refuses it.
    mustContinue:
      onSideEffects === 'stop' && runs.some(({ failure }) => (failure?.toolsRan ?? 0) > 0),
    limits: { totalMs: timeoutMs, silenceMs: idleTimeoutMs },
    spentByJobUsd: spentUsd,
    resume: {
      maxFruitlessResumes,
      // A job's work is in its directory, also after somebody moved it.
      onWorkDirChange: 'relocate',
      ...(resume === 'never' && { mode: 'never' }),
      ...(carry !== undefined && { carry }),
    },
  }
}

/** `spentUsd`: what the earlier attempts cost; the turn gets the rest of the budget. */
export function optionsOf(job: Job, spentUsd: number): TurnOptions {
  return {
    agent: job.agent,
    ...(job.model !== null && { model: job.model }),
    ...(job.workspace === null && { workDir: job.workDir }),
    permissionMode: job.permissionMode,
    allowedTools: job.allowedTools,
    disallowedTools: job.disallowedTools,
    ...(job.instructions !== null && { instructions: job.instructions }),
    freshSession: job.nextHow === 'fresh',
    ...(job.policy.budgetUsd !== null && { budgetUsd: job.policy.budgetUsd - spentUsd }),
  }
}

/** What the next prompt calls the reason for another attempt, and the last run that began. */
export function beforeAttempt(
  runs: readonly Run[],
  branch: readonly Message[],
): { readonly happened: NextAttempt['happened']; readonly last: Run | undefined } {
  // A run that never began has no message on the branch that a restore could have removed.
  const last = runs.findLast(run => run.startedAt !== null)
  const wasRestored = last !== undefined && !branch.some(message => message.runId === last.id)
  return { happened: wasRestored ? 'restored' : (runs.at(-1)?.failure?.class ?? 'asked'), last }
}
