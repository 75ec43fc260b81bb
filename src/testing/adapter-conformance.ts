// Tests that every adapter must pass. Call them in a vitest file of your own with recorded streams of the agent.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Adapter, Dialogue, Outcome, RunSpec, Runtime } from '../adapters/adapter.ts'
import type { Continuation } from '../core/decide/continuation.ts'
import type { AgentEvent } from '../core/run/events.ts'
import { newObservation, type Observation, observe, totalUsage } from '../core/run/observe.ts'
import type { Exit } from '../core/run/run.ts'
import { RepriseError } from '../errors.ts'
import { hostileStrings } from './hostile-strings.ts'

/** A recorded stream of an agent, and what the adapter must make of it. */
export type AdapterCase = {
  readonly name: string
  readonly runtime: Runtime
  /** The recorded output, line by line. */
  readonly stream: string
  /** How the recorded process was started: new, resumed or forked. */
  readonly continuation: Continuation
  /** The model of the recorded process; default: one that is named after the agent. */
  readonly model?: string | null
  /** How the recorded process ended; default: exit code 0. */
  readonly exit?: Partial<Exit>
  readonly expected: Expected
}

/** What the adapter must read from a recorded stream. Missing fields are not compared. */
export type Expected = {
  /** `completed`, or kind and class: `failed/auth`. */
  readonly outcome: string
  /** The id that the stream names; `null` when it names none. */
  readonly sessionId: string | null
  /** The answer. */
  readonly text: string
  /** Names of the tools in the order of their calls, including those of subagents. */
  readonly tools?: readonly string[]
  /** How many calls were not refused. */
  readonly toolsRan?: number
  /** How many blocks of the answer have an anchor. */
  readonly anchors?: number
  /** The sum over all requests. */
  readonly outputTokens?: number
  readonly costUsd?: number
  /** Other events that must be there, by type. */
  readonly events?: readonly AgentEvent['type'][]
}

/** How many hostile strings each value of a command is tried with. */
const HOSTILE_COUNT = 2_000

const CLEAN_EXIT: Exit = { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false }

/** Defines the tests that every adapter must pass. Await it: it loads vitest. */
export async function adapterConformance(
  name: string,
  adapter: Adapter,
  cases: readonly AdapterCase[],
): Promise<void> {
  const { describe, test } = await import('vitest')
  describe(`adapter: ${name}`, () => {
    describe.each(cases)('$name', recorded => {
      test('A-1 is understood', () => checkUnderstood(adapter, recorded))
      test('A-1 is understood among lines nobody knows', () => checkStrangers(adapter, recorded))
      test('H-3 is no success when it breaks off before its result', () =>
        checkBrokenOff(adapter, recorded))
    })
    const [first] = cases
    if (!first) throw new Error('an adapter without a recorded stream proves nothing')
    test('A-1 the dialogue takes any line', () => checkAnyLine(adapter, cases))
    test('S12 argv holds constants and validated values only', () => checkArgv(adapter, first))
    test('S12 U-2 the prompt is in stdin and nowhere else', () => checkPrompt(adapter, first))
    // An agent that gets model and mode over a protocol has them in its dialogue, each in words of its own.
    if (adapter.words.toldBy === undefined)
      test('H-2 model and permission mode are on every command', () =>
        checkExplicit(adapter, first))
  })
}

function specFor(
  { words }: Adapter,
  { continuation, runtime, model = `${runtime.agent}-model` }: AdapterCase,
): RunSpec {
  return {
    runId: 'run_0000000000000000',
    continuation,
    prompt: 'do it',
    workDir: '/home/dev/proj',
    model,
    permissionMode: words.defaultMode,
    allowedTools: [],
    disallowedTools: [],
    instructionsFile: null,
    asks: false,
    parkFiles: {},
    trust: 'project',
    contextDir: null,
    env: {},
  }
}

