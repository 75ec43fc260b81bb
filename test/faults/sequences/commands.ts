// What may happen to a thread, as plain data: a failing sequence shrinks to a short one and can be read.

import type { ThreadDetails } from '../../../src/api.ts'
import type { Message } from '../../../src/core/conversation/messages.ts'
import type { FakeTurn, ScriptStep } from '../../../src/testing/fake-agent/script.ts'
import { fc } from '../../properties.ts'

/** How an agent behaves in one turn. */
export type Behaviour =
  | 'answers'
  | 'uses-a-tool'
  | 'refuses-fresh-id'
  | 'refuses-echoed-id'
  | 'refuses-without-id'
  | 'refuses-after-tool'
  | 'wrong-id'
  | 'late-id'
  | 'no-init'
  | 'two-results'
  | 'no-persistence'
  | 'slow-flush'
  | 'tears-its-file'
  | 'killed-at-once'
  | 'killed-mid-tool'
  | 'killed-after-text'
  | 'exits-without-result'
  | 'overloaded'
  | 'bad-request'
  | 'too-many-turns'
  | 'hangs-before-init'
  | 'hangs-in-the-middle'
  | 'hangs-after-result'

export type TurnCommand = {
  readonly agent: 'first' | 'second'
  readonly fresh: boolean
  readonly behaviour: Behaviour
}

/** `pick` chooses among what is there then, by its remainder; among messages, from the last one on. */
export type Command =
  | ({ readonly do: 'send'; readonly text: 'new' | 'continue' } & TurnCommand)
  | ({
      readonly do: 'retry'
      readonly pick: number
      readonly text: 'same' | 'other'
    } & TurnCommand)
  /** The supervisor dies at a call of the store, before or after it took effect. */
  | ({
      readonly do: 'crash'
      readonly atCall: number
      readonly effect: 'before' | 'after'
      readonly meanwhile: 'nothing' | 'swap'
      /** In a turn in which the agent asks, instead of what it would do else. */
      readonly asks: boolean
      /** In a turn that asks the last prompt once more, in other words. */
      readonly again: boolean
    } & TurnCommand)
  /** The store fails in the middle of a turn and works again afterwards; the supervisor lives on. */
  | ({ readonly do: 'disk'; readonly atCall: number; readonly times: number } & TurnCommand)
  /** The supervisor sleeps while another process takes its run over, and wakes after that. */
  | { readonly do: 'oversleep'; readonly inTool: boolean }
  /** The agent asks and is gone; the same supervisor answers, or the next one, or nobody does. */
  | ({
      readonly do: 'ask'
      readonly afterwards: 'answer' | 'restart' | 'swap' | 'cancel'
    } & TurnCommand)
  | { readonly do: 'cancel'; readonly inTool: boolean }
  | { readonly do: 'edit'; readonly pick: number; readonly text: 'new' | 'earlier' }
  | { readonly do: 'truncate'; readonly pick: number }
  | { readonly do: 'move' }
  | { readonly do: 'swap'; readonly pick: number }
  | { readonly do: 'prune'; readonly pick: number }
  | { readonly do: 'tear'; readonly pick: number }
  | { readonly do: 'fork'; readonly pick: number }
  | WarmCommand

/** What may happen to a process that waits for the next turn of its session, and around it. */
export type WarmCommand =
  /** Somebody kills one of the processes that live. */
  | { readonly do: 'kill'; readonly pick: number }
  /** Somebody goes on with a session behind our back, or only touches its file. */
  | { readonly do: 'foreign'; readonly pick: number; readonly says: boolean }
  /** From the next turn on, the thread has other instructions. */
  | { readonly do: 'instruct'; readonly pick: number }
  /** More time passes than a process may wait. */
  | { readonly do: 'idle' }
  /** From now on, processes need so much memory that few or none may stay. */
  | { readonly do: 'grow'; readonly share: number }
  /** Another process of Reprise goes on with the thread, while this one keeps what it has. */
  | { readonly do: 'switch' }

export type Sequence = { readonly view: 'all' | 'own'; readonly commands: readonly Command[] }

/** Behaviours in which a real program would have to wait for a watchdog. */
const HANGING: readonly Behaviour[] = [
  'hangs-before-init',
  'hangs-in-the-middle',
  'hangs-after-result',
]

