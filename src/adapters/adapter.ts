// The contract of an adapter: pure translation of one agent. It spawns nothing, retries nothing, stores nothing.

import type { SessionTrimming } from '../core/chain/carry.ts'
import type { Message, ToolUse } from '../core/conversation/messages.ts'
import type { Answer } from '../core/conversation/question.ts'
import type { KnownPart, SessionEvidence } from '../core/conversation/session.ts'
import type { SessionRepair, SessionRepairing } from '../core/conversation/session-damage.ts'
import type { Continuation } from '../core/decide/continuation.ts'
import type { Abilities, SessionFileState } from '../core/decide/decision.ts'
import type { Ruling } from '../core/fence/fence.ts'
import type { Price } from '../core/money/ledger.ts'
import type { AgentEvent, AgentResult, QuestionEvent, Usage } from '../core/run/events.ts'
import type { Exit, Failure } from '../core/run/run.ts'
import type { Trust } from '../core/run/trust.ts'
import type { Files } from '../core/world.ts'
import type { AgentCalls } from './agent-call.ts'
import type { AgentFence } from './agent-fence.ts'
import type { AgentParking } from './agent-parking.ts'
import type { AgentStaying } from './agent-staying.ts'
import type { AgentTools } from './agent-tools.ts'
import type { SessionWriting, WrittenSession } from './session-writing.ts'

/** An agent as Reprise found it on this machine. */
export type Runtime = {
  readonly agent: string
  readonly executable: string
  readonly version: string
  readonly abilities: Abilities
  /** Names of the version-dependent behaviours in force. */
  readonly quirks: readonly string[]
  /** What a user should know, e.g. that this version was never tested; `null` when all is well. */
  readonly warning: string | null
  /** Executable, version and abilities in one word: two runtimes are the same when these are equal. */
  readonly fingerprint: string
}

/** Everything that a run is started with. */
export type RunSpec = {
  readonly runId: string
  readonly continuation: Continuation
  /** The whole prompt, already composed; `null`: none, the session continues with its parked call. */
  readonly prompt: string | null
  /** For an agent without `sessionFiles`: how a loaded session may end, and what it is then sent. Absent: it is not asked. */
  readonly knownEnds?: readonly KnownEnd[]
  readonly workDir: string
  /** `null`: the agent chooses by its own settings and environment. */
  readonly model: string | null
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** Model requests after which the agent stops by itself; absent: no limit. */
  readonly maxTurns?: number
  /** A file with the instructions for the system prompt, or `null`. */
  readonly instructionsFile: string | null
  /** The agent may ask the user, by `question` events, and waits for the answer. */
  readonly asks: boolean
  /** The files that `park.files` has kept for this run, by the adapter's own names. */
  readonly parkFiles: Readonly<Record<string, string>>
  /** The session waits at a call: the agent runs it, reports a result for it, and then reads the prompt. */
  readonly callFirst?: true
  /** The agent asks before each call, by `call-asked` events, and waits for the ruling. */
  readonly isGuarded?: true
  /** The process may take further turns: its input stays open after its result. */
  readonly stays?: true
  /** JSON schema, as text, for the agent's final answer. */
  readonly answerSchema?: string
  /** Whose settings take part. */
  readonly trust: Trust
  /** A directory of ours with the project's notes for agents; `null`: the project has none. */
  readonly contextDir: string | null
  /** All names of a directory of ours with outputs to which the session has paths: the agent may read there. Absent: there is none. */
  readonly outputsDirs?: readonly string[]
  /** The environment of the agent. */
  readonly env: Readonly<Record<string, string>>
}

/** A session that ends with this prompt of the user, and its answer if it has one, gets `send`. */
export type KnownEnd = { readonly lastPrompt: string; readonly send: string }