function checkUnderstood(adapter: Adapter, recorded: AdapterCase): void {
  const { expected } = recorded
  const events = readAll(adapter, recorded, linesOf(recorded.stream))
  const seen = fold(events)
  assert.equal(wordsOf(outcomeOf(adapter, recorded, seen)), expected.outcome)
  assert.equal(seen.announcedSessionId, expected.sessionId)
  assert.equal(seen.text, expected.text)
  const names = [...seen.tools.values()].map(tool => tool.name)
  const types = events.map(event => event.type)
  if (expected.tools) assert.deepEqual(names, expected.tools)
  if (expected.toolsRan !== undefined) assert.equal(seen.toolsRan, expected.toolsRan)
  if (expected.anchors !== undefined)
    assert.equal(types.filter(type => type === 'block').length, expected.anchors)
  if (expected.outputTokens !== undefined)
    assert.equal(totalUsage(seen.requests.values()).outputTokens, expected.outputTokens)
  if (expected.costUsd !== undefined)
    assert.equal(seen.lastResult?.totalCostUsd?.toFixed(6), expected.costUsd.toFixed(6))
  for (const type of expected.events ?? []) assert.ok(types.includes(type), `no ${type} event`)
  assert.ok(!types.includes('unknown'), 'a recorded line was not known')
}

const STRANGERS = ['', 'no json', 'null', '[]', '{}', '{"type":"brand_new","x":1}', '{"type":7}']

function checkStrangers(adapter: Adapter, recorded: AdapterCase): void {
  const lines = linesOf(recorded.stream)
  const alone = fold(readAll(adapter, recorded, lines))
  const mixed = lines.flatMap((line, i) => [STRANGERS[i % STRANGERS.length] ?? '', line])
  const events = readAll(adapter, recorded, mixed)
  assert.deepEqual(fold(events), alone)
  if (lines.length > 1) assert.ok(events.some(event => event.type === 'unknown'))
}

function checkBrokenOff(adapter: Adapter, recorded: AdapterCase): void {
  const dialogue = dialogueFor(adapter, recorded)
  const seen = newObservation()
  for (const line of linesOf(recorded.stream)) {
    if (!seen.result) {
      const outcome = outcomeOf(adapter, { ...recorded, exit: CLEAN_EXIT }, seen)
      assert.notEqual(outcome.kind, 'completed')
    }
    for (const event of dialogue.read(line).events) observe(seen, event)
  }
}

function checkAnyLine(adapter: Adapter, cases: readonly AdapterCase[]): void {
  for (const recorded of cases) {
    const dialogue = dialogueFor(adapter, recorded)
    for (const line of linesOf(recorded.stream)) {
      for (let cut = 0; cut < line.length; cut += 97) dialogue.read(line.slice(0, cut))
    }
    for (const line of hostileStrings(100)) dialogue.read(line)
    dialogue.read('[{"a":'.repeat(50_000))
    dialogue.read(`{"type":"assistant","message":${'{"content":['.repeat(5_000)}`)
  }
}

const SESSION_ID = '11111111-1111-4111-8111-111111111111'

/** Every field of a spec whose text could get into a command line. */
const PLACES: readonly ((spec: RunSpec, text: string) => RunSpec)[] = [
  (spec, text) => ({ ...spec, model: text }),
  (spec, text) => ({ ...spec, permissionMode: text }),
  (spec, text) => ({ ...spec, allowedTools: [text] }),
  (spec, text) => ({ ...spec, disallowedTools: ['Read', text] }),
  (spec, text) => ({ ...spec, continuation: { kind: 'new', sessionId: text } }),
  (spec, text) => ({ ...spec, continuation: { kind: 'resume', sessionId: text } }),
  (spec, text) => ({
    ...spec,
    continuation: { kind: 'fork', from: text, at: null, sessionId: null },
  }),
  (spec, text) => ({
    ...spec,
    continuation: { kind: 'fork', from: SESSION_ID, at: text, sessionId: null },
  }),
  (spec, text) => ({ ...spec, instructionsFile: text }),
  (spec, text) => ({ ...spec, asks: true, parkFiles: { questions: text } }),
  (spec, text) => ({ ...spec, parkFiles: { deferral: text } }),
]

