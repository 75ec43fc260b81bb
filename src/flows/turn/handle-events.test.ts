// What becomes of each event of an agent: stored, observed, answered, or a reason to stop. The agent is a list of events.
import { describe, expect, test } from 'vitest'
import { OUTCOME_UNKNOWN } from '../../core/conversation/interruption.ts'
import { SUDO_HINT } from '../../core/run/sandbox.ts'
import { runAgent } from './run-agent.ts'

type Said = Readonly<Record<string, unknown>> & { readonly type: string }
type Given = {
  readonly watch?: object | null
  readonly questions?: object
  readonly containment?: object
  readonly callFirst?: object
  readonly secrets?: readonly string[]
  readonly onSession?: () => Promise<void>
  readonly onStarted?: (stop: (reason: string) => Promise<void>) => void
  readonly fails?: Error
  /** Whether the first words leave the input open. */
  readonly keepsOpen?: boolean
  readonly dialogue?: object
  readonly run?: object
}

async function played(events: readonly (Said | object)[], given: Given = {}) {
  const notes: string[] = []
  const pushed: Said[] = []
  const process = {
    lines: (async function* () {
      for (const event of events)
        yield 'bytes' in event ? event : { kind: 'line', text: JSON.stringify(event) }
      if (given.fails) throw given.fails
    })(),
    exit: Promise.resolve({ code: 0 }),
    write: (text: string) => void notes.push(`write ${text}`),
    answerSeen: () => void notes.push('answer seen'),
    resultSeen: () => void notes.push('result seen'),
    endInput: () => void notes.push('end input'),
    waitsForAnswer: (state: string) => void notes.push(`waits: ${state}`),
    stop: async (reason: string, before?: () => Promise<void>) => {
      await before?.()
      notes.push(`stop ${reason}`)
    },
  }
  const adapter = {
    open: () => ({
      command: { file: 'agent' },
      dialogue: {
        begin: () => ({
          events: [],
          write: ['hel', 'lo\n'],
          ...(!given.keepsOpen && { close: true }),
        }),
        read: (text: string) => ({ events: [JSON.parse(text)], write: [] }),
        rule: (id: string, { kind }: { kind: string }) => ({
          events: [],
          write: [`${id} ${kind}`],
        }),
        ...given.dialogue,
      },
    }),
  }
  const started: object[] = []
  const runner = {
    start: async (command: object) => {
      started.push(command)
      return process
    },
  }
  const run = {
    agent: {
      name: 'claude-code',
      adapter,
      runtime: { fingerprint: 'agent 1' },
      secrets: given.secrets ?? [],
    },
    spec: { runId: 'run_1', model: 'sonnet', workDir: '/project' },
    limits: {},
    log: { push: (event: Said) => void pushed.push(event) },
    onSession: given.onSession ?? (async () => void notes.push('session')),
    onStarted: given.onStarted ?? (() => {}),
    recordKill: async (reason: string) => void notes.push(`record ${reason}`),
    questions: {
      didNotRun: () => false,
      end: async () => void notes.push('questions end'),
      ask: async () => 'asked',
      refuse: async (_: object, __: object, why: string) => void notes.push(`refuse ${why}`),
      ...given.questions,
    },
    copy: null,
    watch: given.watch ?? null,
    containment: given.containment ?? null,
    callFirst: given.callFirst ?? null,
    ...given.run,
  }
  const running = runAgent({ runner, clock: { now: () => 0 } } as never, run as never)
  const over = await running.catch((error: unknown) => ({ error }))
  return { over, notes, pushed, started, types: pushed.map(({ type }) => type) }
}

const STARTED = {
  file: 'agent',
  stdin: new TextEncoder().encode('hello\n'),
  keepsInputOpen: false,
}
const SESSION = { type: 'session', sessionId: 's' }
const RESULT = {
  type: 'result',
  ok: true,
  unasked: false,
  terminalReason: null,
  text: null,
  errors: [],
}
const TEXT = { type: 'text', text: 'hello' }
const TOOL = { type: 'tool', id: 't', name: 'Bash', input: '{}', parentId: null }
const DONE = { type: 'tool-result', id: 't', isError: false, denied: false, text: 'done' }
const QUESTION = { type: 'question', toolUseId: 't', requestId: 'r', tool: 'Bash', input: '{}' }

