// The script of the fake agent: what it shall do in a test, as plain data that fits in a JSON file.
import type { Usage } from '../../core/run/events.ts'

/** What fake agents do: the content of the file that `FAKE_AGENT_SCRIPT` names. Each turn plays the first one that fits it. */
export type FakeScript = readonly FakeTurn[]

/** What a fake agent does in one turn. */
export type FakeTurn = {
  /** `new` or `resume` (also forks, answers, and later turns of a process), or a part of the prompt; without it, it fits always. */
  readonly when?: 'new' | 'resume' | (string & {})
  /** Fits only once, over all processes that share the script. */
  readonly once?: boolean
  /** The steps in order. When no step gives text, the answer is `echo: <last line of the prompt>`. */
  readonly do: readonly ScriptStep[]
}

export type AskedQuestion = {
  readonly question: string
  readonly header?: string
  readonly options?: readonly { readonly label: string; readonly description?: string }[]
  readonly multiSelect?: boolean
}

/** A part of a text: one delta, or a wait before the next one. */
export type TextPiece = string | { readonly waitForFile: string } | { readonly sleepMs: number }

/** One thing that a fake agent does. */
export type ScriptStep =
  | { readonly type: 'text'; readonly text: string | readonly TextPiece[] }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool'
      readonly name: string
      readonly input?: Readonly<Record<string, unknown>>
      /** `null`: the call never returns, so what follows happens in the middle of it. */
      readonly result?: string | null
      readonly isError?: boolean
      /** `false`: it runs although the flags forbid it, as only a broken or a hostile program does. */
      readonly denied?: boolean
      /** Only with the user's permission, where the agent can ask for it. */
      readonly asks?: boolean
      /** Done when the call is allowed. */
      readonly appends?: { readonly file: string; readonly line: string }
    }
  /** Asks the user. The process ends, and another one continues with the answer. */
  | { readonly type: 'ask'; readonly questions: readonly AskedQuestion[] }
  /** Structured output, or the block that ends the answer where no schema was given. */
  | { readonly type: 'verdict'; readonly output: Readonly<Record<string, unknown>> }
  /** The usage that is billed for the next model request, whatever it really used. */
  | { readonly type: 'billed'; readonly usage: Usage }
  /** Something done to the world that a second run would do twice. */
  | { readonly type: 'sideEffect'; readonly appendFile: string; readonly line: string }
  /** Creates or replaces a file. */
  | { readonly type: 'writeFile'; readonly path: string; readonly text: string }
  | { readonly type: 'sleep'; readonly ms: number }
  /** Waits until a file exists. It creates `reached` first, to show that it waits. */
  | { readonly type: 'waitForFile'; readonly path: string; readonly reached?: string }
  | { readonly type: 'hang'; readonly at?: 'before-init' | 'here' | 'after-result' }
  /** Without a result it ends at once; with one, it ends so after the normal end. */
  | { readonly type: 'exit'; readonly code: number; readonly withoutResult?: boolean }
  | {
      readonly type: 'apiError'
      /** `null`: no answer at all, such as a refused connection. */
      readonly status: number | null
      readonly kind?: string
      readonly message?: string
      readonly terminalReason?: string
      /** So many `api_retry` events come first. */
      readonly retries?: number
    }
  /** `resetsAt`: seconds since 1970. */
  | { readonly type: 'usageLimit'; readonly resetsAt: number }
  /** Only on a resume: the session is refused. As first step nothing comes before it, not even `init`. */
  | {
      readonly type: 'refuseResume'
      readonly idInStream?: 'fresh' | 'echo' | 'none'
      readonly words?: string
    }
  /** `init` comes only after the answer. */
  | { readonly type: 'lateId' }
  /** Works in a new session of its own, whatever was asked for. */
  | { readonly type: 'wrongId' }
  | { readonly type: 'noPersistence' }
  /** Nothing reaches the session file until so long after the result. */
  | { readonly type: 'slowFlush'; readonly ms: number }
  /** A process that outlives the agent and holds its stdout. */
  | { readonly type: 'orphan'; readonly seconds?: number; readonly ownSession?: boolean }
  | { readonly type: 'ignoreSignals' }
  | { readonly type: 'flood'; readonly events: number }
  | { readonly type: 'bigLine'; readonly bytes: number }
  | { readonly type: 'brokenUtf8' }
  | { readonly type: 'unknownEvents'; readonly events?: number }
  | { readonly type: 'bannerLine'; readonly text: string }
  /** After the result, a turn of its own about a background task, with a second result. */
  | { readonly type: 'twoResults' }
  | { readonly type: 'noInit' }
  /** `init` names these as taking part, as if some settings had brought them along. */
  | {
      readonly type: 'strangers'
      readonly servers?: readonly string[]
      readonly agents?: readonly string[]
      readonly plugins?: readonly string[]
    }
  | { readonly type: 'maxTurns' }
  | { readonly type: 'killSelf'; readonly signal: NodeJS.Signals }
  /** The last line of the session file ends in its middle. */
  | { readonly type: 'tornFile' }

export type StepOf<T extends ScriptStep['type']> = Extract<ScriptStep, { type: T }>

export function findStep<T extends ScriptStep['type']>(
  steps: readonly ScriptStep[],
  type: T,
): StepOf<T> | undefined {
  return steps.find((step): step is StepOf<T> => step.type === type)
}

export function fits(turn: FakeTurn, prompt: string, kind: 'new' | 'resume'): boolean {
  if (turn.when === undefined) return true
  if (turn.when === 'new' || turn.when === 'resume') return turn.when === kind
  return prompt.includes(turn.when)
}
