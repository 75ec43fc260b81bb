import { expect, test } from 'vitest'
import { NO_USAGE, type Usage } from '../run/events.ts'
import { type UsageReport, usageOfRun } from './run-usage.ts'

const usage = (input: number, output: number): Usage => ({
  ...NO_USAGE,
  inputTokens: input,
  outputTokens: output,
})
const request = (input: number, output: number) => ({
  ...{ requestId: 'r', model: 'm', main: true },
  usage: usage(input, output),
})
const REPORT: UsageReport = { means: 'session', requests: [], reported: null, before: null }

test.each<[string, Partial<UsageReport>, Usage]>([
  ['its requests', { requests: [request(10, 1), request(20, 2)] }, usage(30, 3)],
  [
    'its requests, although a total of the session is known',
    { requests: [request(10, 1)], reported: usage(110, 11), before: usage(50, 5) },
    usage(10, 1),
  ],
  [
    'what the total has grown by',
    { reported: usage(110, 11), before: usage(100, 10) },
    usage(10, 1),
  ],
  ['all of the total in a new session', { reported: usage(110, 11) }, usage(110, 11)],
  [
    'the total, when it began again',
    { reported: usage(9, 1), before: usage(100, 10) },
    usage(9, 1),
  ],
  ['nothing, when the agent did not report', { before: usage(100, 10) }, NO_USAGE],
  [
    'nothing beyond its requests, when the agent reports each of them',
    { means: 'request', reported: usage(110, 11) },
    NO_USAGE,
  ],
])('M-1 a run used %s', (_, report, expected) => {
  expect(usageOfRun({ ...REPORT, ...report })).toEqual(expected)
})