test('I10 events are stored in their order; the session is named before what follows, the first result closes the input', async () => {
  const { types, notes, over } = await played([SESSION, TEXT, RESULT])
  expect(types).toEqual(['session', 'text', 'result'])
  expect(notes).toEqual(['session', 'result seen', 'questions end'])
  expect(over).toMatchObject({
    observation: { announcedSessionId: 's', text: 'hello' },
    exit: { code: 0 },
  })
})

test('the runner hears of a block that may be the last, one that calls no tool, if the process may take further turns', async () => {
  const block = { type: 'block', anchor: 'a' }
  const lines = [{ events: [TEXT, block] }, { events: [TOOL, block] }, { events: [DONE] }]
  const read = (text: string) => ({ ...JSON.parse(text), write: [] })
  const { notes } = await played(lines, { dialogue: { read }, run: { spec: { stays: true } } })
  expect(notes).toEqual(['answer seen', 'questions end'])
  expect((await played(lines, { dialogue: { read } })).notes).toEqual(['questions end'])
})

test('a result that nobody asked for closes nothing', async () => {
  const { notes } = await played([SESSION, { ...RESULT, unasked: true }])
  expect(notes).not.toContain('result seen')
})

test('C-6 an answer without a session is warned about; a failure is not', async () => {
  const { pushed } = await played([RESULT])
  expect(pushed.at(-1)).toMatchObject({
    type: 'notice',
    code: 'no-session-id',
    text: expect.stringContaining('run run_1, agent 1, sonnet, /project'),
  })
  expect((await played([{ ...RESULT, ok: false }])).types).toEqual(['result'])
  expect((await played([TEXT])).types).toEqual(['text'])
})

test('S27 a line that was too long is an unknown event with its size', async () => {
  const { pushed } = await played([
    SESSION,
    { kind: 'oversized', head: 'the beginning', bytes: 5_000 },
  ])
  expect(pushed[1]).toMatchObject({ type: 'unknown', kind: 'line of 5000 bytes' })
})

test('S21 secrets of the environment are neither stored nor observed', async () => {
  const { pushed, over } = await played([TOOL, { ...DONE, text: 'it is hunter2horse' }], {
    secrets: ['hunter2horse'],
  })
  expect(JSON.stringify(pushed)).not.toContain('hunter2horse')
  expect(
    JSON.stringify([
      ...(over as never as { observation: { tools: Map<string, object> } }).observation.tools,
    ]),
  ).not.toContain('hunter2horse')
})

describe('U-3 an agent whose events cannot be handled', () => {
  test('is stopped, and the error goes to the caller; its questions end', async () => {
    const fault = new Error('no space')
    const { over, notes } = await played([SESSION, TEXT], {
      onSession: () => Promise.reject(fault),
    })
    expect(over).toEqual({ error: fault })
    expect(notes).toEqual(['stop shutdown', 'questions end'])
  })

  test('is stopped too when its output breaks', async () => {
    const { over, notes } = await played([TEXT], { fails: new Error('broken pipe') })
    expect(over).toMatchObject({ error: { message: 'broken pipe' } })
    expect(notes).toContain('stop shutdown')
  })
})

test('F-7 after a stop began, what is said of a call is unknown', async () => {
  let stop: (reason: string) => Promise<void> = async () => {}
  const { pushed, notes } = await played([SESSION, TOOL, DONE], {
    onStarted: given => {
      stop = given
    },
    onSession: () => stop('cancelled'),
  })
  expect(notes.slice(0, 2)).toEqual(['record cancelled', 'stop cancelled'])
  expect(pushed.at(-1)).toMatchObject({
    type: 'tool-result',
    denied: false,
    outcomeUnknown: true,
    text: OUTCOME_UNKNOWN,
  })
  const heard = await played([SESSION, TOOL, DONE])
  expect(heard.pushed.at(-1)).toEqual(DONE)
})

