// How a job continues, in words. CLI, API and prompts all use these words.

import type { FailureClass } from '../run/run.ts'
import type { JobStep, RetryReason, StopReason } from './retry.ts'

/** What happened to an attempt. The agent reads these words too, so they are true and blame nobody. */
export const HAPPENED: Readonly<Record<FailureClass, string>> = {
  cancelled: 'it was cancelled',
  auth: 'the model API did not accept the credentials',
  credit: 'the account has no credit left',
  'policy-violation': 'it left the tier it was in',
  budget: 'its budget was used up',
  refusal: 'the model refused',
  'model-not-found': 'the model does not exist',
  'spawn-failed': 'the agent could not be started',
  'bad-request': 'the model API did not accept the request',
  'too-long': 'the conversation did not fit into the model any more',
  'resume-refused': 'the session could not be continued',
  'anchor-missing': 'the session could not be continued at that point',
  'not-continued': 'no session was left to go on with',
  'max-turns': 'it reached its limit of turns',
  'agent-crashed': 'the agent process ended unexpectedly',
  'no-result': 'the agent process ended without a result',
  'no-first-event': 'the agent process did not begin to answer in time and was ended',
  silent: 'the agent process was silent for too long and was ended',
  'too-slow': 'it reached its time limit and was ended',
  'output-limit': 'the agent process printed more than it may and was ended',
  unknown: 'it failed for a reason that is not known',
  'rate-limit': 'the model API was asked too often',
  overload: 'the model API was overloaded',
  network: 'the model API could not be reached',
  'server-error': 'the model API failed',
  'supervisor-died': 'the program or the machine it ran on was restarted',
  shutdown: 'the program that ran it was stopped in order',
  unanswered: 'it asked something that nobody answered',
  'usage-limit': 'the usage limit of the account was reached',
}

export function stepWords(step: JobStep): string {
  switch (step.do) {
    case 'finish':
      return 'done'
    case 'cancel':
      return 'cancelled'
    case 'retry':
      return retryWords(step.reason)
    case 'stop':
      return stopWords(step.reason)
  }
}

function retryWords(reason: RetryReason): string {
  switch (reason.code) {
    case 'interrupted':
      return HAPPENED[reason.class]
    case 'outside':
      if (reason.class === 'shutdown') return 'Reprise was stopped in order; the job continues'
      return `${HAPPENED[reason.class]}${reason.inARow > 1 ? ` (${reason.inARow} in a row)` : ''}`
    case 'limit-resets':
      return `the usage limit of the account ends at ${new Date(reason.resetsAt).toISOString()}`
    case 'not-started':
      return `it could not be started (${reason.inARow} in a row): ${reason.message}`
    case 'session-suspect':
      return `${HAPPENED[reason.class]}; the session may be the cause, so it starts afresh`
    case 'resumes-fruitless':
      return `${reason.count} resumes in a row brought nothing (limit ${reason.max}), so it starts afresh`
  }
}

export function stopWords(reason: StopReason): string {
  switch (reason.code) {
    case 'not-retried':
      return `${HAPPENED[reason.class]}; trying again would not help`
    case 'attempts-used':
      return `${HAPPENED[reason.class]}, and all ${reason.max} attempts are used`
    case 'waits-used':
      return `${HAPPENED[reason.class]}, and it has waited ${reason.max} times`
    case 'budget-used':
      return `$${reason.spentUsd.toFixed(2)} of a budget of $${reason.budgetUsd.toFixed(2)} are spent`
    case 'deadline':
      return `it was to be done by ${new Date(reason.at).toISOString()}`
    case 'conflicts':
      return `${reason.detail}: resolve them, then retry the job`
    case 'not-started':
      return reason.message
    case 'waited-too-long':
      return `it did not start within ${Math.round(reason.queueTimeoutMs / 1000)} s`
    case 'given-up':
      return `no worker could take it up: ${reason.error || 'nobody said why'}`
    case 'side-effects':
      return `${HAPPENED[reason.class]}; ${reason.toolsRan} tool calls ran, and it may not start afresh after that`
  }
}