/** A process to start. */
export type Command = {
  readonly file: string
  /** Constants and validated values only; never the user's text. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workDir: string
}

/** What follows from one line of a process, or from one thing that Reprise tells it. */
export type DialogueStep = {
  readonly events: readonly AgentEvent[]
  /** Texts for the input of the process, in order. */
  readonly write: readonly string[]
  /** Nothing more will be written: the input ends. */
  readonly close?: true
  /** Whether the agent still prepares the turn, or has its prompt and works on it. Absent: as before, at first that it works. */
  readonly stage?: 'prepares' | 'works'
  /** The turn is over, nothing goes on in the background, and the process waits for the next turn. */
  readonly rests?: true
  /** A process that waits has answered `check`. */
  readonly listens?: true
}

/** How one talks to one process. Pure: text in, events and text out. It has no clock, no process and no promise. */
export type Dialogue = {
  /** The first words to the process: its greeting, and the prompt. */
  begin(): DialogueStep
  /** Reads one line without its newline. Never throws: an unknown line becomes an `unknown` event. */
  read(line: string): DialogueStep
  /** Answers a question of the agent; absent: it asks none. */
  answer?(asked: QuestionEvent, answer: Answer): DialogueStep
  /** Rules on a call that waits; absent: the agent does not ask before its calls. */
  rule?(requestId: string, ruling: Ruling): DialogueStep
  /** Begins the next turn of a process that rests; absent: a process takes one turn. */
  next?(prompt: string): DialogueStep
  /** Asks a process that rests whether it still listens. It answers by a step with `listens`, and leaves no trace in its session. */
  check?(): DialogueStep
}

/** A run as a process, and how one talks to it. */
export type OpenedAgent = { readonly command: Command; readonly dialogue: Dialogue }

/** What a run showed, folded from its events; enough to say how it ended. */
export type OutcomeFacts = {
  readonly announcedSessionId: string | null
  readonly sawAnyEvent: boolean
  /** The result that answers our prompt. */
  readonly result: AgentResult | null
  /** Calls of the main conversation and of subagents that were not denied. */
  readonly toolsRan: number
  /** Resets of a rejected usage limit. */
  readonly limitResetsAt: number | null
  readonly limitRejected: boolean
}

/** How a run ended. */
export type Outcome =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'interrupted'; readonly failure: Failure }
  | { readonly kind: 'cancelled'; readonly failure: Failure }

/** Where to look for a session: its id, and what decides the path of its file. */
export type SessionPlace = {
  readonly sessionId: string
  readonly workDir: string
  readonly env: Readonly<Record<string, string>>
}

/** How large a session file was before a run, so that Reprise reads only the new part afterwards. */
export type SessionMark = {
  readonly path: string | null
  readonly sizeBytes: number
  /** The agent's own running total of the session's cost, as its file says (0 when it says nothing). */
  readonly costUsd: number
  /** The agent's own running total of tokens, where the agent reports the total of the session. */
  readonly usage?: Usage
}

export const NOTHING_MARKED: SessionMark = { path: null, sizeBytes: 0, costUsd: 0 }

/** What a run left in the session file since the mark. */
export type SessionGrowth = {
  readonly grew: boolean
  /** What shows it, if it is not the file: the agent loaded the session again, or only said that all went well. */
  readonly by?: Exclude<SessionEvidence, 'file'>
  /** The file holds what Reprise sent. */
  readonly holdsPrompt: boolean
  /** How many messages somebody else added between the mark and our prompt; the session now holds them. */
  readonly foreignBefore: number
  /** The agent's ids of the answer's blocks in the main conversation, in order. */
  readonly anchors: readonly string[]
  /** The agent's id of the run's last message in the main conversation. */
  readonly end: string | null
  /** Text of the main conversation's answer since the mark. */
  readonly text: string
  readonly tools: readonly ToolUse[]
  /** The answer ended by itself. */
  readonly complete: boolean
  /** How many calls have no result in the file: the session may not know how they ended. */
  readonly danglingTools: number
  /** The call without a result that the agent parked on purpose. */
  readonly parked: QuestionEvent | null
  /** Tokens that fit into the window of its model, where the file says so. */
  readonly contextWindow?: number
  /** One entry per model request; the last main one shows how full the context is. */
  readonly requests: readonly {
    readonly requestId: string
    readonly model: string
    readonly usage: Usage
    readonly main: boolean
  }[]
}

export const NOTHING_GREW: SessionGrowth = {
  grew: false,
  holdsPrompt: false,
  foreignBefore: 0,
  anchors: [],
  end: null,
  text: '',
  tools: [],
  complete: false,
  danglingTools: 0,
  parked: null,
  requests: [],
}

/** One prompt or one answer of a session, as the agent's own file has it. */
export type SaidInSession = Pick<Message, 'role' | 'text'> & {
  /** The agent's own id of an answer; `null` for a prompt. */
  readonly anchor: string | null
}