test('T-7 a call that nobody allowed did not run, whatever its result says', async () => {
  const questions = { didNotRun: () => true }
  const { pushed } = await played([TOOL, { ...DONE, outcomeUnknown: true }], { questions })
  expect(pushed.at(-1)).toEqual({ ...DONE, denied: true })
})

describe('T-7 a question', () => {
  const watch = (kind: string) => ({
    rule: () => ({ kind, why: 'outside of tier 1' }),
    see: () => ({ notice: null }),
    stopped: null,
  })
  /** Who is asked, and what the answer is. */
  const user = (answer = 'asked') => {
    const asked: object[] = []
    const ask = async (question: object) => {
      asked.push(question)
      return answer
    }
    return { asked, questions: { ask } }
  }

  test('that waits for an answer is asked, and is not in the log before it is stored', async () => {
    const { asked, questions } = user()
    const { types } = await played([QUESTION], { questions })
    expect([types, asked]).toEqual([[], [QUESTION]])
  })

  test('of a call that is parked is only observed', async () => {
    const { asked, questions } = user()
    const parked = { ...QUESTION, requestId: null }
    const { types, over } = await played([parked], { questions })
    expect([types, asked]).toEqual([[], []])
    expect(over).toMatchObject({ observation: { parked: { toolUseId: 't' } } })
  })

  test('E-5 about a call outside the fence is refused, and nobody is asked', async () => {
    const { asked, questions } = user('granted')
    const { notes } = await played([QUESTION], { watch: watch('refuse'), questions })
    expect(notes).toContain('refuse outside of tier 1')
    expect(asked).toEqual([])
    await played([QUESTION], { watch: watch('pass'), questions })
    expect(asked).toEqual([QUESTION])
  })
})

describe('E-5 a watch', () => {
  test('is asked about calls that wait; without one they pass', async () => {
    const call = { type: 'call-asked', requestId: 'r', id: 't', name: 'Write', input: '{}' }
    const refuses = {
      rule: () => ({ kind: 'refuse', why: 'no' }),
      see: () => ({ notice: null }),
      stopped: null,
    }
    expect((await played([call], { watch: refuses })).notes[0]).toBe('write r refuse')
    const blind = { see: () => ({ notice: null }), stopped: null }
    expect((await played([call], { watch: blind })).notes[0]).toBe('write r pass')
    expect((await played([call])).notes[0]).toBe('write r pass')
  })

  test('gives notices to the log, and stops the agent when it has a reason', async () => {
    const notice = { type: 'notice', code: 'budget-near', text: 'x' }
    const seen: string[] = []
    const watch = {
      see: ({ type }: Said) => {
        seen.push(type)
        return { notice: type === 'text' ? notice : null }
      },
      get stopped() {
        return seen.includes('tool') ? { class: 'budget' } : null
      },
    }
    const { types, notes, over } = await played([TEXT, TOOL], { watch })
    expect(types).toEqual(['text', 'notice', 'tool'])
    expect(notes).toEqual(expect.arrayContaining(['record budget', 'stop budget']))
    expect(over).toMatchObject({ observation: { stopBegan: true } })
  })
})

describe('E-10 an agent that begins with a parked call', () => {
  const callFirst = { toolUseId: 't', tool: 'Bash', input: '{"command":"make"}' }

  test('has made the call', async () => {
    const { pushed } = await played([TEXT, RESULT, SESSION], { callFirst })
    expect(pushed[0]).toEqual({ ...TOOL, input: callFirst.input })
  })
})

test('E-13 a call that needs privileges in a sandbox gets a notice that says what to do', async () => {
  const refused = { ...DONE, text: 'sudo: The "no new privileges" flag is set' }
  const containment = { sandbox: 'bwrap' }
  const { pushed, started } = await played([TOOL, refused], { containment })
  expect(pushed.at(-1)).toEqual({ type: 'notice', code: 'sandbox-sudo', text: SUDO_HINT })
  expect(started).toEqual([{ ...STARTED, containment }])
  const free = await played([TOOL, refused])
  expect(free.types).toEqual(['tool', 'tool-result'])
  expect(free.started).toEqual([STARTED])
})

