// Every type of event in words and by an example, for docs/events.md and OpenAPI. A type or a field without words does not compile.
import type { EventBody, RunEvent } from '../../core/run/run-events.ts'

type Type = EventBody['type']
type BodyOf<T extends Type> = Extract<EventBody, { readonly type: T }>
type Fields<T extends Type> = Exclude<keyof BodyOf<T>, 'type'>

export type EventSample<T extends Type> = {
  /** When it comes, in a sentence or two. */
  readonly comes: string
  /** What each field means. */
  readonly fields: { readonly [Name in Fields<T>]-?: string }
  readonly example: Omit<BodyOf<T>, 'type'>
}

const USAGE = { inputTokens: 12, cacheReadTokens: 3_025, cacheWriteTokens: 29, outputTokens: 15 }
const RUN_ID = 'run_tkjo33o2huursnld'
const SESSION_ID = 'd54b2e79-3054-4fd0-870b-9e657a659028'

export const EVENT_SAMPLES: { readonly [T in Type]: EventSample<T> } = {
  queued: {
    comes: 'The turn was stored and has to wait: behind a run of its thread, or for a slot.',
    fields: {
      behind: 'the run that goes first on the thread; `null`: the turn waits for a slot',
      words: 'why it waits, in a sentence',
    },
    example: {
      behind: 'run_dftywlnefuofhgz3',
      words: 'waits for run_dftywlnefuofhgz3, which goes first on this thread',
    },
  },
  started: {
    comes: 'Reprise decided how to continue and is about to start the agent.',
    fields: { decision: 'the action, its reason, and what every guard saw' },
    example: {
      decision: {
        action: 'resume',
        session: { id: 'ses_b2wqy4rh7dn3kfpa', sessionId: SESSION_ID },
        catchUpFrom: 4,
        checks: [{ guard: 'same-work-dir', result: 'pass', saw: '/home/me/server' }],
      },
    },
  },
  session: {
    comes: 'The agent named its session. Its file may not hold the turn yet.',
    fields: {
      sessionId: "the agent's own id",
      model: 'the model that the agent says it uses',
      version: 'of the agent',
      tools: 'the tools that the agent has in this run',
      permissionMode: "in the agent's own words",
      servers: 'MCP servers that take part; absent in what older versions stored',
      agents: 'sub-agents that take part',
      plugins: 'plugins that take part',
    },
    example: {
      sessionId: SESSION_ID,
      model: 'claude-sonnet-4-5',
      version: '2.1.325',
      tools: ['Bash', 'Edit', 'Read'],
      permissionMode: 'default',
      servers: [],
      agents: [],
      plugins: [],
    },
  },
  hook: {
    comes: 'A hook of the user ran, a program that settings name.',
    fields: { name: 'as the agent calls it' },
    example: { name: 'SessionStart:startup' },
  },
  text: {
    comes: 'A piece of the answer, as it comes.',
    fields: { text: 'as it came; it may begin or end in the middle of a word' },
    example: { text: 'GET /health answers 200 while ' },
  },
  thinking: {
    comes: 'A piece of what the agent thinks, where it says so.',
    fields: { text: 'as it came' },
    example: { text: 'The server has no route for it yet.' },
  },
  block: {
    comes: 'One block of the main conversation is complete.',
    fields: { anchor: "the agent's own id of it; a fork can cut the session there" },
    example: { anchor: '0b6c1b9e-6f0b-4c5e-9d2a-1f8f8a3f5b11' },
  },
  tool: {
    comes: 'The agent calls a tool.',
    fields: {
      id: 'the id of the call',
      name: 'of the tool',
      input: 'as JSON text; a long one is cut',
      parentId: 'the call that started the sub-agent which made this one; `null`: the agent itself',
    },
    example: {
      id: 'toolu_01',
      name: 'Bash',
      input: '{"command":"npm test"}',
      parentId: null,
    },
  },
  'tool-result': {
    comes: 'The call ended, or was refused.',
    fields: {
      id: 'the id of the call',
      isError: 'the tool failed, or did not run',
      denied: 'permissions refused the call: it did not run',
      outcomeUnknown: 'the run was being stopped: the call may have run whatever the text says',
      text: 'what the tool gave back; a long one is cut',
    },
    example: { id: 'toolu_01', isError: false, denied: false, text: '41 tests passed' },
  },
  usage: {
    comes: 'What one model request used so far. A later event of the same request replaces it.',
    fields: {
      requestId: 'the request',
      model: 'that answered it',
      usage: 'tokens of the four kinds',
      main: '`false` for a sub-agent, which does not fill the main context',
    },
    example: { requestId: 'req_011', model: 'claude-sonnet-4-5', usage: USAGE, main: true },
  },
  retry: {
    comes: 'The agent tries a failed model request again by itself.',
    fields: {
      attempt: 'counts from 1',
      maxAttempts: 'the most that the agent makes',
      delayMs: 'how long it waits before',
      status: 'of HTTP; `null`: there was no answer',
      error: "the agent's word for it",
    },
    example: { attempt: 2, maxAttempts: 10, delayMs: 1_100, status: 529, error: 'overloaded' },
  },
  compacted: {
    comes: 'The agent compacted its context.',
    fields: {
      trigger: 'why, in the word of the agent: `auto`, `manual`',
      tokensBefore: 'how many tokens the context held before; `null`: not known',
    },
    example: { trigger: 'auto', tokensBefore: 167_000 },
  },
  limit: {
    comes: 'The account is near a usage limit, or over it.',
    fields: {
      rejected: 'the request was refused because of it',
      resetsAt: 'when the limit ends, in milliseconds since 1970; `null`: not known',
    },
    example: { rejected: true, resetsAt: 1_795_000_000_000 },
  },
  notice: {
    comes: 'Something that the user should know.',
    fields: { code: 'what kind of notice it is', text: 'in words' },
    example: { code: 'budget-near', text: '$0.41 of $0.5 of the budget is spent' },
  },
  question: {
    comes:
      'The agent asks the user, or asks for a permission. `runs.answer` answers it ([questions.md](questions.md)).',
    fields: {
      toolUseId: 'the call to name in the answer',
      kind: 'a question with options, or a permission',
      tool: 'the tool that the agent wants to use',
      input: 'of the call, as JSON text',
      items: 'the questions with their options; empty for a permission',
      rule: 'what "for this run" would allow; absent: it can be allowed only once',
      requestId: '`null`: the call is parked, and the process ends',
    },
    example: {
      toolUseId: 'toolu_02',
      kind: 'permission',
      tool: 'Bash',
      input: '{"command":"npm publish"}',
      items: [],
      rule: {
        kind: 'command',
        tool: 'Bash',
        value: 'npm publish',
        words: 'Bash commands that are exactly `npm publish`',
      },
      requestId: 'req-1',
    },
  },
  answer: {
    comes:
      'A question is closed: answered, late or cancelled. `answer.forRun.by: rule`: nobody was asked, because a user had allowed it for the run.',
    fields: {
      id: 'the call',
      state: '`expired`: nobody answered in time',
      answer: 'what the user said; `null`: nobody did',
    },
    example: { id: 'toolu_02', state: 'answered', answer: { kind: 'allow' } },
  },
  result: {
    comes: "The agent's own last word on the turn. `ended` says what Reprise makes of it.",
    fields: {
      ok: 'the agent calls it a success',
      subtype: "the agent's word for how it ended",
      sessionId: 'the session that it names at its end',
      text: 'the answer as a whole; `null`: there is none',
      errors: 'what the agent says went wrong',
      apiErrorStatus: 'of HTTP, where the model API refused',
      errorKind: "the agent's class of the error",
      stopReason: 'why the model stopped, such as `end_turn`',
      terminalReason: 'why the agent stopped',
      turns: 'how many model requests it counts',
      durationMs: 'as the agent measured it',
      totalCostUsd:
        "as the agent reports it: of this process or of the whole session, by version; `run.costUsd` is the run's own",
      models: 'usage per model, with the scope of `totalCostUsd`',
      modelsSinceLastResult: 'usage per model of this turn alone, where the agent says so',
      usage: 'of the main loop of this turn',
      context: 'how full the context is and how much fits, where the agent says so',
      structured: 'what fits the schema that the agent was given, such as a verdict',
      atParkedCall: 'the agent ended because it parked a call',
      unasked: 'it answers something that the agent began by itself',
    },
    example: {
      ok: true,
      subtype: 'success',
      sessionId: SESSION_ID,
      text: 'Done: test/health.test.ts checks the status and the time.',
      errors: [],
      apiErrorStatus: null,
      errorKind: null,
      stopReason: 'end_turn',
      terminalReason: null,
      turns: 1,
      durationMs: 2_140,
      totalCostUsd: 0.0127,
      models: {},
      modelsSinceLastResult: null,
      usage: USAGE,
      unasked: false,
    },
  },
  unknown: {
    comes: 'The agent said something that this version does not know.',
    fields: { kind: 'the type that the line names', raw: 'the line; a long one is cut' },
    example: { kind: 'system/new_thing', raw: '{"type":"system","subtype":"new_thing"}' },
  },
  fallback: {
    comes: 'The agent refused its session. The turn goes on in another run.',
    fields: { nextRunId: 'that run', words: 'what was refused and what happens now' },
    example: {
      nextRunId: 'run_r753zes7otwj4ly7',
      words: 'the agent refused the session; the turn goes on in a new session with the transcript',
    },
  },
  supervised: {
    comes: 'The supervisor of a chain decided what follows this run.',
    fields: {
      step: 'the next tier, the same tier again, or the end, with the reason',
      nextRunId: 'the run that follows; `null`: none does',
      words: 'the same in a sentence',
    },
    example: {
      step: {
        kind: 'enter',
        tier: 2,
        because: { code: 'agent-asked', tier: 1, reason: 'needs a restart' },
      },
      nextRunId: 'run_6uuiqkcb6bh2qcqk',
      words: 'tier 1 asked for the next one: needs a restart',
    },
  },
  ended: {
    comes: 'The run is over. This is always its last event.',
    fields: {
      status: 'how the run ended',
      failure: 'why, with a hint; `null`: it did not fail',
      continuedBy: 'the run in which the turn goes on; `null`: the turn is over',
    },
    example: { status: 'completed', failure: null, continuedBy: null },
  },
}

/** The examples as a reader gets them, in the order in which the types are listed. */
export function sampleEvents(): readonly RunEvent[] {
  return Object.entries(EVENT_SAMPLES).map(([type, { example }], index) => {
    const place = { runId: RUN_ID, seq: index + 1, at: 1_794_913_200_000 }
    return { ...place, type, ...example } as RunEvent
  })
}

/** The `id:` of a frame in the stream of a turn or a job. */
export function placeSample(seq: number): string {
  return `${RUN_ID}:${seq}`
}

/** The text of a stream: a run that says a word and ends. */
export function streamSample(idOf: (seq: number) => string): string {
  const wanted = new Set(['text', 'ended'])
  return sampleEvents()
    .filter(({ type }) => wanted.has(type))
    .map((event, index) => ({ ...event, seq: index + 1 }))
    .map(event => `id: ${idOf(event.seq)}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}