/** What a run sends to a session: a prompt, or the answer to its parked call. */
export type Sent = { readonly prompt: string } | { readonly answerTo: string }

/** An agent as it is found and started here. */
export type AgentPlace = {
  readonly runtime: Pick<Runtime, 'version' | 'quirks'>
  readonly env: Readonly<Record<string, string>>
}

/** Whether an agent has a key or a login. `how` names the variable or the file, never its content. */
export type AgentLogin = {
  readonly state: 'found' | 'missing' | 'unknown'
  readonly how: string | null
  /** What to do when it is missing. */
  readonly hint: string | null
}

/** The words of an agent for what a user may choose. */
export type AgentVocabulary = {
  readonly permissionModes: readonly string[]
  /** Used when nobody names a mode. */
  readonly defaultMode: string
  /** For jobs, since nobody is there to answer. */
  readonly unattendedMode: string
  /** The agent gets model and mode over a protocol, after its start; absent: in its arguments. */
  readonly toldBy?: 'protocol'
  /** Whether the adapter can pass this name of a model on. */
  takesModel(model: string): boolean
}

/** What the ledger needs to know about an agent. */
export type AgentMoney = {
  /** What the usage covers that the agent reports: each model request, the turn, or the session since its beginning. */
  readonly usageMeans: 'request' | 'turn' | 'session'
  /** What `totalCostUsd` of a result covers: this process alone, or the whole session. */
  costMeans(runtime: Runtime): 'process' | 'session'
  /** `false`: the agent never says what a turn costs, and no prices are known. A budget in dollars cannot hold it. */
  readonly reportsCost?: false
  /** `false`: the agent does not say how many tokens every turn used. A budget in tokens cannot hold it. */
  readonly reportsTokens?: false
  /** Dollars per million tokens; `null` for a model this table does not know. */
  price(model: string): Price | null
  /** The model's window in tokens with this version, before its first run; `null`: not known. */
  contextWindow(model: string, place: AgentPlace): number | null
  /** Tokens that fit for certain, where the agent does not say how many do. */
  readonly assumedWindow?: number
}

/** `unsure`: why nobody can say for certain which one the agent takes. */
export type LatestSession = { readonly sessionId: string } | { readonly unsure: string }

/** Files in which an agent keeps its sessions. */
export type SessionFiles = {
  /** What an archive calls the file of a session. */
  readonly archiveName: string
  /** Checks before a run whether the agent can continue a session from here, and whether its file matches what Reprise knows. */
  inspect(
    session: SessionPlace & { readonly known: KnownPart },
    runtime: Runtime,
    files: Files,
  ): Promise<SessionFileState>
  /** Remembers where a session file ends before a run. */
  mark(place: SessionPlace, files: Files): Promise<SessionMark>
  /** Where the file of a session is (`null`: nowhere), and where the agent would look for it from this work dir. */
  locate(
    place: SessionPlace,
    files: Files,
  ): Promise<{ readonly found: string | null; readonly home: string | null }>
  /** The whole conversation of a session; `null` when it cannot be read. */
  conversation(place: SessionPlace, files: Files): Promise<readonly SaidInSession[] | null>
  /** Reads what a run left in the session file since the mark. */
  growth(place: SessionPlace, mark: SessionMark, sent: Sent, files: Files): Promise<SessionGrowth>
  /** Whether a copy of the file holds the message with this id of the agent. */
  holds(copy: Uint8Array, messageId: string): boolean
  /** The session that the agent takes when it is to go on with the latest one of a work dir. Absent: nobody knows how it finds it. */
  latest?(place: Omit<SessionPlace, 'sessionId'>, files: Files): Promise<LatestSession>
  /** Whether bytes at the end of a file are nothing but notes that the agent adds by itself when this message is the last one. */
  areNotes?(added: Uint8Array, lastMessageId: string): boolean
  /** Finds what is wrong with a file and makes a copy without it. Absent: nobody can repair files of this agent. */
  repair?(file: Uint8Array, repairing: SessionRepairing): SessionRepair
  /** Copies the conversation of a file, and nothing else, for another id and work dir. Absent: the files do not travel. */
  copyAs?(
    file: Uint8Array,
    target: { readonly sessionId: string; readonly workDir: string },
  ): string
}

