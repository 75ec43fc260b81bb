// A call that a user has allowed for the run, when the fence of the run refuses it; a process that rests after its turn.
import { expect, test } from 'vitest'
import { RUN_SPEC, RUNTIME } from '../../../test/run-spec.ts'
import type { RunSpec } from '../../adapters/adapter.ts'
import { claudeCodeAdapter } from '../../adapters/claude-code/index.ts'
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { Ruling } from '../../core/fence/fence.ts'
import type { KillReason } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import { LiveQuestions } from '../questions/live-questions.ts'
import { type AgentRun, runAgent } from './run-agent.ts'
import type { TurnInput } from './turn-input.ts'

const ASKED = {
  type: 'control_request',
  request_id: 'r1',
  request: {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'make' },
    tool_use_id: 'toolu_1',
  },
}

const SPEC: RunSpec = { ...RUN_SPEC, prompt: 'make it', asks: true }

/** What the agent hears when it asks for a call that is allowed for the run. */
async function answerUnder(ruling: Ruling): Promise<object> {
  const written: string[] = []
  const process = {
    lines: (async function* () {
      yield { kind: 'line', text: JSON.stringify(ASKED) }
    })(),
    write: (line: string) => void written.push(line),
    exit: Promise.resolve(null),
  }
  const agent = { adapter: claudeCodeAdapter, runtime: RUNTIME, secrets: [] }
  const allowed = [permissionRule({ kind: 'command', tool: 'Bash', value: 'make' })]
  const clock = { now: () => 0 }
  const dependencies = { runner: { start: async () => process }, clock } as unknown as Dependencies
  const input = { runId: 'run_1', agent } as unknown as TurnInput
  const run = {
    agent,
    spec: SPEC,
    log: { push: () => {} },
    onStarted: () => {},
    questions: new LiveQuestions(dependencies, input, { granted: [], allowed }),
    copy: null,
    watch: { rule: () => ruling, see: () => ({ notice: null }), stopped: null },
    containment: null,
    callFirst: null,
  }
  await runAgent(dependencies, run as unknown as AgentRun)
  expect(written).toHaveLength(1)
  return JSON.parse(written[0] ?? '{}').response.response
}

test('E-5 T-7 what the fence refuses is refused, although a user allowed it for the run', async () => {
  expect(await answerUnder({ kind: 'refuse', why: 'outside of tier 1' })).toMatchObject({
    behavior: 'deny',
    message: 'outside of tier 1',
  })
  expect(await answerUnder({ kind: 'pass' })).toMatchObject({ behavior: 'allow' })
})

test('W-1 a stop that comes after the turn, as of a lease that its end has freed, does not reach the process that rests', async () => {
  const stopped: string[] = []
  const process = {
    lines: (async function* () {
      yield {
        kind: 'line',
        text: JSON.stringify({ type: 'result', subtype: 'success', is_error: false }),
      }
    })(),
    write: () => {},
    answerSeen: () => {},
    resultSeen: () => {},
    stop: async (reason: string) => void stopped.push(reason),
    turns: { rest: () => {} },
  }
  const clock = { now: () => 0 }
  const dependencies = { runner: { start: async () => process }, clock } as unknown as Dependencies
  const stops: ((reason: KillReason) => Promise<void>)[] = []
  const run = {
    agent: { name: 'claude-code', adapter: claudeCodeAdapter, runtime: RUNTIME, secrets: [] },
    spec: { ...SPEC, stays: true },
    log: { push: () => {} },
    onStarted: (stop: (reason: KillReason) => Promise<void>) => void stops.push(stop),
    recordKill: async () => {},
    questions: { end: async () => {} },
    copy: null,
    watch: null,
    containment: null,
    callFirst: null,
    whetherKept: async () => 'kept',
  }
  const { resting } = await runAgent(dependencies, run as unknown as AgentRun)
  expect(resting?.process).toBe(process)
  await stops.at(-1)?.('lease-lost')
  expect(stopped).toEqual([])
  // The stop of the turn itself would have reached it.
  await stops[0]?.('cancelled')
  expect(stopped).toEqual(['cancelled'])
})