const FAULTS: readonly Behaviour[] = [
  'refuses-fresh-id',
  'refuses-echoed-id',
  'refuses-without-id',
  'refuses-after-tool',
  'wrong-id',
  'late-id',
  'no-init',
  'two-results',
  'no-persistence',
  'slow-flush',
  'tears-its-file',
  'killed-at-once',
  'killed-mid-tool',
  'killed-after-text',
  'exits-without-result',
  'overloaded',
  'bad-request',
  'too-many-turns',
]

export function sequences(options: {
  readonly maxCommands: number
  readonly hangs: 'possible' | 'never'
  /** Processes stay after their turns. */
  readonly warm?: boolean
}): fc.Arbitrary<Sequence> {
  const faults = options.hangs === 'possible' ? [...FAULTS, ...HANGING] : FAULTS
  const behaviour = fc.oneof(
    { weight: options.warm ? 40 : 8, arbitrary: fc.constant<Behaviour>('answers') },
    { weight: 3, arbitrary: fc.constant<Behaviour>('uses-a-tool') },
    { weight: 4, arbitrary: fc.constantFrom(...faults) },
  )
  const turn = {
    agent: fc.oneof(
      { weight: 6, arbitrary: fc.constant<'first' | 'second'>('first') },
      { weight: 1, arbitrary: fc.constant<'first' | 'second'>('second') },
    ),
    fresh: fc.oneof(
      { weight: 12, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    behaviour,
  }
  const pick = fc.oneof(fc.nat(3), fc.nat(20))
  const inTool = fc.boolean()
  const command = fc.oneof(
    {
      // A process stays only after a turn without trouble.
      weight: options.warm ? 60 : 20,
      arbitrary: record('send', { text: fc.constantFrom('new', 'continue'), ...turn }),
    },
    {
      weight: 2,
      arbitrary: record('retry', { pick, text: fc.constantFrom('same', 'other'), ...turn }),
    },
    {
      weight: 3,
      arbitrary: record('crash', {
        atCall: fc.nat(28),
        effect: fc.constantFrom('before', 'after'),
        meanwhile: fc.constantFrom('nothing', 'nothing', 'swap'),
        asks: fc.boolean(),
        again: fc.constantFrom(false, false, true),
        ...turn,
      }),
    },
    {
      weight: 2,
      arbitrary: record('disk', {
        atCall: fc.nat(20),
        times: fc.integer({ min: 1, max: 8 }),
        ...turn,
      }),
    },
    { weight: 1, arbitrary: record('oversleep', { inTool }) },
    {
      weight: 3,
      arbitrary: record('ask', {
        afterwards: fc.constantFrom('answer', 'answer', 'restart', 'swap', 'cancel'),
        ...turn,
      }),
    },
    { weight: 1, arbitrary: record('cancel', { inTool }) },
    { weight: 5, arbitrary: record('edit', { pick, text: fc.constantFrom('new', 'earlier') }) },
    { weight: 2, arbitrary: record('truncate', { pick }) },
    { weight: 1, arbitrary: record('move', {}) },
    { weight: 1, arbitrary: record('swap', { pick }) },
    { weight: 1, arbitrary: record('prune', { pick }) },
    { weight: 1, arbitrary: record('tear', { pick }) },
    { weight: 1, arbitrary: record('fork', { pick }) },
    ...(options.warm ? warmCommands(pick) : []),
  )
  const commands = fc.array(command, { minLength: 4, maxLength: options.maxCommands, size: 'max' })
  return fc.record({ view: fc.constantFrom('all', 'all', 'all', 'own'), commands })
}

function warmCommands(pick: fc.Arbitrary<number>) {
  return [
    { weight: 2, arbitrary: record('kill', { pick }) },
    { weight: 2, arbitrary: record('foreign', { pick, says: fc.boolean() }) },
    { weight: 2, arbitrary: record('instruct', { pick: fc.nat(2) }) },
    { weight: 2, arbitrary: record('idle', {}) },
    { weight: 1, arbitrary: record('grow', { share: fc.constantFrom(0.3, 0.3, 0.6, 1.1) }) },
    { weight: 10, arbitrary: record('switch', {}) },
  ]
}

function record(name: Command['do'], fields: Record<string, fc.Arbitrary<unknown>>) {
  // The fields are those of the command of this name, a few lines above.
  return fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Command>
}

/** What the fake agent does in a turn; `answer` is the text of its answer. */
export function scriptOf(behaviour: Behaviour, answer: string): FakeTurn {
  const text: ScriptStep = { type: 'text', text: answer }
  const tool: ScriptStep = {
    type: 'tool',
    name: 'Bash',
    input: { command: 'true' },
    result: 'done',
  }
  const openCall: ScriptStep = { ...tool, result: null }
  const steps: Record<Behaviour, readonly ScriptStep[]> = {
    answers: [text],
    'uses-a-tool': [{ type: 'thinking', text: 'hm' }, tool, text],
    'refuses-fresh-id': [{ type: 'refuseResume', idInStream: 'fresh' }, text],
    'refuses-echoed-id': [{ type: 'refuseResume', idInStream: 'echo' }, text],
    'refuses-without-id': [{ type: 'refuseResume', idInStream: 'none' }, text],
    'refuses-after-tool': [tool, { type: 'refuseResume', idInStream: 'fresh' }, text],
    'wrong-id': [{ type: 'wrongId' }, text],
    'late-id': [{ type: 'lateId' }, text],
    'no-init': [{ type: 'noInit' }, text],
    'two-results': [{ type: 'twoResults' }, text],
    'no-persistence': [{ type: 'noPersistence' }, text],
    'slow-flush': [{ type: 'slowFlush', ms: 20 }, text],
    'tears-its-file': [{ type: 'tornFile' }, text],
    'killed-at-once': [{ type: 'killSelf', signal: 'SIGKILL' }, text],
    'killed-mid-tool': [text, openCall, { type: 'killSelf', signal: 'SIGKILL' }],
    'killed-after-text': [text, tool, { type: 'killSelf', signal: 'SIGKILL' }],
    'exits-without-result': [text, { type: 'exit', code: 0, withoutResult: true }],
    overloaded: [{ type: 'apiError', status: 529 }, text],
    'bad-request': [{ type: 'apiError', status: 400 }, text],
    'too-many-turns': [tool, { type: 'maxTurns' }, text],
    'hangs-before-init': [{ type: 'hang', at: 'before-init' }, text],
    'hangs-in-the-middle': [text, tool, { type: 'hang' }],
    'hangs-after-result': [{ type: 'hang', at: 'after-result' }, text],
  }
  return { do: steps[behaviour] }
}

/** What the agent asks, after it has said something. */
export function askingScript(answer: string): FakeTurn {
  const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]
  return {
    do: [
      { type: 'text', text: answer },
      { type: 'ask', questions },
    ],
  }
}

/** Nothing keeps such a turn from its answer, or what does is for the caller to get over. */
export const MUST_COMPLETE: ReadonlySet<Behaviour> = new Set<Behaviour>([
  'answers',
  'uses-a-tool',
  'refuses-fresh-id',
  'refuses-echoed-id',
  'refuses-without-id',
  'late-id',
  'no-init',
  'two-results',
  'no-persistence',
  'slow-flush',
  'tears-its-file',
  'hangs-after-result',
])

/** A turn that stands still until it is ended from outside. */
export function waitingScript(
  answer: string,
  files: { readonly go: string; readonly reached: string },
  inTool: boolean,
): FakeTurn {
  const wait: ScriptStep = { type: 'waitForFile', path: files.go, reached: files.reached }
  const tool: ScriptStep = { type: 'tool', name: 'Bash', input: { command: 'sleep' }, result: null }
  return { do: [{ type: 'text', text: answer }, ...(inTool ? [tool] : []), wait] }
}

/** The prompt that a message belongs to, and what comes before it. */
export function promptBefore(
  { messages }: Pick<ThreadDetails, 'messages'>,
  message: Message | undefined,
): { readonly old: Message | undefined; readonly messages: readonly Message[] } {
  const index = message ? messages.indexOf(message) : -1
  const at = messages.findLastIndex(({ role }, i) => i <= index && role === 'user')
  return at < 0
    ? { old: undefined, messages }
    : { old: messages[at], messages: messages.slice(0, at) }
}

/** What a `pick` of a command names. */
export function fromEnd<T>(items: readonly T[], pick: number): T | undefined {
  return items.at(-1 - (pick % items.length))
}