/** A program that says what it is only when it is spoken to. */
export type Greeting = {
  readonly args: readonly string[]
  readonly input: string
  isAnswer(line: string): boolean
}

/** The translation of one agent. It does not start, retry or store anything. What an agent cannot do is absent. */
export type Adapter = {
  /** The adapter's name, e.g. `claude-code`. */
  readonly name: string
  readonly defaultExecutable: string
  /** The command that installs the program. */
  readonly install: string
  /** The program that a launcher starts: Reprise starts it itself. `null`: the executable is no launcher. */
  programBehind?(executable: string, files: Files): Promise<string | null>
  /** Who provides its models, in the words of OpenTelemetry's `gen_ai.provider.name`; absent: nobody knows. */
  readonly provider?: string
  /** Names (or `PREFIX_*`) of the variables that an agent gets from our environment. */
  readonly passEnv: readonly string[]
  /** Names (or `PREFIX_*`) that no agent gets: they describe the process that started ours. */
  readonly withheldEnv: readonly string[]
  /** Set for the agent unless the user's config sets them. */
  readonly setEnv: Readonly<Record<string, string>>
  /**
   * Set for chains and untrusted work, whatever the user's environment and config say. Reprise reads the commands of these runs by the
   * grammar of bash, so the agent must run them with bash.
   */
  readonly confinedEnv: Readonly<Record<string, string>>
  /** Looks whether the agent could sign in, without reading a secret. Absent: nobody can know. */
  findLogin?(env: Readonly<Record<string, string>>, files: Files): Promise<AgentLogin>
  /** Argument lists whose output shows what this executable is; Reprise runs them in this order. */
  readonly probes: readonly (readonly string[])[]
  /** What to say to the program, and which line is its answer: the last of the outputs. Absent: the probes say everything. */
  readonly greeting?: Greeting
  /** Output of each probe → runtime without its executable, or why it is not this agent. */
  recognise(outputs: readonly string[]):
    | {
        readonly version: string
        readonly abilities: Abilities
        readonly quirks: readonly string[]
        readonly warning: string | null
      }
    | { readonly problem: string }
  readonly words: AgentVocabulary
  /** Makes the process of a run. Throws `bad-input` for what the agent cannot be told. The user's text is only in the dialogue. */
  open(spec: RunSpec, runtime: Runtime): OpenedAgent
  /** Says how a run ended, from what it showed and how its process exited. */
  outcomeOf(spec: RunSpec, observed: OutcomeFacts, exit: Exit): Outcome
  readonly money: AgentMoney
  readonly tools: AgentTools
  /** How instructions reach the model: by a file on every start, by a file that only a new session reads, or in the prompt alone. */
  instructionsBy(runtime: Runtime): 'file' | 'file-at-start' | 'prompt'
  /** Whether this version obeys `answerSchema`. */
  structuredOutput(runtime: Runtime): boolean
  /** Whether this version can ask the user about calls. */
  canAsk(runtime: Runtime): boolean
  /** Sub-agents that come with the program. */
  readonly builtInAgents: readonly string[]
  /** Name and text of a file that loads the project's own notes when its settings do not take part; absent: it has no such file. */
  contextFile?(
    workDir: string,
    files: Files,
  ): Promise<{ readonly name: string; readonly text: string } | null>
  /** Absent: only the agent can read its sessions. Its dialogue then names a loaded session only if it ends as `knownEnds` says. */
  readonly sessionFiles?: SessionFiles
  /** Sessions that we write for the agent; absent: it takes none. */
  readonly writtenSessions?: {
    /** Whether this version was tried with written sessions. */
    areTaken(runtime: Runtime): boolean
    write(writing: SessionWriting): WrittenSession
    /**
     * The beginning of an output that is only a preview and names the agent's own file with all of it; `null`: it is not one.
     * Absent: the agent makes no previews.
     */
    previewHead?(output: string): string | null
    /** Makes a copy of a session file with other outputs of its calls. Absent: nobody can. */
    trim?(file: Uint8Array, trimming: SessionTrimming): string
  }
  /** Absent: Reprise cannot stand in the place of its executable. */
  readonly calls?: AgentCalls
  readonly fence?: AgentFence
  /** Why it has no fence, in words that follow the name of the agent. */
  readonly unfenced?: string
  readonly park?: AgentParking
  /** Absent: each turn needs a process of its own. */
  readonly stay?: AgentStaying
}