test('T-7 the input stays open where the agent expects more than the prompt', async () => {
  expect((await played([TEXT], { keepsOpen: true })).started).toEqual([
    { ...STARTED, keepsInputOpen: true },
  ])
})

test('T-7 what a line asks for is written to the agent', async () => {
  const read = (line: string) => ({ events: [JSON.parse(line)], write: ['ack'] })
  expect((await played([TEXT], { dialogue: { read } })).notes[0]).toBe('write ack')
})

test('T-7 the words of a question reach the one who is asked; its agent is answered, and stopped where nobody answers', async () => {
  const secrets = ['hunter2horse']
  const question = { ...QUESTION, input: '{"command":"login hunter2horse"}' }
  const asked: object[] = []
  type Asker = {
    answer(asked: object, answer: object): void
    waitsForAnswer(state: string): void
    stop(reason: string): Promise<void>
  }
  const ask = async (one: object, asker: Asker) => {
    asked.push(one)
    asker.waitsForAnswer('waiting')
    asker.answer(one, {})
    await asker.stop('parked')
    return 'asked'
  }
  const answer = () => ({ events: [], write: ['answered'] })
  const seen: string[] = []
  const watch = {
    see: ({ type }: Said) => {
      seen.push(type)
      return { notice: null }
    },
    stopped: null,
  }
  const given = { secrets, questions: { ask }, dialogue: { answer }, watch }
  const { notes, pushed } = await played([question], given)
  expect(asked).toEqual([question])
  expect(notes.slice(0, 3)).toEqual(['waits: waiting', 'write answered', 'stop parked'])
  expect([pushed, seen]).toEqual([[], ['question']])
  // What was allowed for the run before is no event of this one.
  await played([question], { ...given, questions: { ask: async () => 'granted' } })
  expect(seen).toEqual(['question'])
})

test('E-13 only the result of a call can ask for privileges', async () => {
  const text = 'sudo: The "no new privileges" flag is set'
  const { types } = await played([{ ...TEXT, text }], { containment: { sandbox: 'bwrap' } })
  expect(types).toEqual(['text'])
})

describe('W-1 a process that rests after its turn', () => {
  const read = (line: string) => ({ events: [JSON.parse(line)], write: [], rests: true })

  test('ends with its input where it may not stay', async () => {
    for (const whetherKept of [undefined, async () => 'ends', async () => 'not-saved']) {
      const { notes, over } = await played([SESSION], { dialogue: { read }, run: { whetherKept } })
      expect(notes).toContain('end input')
      expect(over).toMatchObject({ resting: null, exit: { code: 0 } })
    }
  })

  test('has no exit where it stays', async () => {
    const run = { whetherKept: async () => 'kept' }
    const { notes, over } = await played([SESSION, TEXT], { dialogue: { read }, run })
    expect(notes).not.toContain('end input')
    expect(over).toMatchObject({ exit: null, resting: { startedBy: 'run_1' } })
  })

  test('takes the prompt of the next turn, under the limits of that turn; no process is started', async () => {
    const notes: unknown[] = []
    const begin = async (limits: object, recordKill: (reason: string) => Promise<void>) => {
      notes.push(limits)
      await recordKill('silent')
    }
    const kept = {
      process: { turns: { begin }, exit: Promise.resolve({ code: 0 }), stop: async () => {} },
      dialogue: { next: (prompt: string) => ({ events: [], write: [prompt] }) },
      step: async () => null,
      tell: ({ write }: { write: readonly string[] }) => void notes.push(...write),
    }
    const spec = { runId: 'run_2', prompt: 'two', model: null, workDir: '/project' }
    const run = { kept, spec, limits: { totalMs: 5 } }
    const { started, notes: recorded, over } = await played([], { run })
    expect([started, notes]).toEqual([[], [{ totalMs: 5 }, 'two']])
    expect(recorded).toContain('record silent')
    expect(over).toMatchObject({ observation: { stopBegan: true } })
    notes.length = 0
    await played([], { run: { ...run, spec: { ...spec, prompt: null } } })
    expect(notes).toEqual([{ totalMs: 5 }, ''])
  })
})