/** The text is refused, has no part in the command, or is in an argument of its own (perhaps after `--flag=`) that does not look like a flag. */
function checkArgv(adapter: Adapter, recorded: AdapterCase): void {
  const harmless = specFor(adapter, recorded)
  const usual = argsOf(adapter, recorded.runtime, harmless)
  for (const text of hostileStrings(HOSTILE_COUNT)) {
    for (const place of PLACES) {
      const args = argsOf(adapter, recorded.runtime, place(harmless, text))
      if (args === null || isDeepStrictEqual(args, usual)) continue
      assert.ok(!text.startsWith('-') && !/\p{Cc}/u.test(text), `let through: ${text}`)
      assert.ok(
        args.some(arg => arg === text || arg.endsWith(`=${text}`)),
        `changed: ${text}`,
      )
    }
  }
}

function checkPrompt(adapter: Adapter, recorded: AdapterCase): void {
  const { runtime } = recorded
  const harmless = specFor(adapter, recorded)
  const usual = argsOf(adapter, runtime, harmless)
  for (const text of hostileStrings(HOSTILE_COUNT)) {
    if (text.trim() === '') continue
    const { command, dialogue } = adapter.open({ ...harmless, prompt: text }, runtime)
    assert.deepEqual(command.args, usual)
    assert.deepEqual(command.env, harmless.env)
    assert.ok(dialogue.begin().write.join('').length > 0)
  }
}

function checkExplicit(adapter: Adapter, recorded: AdapterCase): void {
  const kinds: readonly Continuation[] = [
    { kind: 'new', sessionId: null },
    { kind: 'resume', sessionId: SESSION_ID },
    { kind: 'fork', from: SESSION_ID, at: null, sessionId: null },
  ]
  for (const continuation of kinds) {
    const commands = adapter.words.permissionModes.map(permissionMode => {
      const spec = { ...specFor(adapter, recorded), continuation, permissionMode }
      const args = argsOf(adapter, recorded.runtime, spec)
      assert.ok(spec.model === null || args?.includes(spec.model))
      return JSON.stringify(args)
    })
    // A mode is an argument of its own, or a list of tools.
    assert.equal(new Set(commands).size, commands.length, 'two modes have the same arguments')
  }
}

function argsOf(adapter: Adapter, runtime: Runtime, spec: RunSpec): readonly string[] | null {
  try {
    return adapter.open(spec, runtime).command.args
  } catch (error) {
    assert.ok(error instanceof RepriseError && error.code === 'bad-input', String(error))
    assert.notEqual(error.hint, '')
    return null
  }
}

function outcomeOf(adapter: Adapter, recorded: AdapterCase, seen: Observation): Outcome {
  const outcome = adapter.outcomeOf(specFor(adapter, recorded), seen, {
    ...CLEAN_EXIT,
    ...recorded.exit,
  })
  if (outcome.kind === 'completed') return outcome
  assert.notEqual(outcome.failure.message, '')
  assert.notEqual(outcome.failure.hint, '')
  return outcome
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === 'completed' ? outcome.kind : `${outcome.kind}/${outcome.failure.class}`
}

function dialogueFor(adapter: Adapter, recorded: AdapterCase): Dialogue {
  const { dialogue } = adapter.open(specFor(adapter, recorded), recorded.runtime)
  dialogue.begin()
  return dialogue
}

function readAll(adapter: Adapter, recorded: AdapterCase, lines: readonly string[]) {
  const dialogue = dialogueFor(adapter, recorded)
  return lines.flatMap(line => dialogue.read(line).events)
}

function fold(events: readonly AgentEvent[]): Observation {
  const seen = newObservation()
  for (const event of events) observe(seen, event)
  return seen
}

function linesOf(stream: string): readonly string[] {
  return stream.split('\n').filter(line => line !== '')
}
