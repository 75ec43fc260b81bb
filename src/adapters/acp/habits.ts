// What single agents do otherwise than ACP says, by the name under which they greet.

export type AcpHabits = {
  /** The version with which Reprise is tested; `null`: it is not. */
  readonly tested: string | null
  /** Chunks of a message that have no `messageId` are notes of the program, not of the model. */
  readonly notesHaveNoMessageId: boolean
  /** Whole chunks of a message that are notes of the program; `null`: it says none in this way. */
  readonly notes: RegExp | null
  /** The way to a note in the answer that opens a session, which the program then says as a message too; `null`: there is none. */
  readonly openingNote: readonly string[] | null
  /** A message with such a `messageId` may be the error itself: it is one when the agent then refuses the prompt. */
  readonly mayBeError: RegExp | null
  /** Every answer to a prompt says what it used. One that does not is a failure, although it says that the turn has ended. */
  readonly answersSayUsage: boolean
  /** The tokens that it reports are those of the last model request alone, not of the whole turn. */
  readonly usageOfLastRequest: boolean
  /** The dollars that it reports are those of the whole session, not of the process. */
  readonly costOfSession: boolean
  /** It repeats a conversation after it has said that it was loaded: nobody can tell where the answer to the next prompt begins. */
  readonly repeatsLate: boolean
  /** In the mode that Reprise makes for tiers, it asks before the calls of the tools that it is offered. */
  readonly asksFirst: boolean
  /** The result of a call of a tool that it does not offer, which therefore did not run; `null`: it says nothing that is known. */
  readonly neverRan: RegExp | null
}

const ORDINARY: AcpHabits = {
  tested: null,
  notesHaveNoMessageId: false,
  notes: null,
  openingNote: null,
  mayBeError: null,
  answersSayUsage: false,
  usageOfLastRequest: false,
  costOfSession: false,
  repeatsLate: false,
  asksFirst: false,
  neverRan: null,
}

const BY_NAME: Readonly<Record<string, Partial<AcpHabits>>> = {
  OpenCode: {
    tested: '1.18.33',
    usageOfLastRequest: true,
    costOfSession: true,
    asksFirst: true,
    neverRan: /^Model tried to call unavailable tool /,
  },
  '@agentclientprotocol/codex-acp': {
    tested: '2.6.0',
    notesHaveNoMessageId: true,
    answersSayUsage: true,
  },
  '@agentclientprotocol/claude-agent-acp': {
    tested: '0.100.0',
    // As the Claude Code inside of it does.
    costOfSession: true,
    // The API gives other ids to what the model says.
    mayBeError: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  },
  Copilot: {
    tested: '1.0.102',
    notes:
      /^(?:Info: (?:Request failed due to a transient API error\. Retrying\.\.\.|Operation cancelled by user)|Error: (?:Authentication failed with provider at|Failed to get response from the AI model;) [\s\S]*)$/,
    answersSayUsage: true,
  },
  'gemini-cli': { tested: '0.61.0', repeatsLate: true },
  'Kimi Code CLI': { tested: '2.1.0' },
  'pi-acp': {
    tested: '0.0.34',
    // The versions, the notes for agents and the skills that it has found.
    openingNote: ['_meta', 'piAcp', 'startupInfo'],
    notes: /^Retry(?:ing \(attempt \d+\/\d+, waiting \d+s\)\.\.\.| finished, resuming\.)$/,
  },
  'qwen-code': { tested: '0.24.4' },
}

export function acpHabitsOf(name: string | null): AcpHabits {
  const own = name !== null && Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : {}
  return { ...ORDINARY, ...own }
}

export const COST_OF_SESSION = 'cost-of-session'
export const ASKS_FIRST = 'asks-before-every-call'

/** The habits of an agent in words, as the quirks of its runtime. */
export function quirksOf(habits: AcpHabits): readonly string[] {
  return [
    ...(habits.notesHaveNoMessageId || habits.notes || habits.openingNote || habits.mayBeError
      ? ['notes-as-messages']
      : []),
    ...(habits.answersSayUsage ? ['end-without-usage-is-failure'] : []),
    ...(habits.usageOfLastRequest ? ['usage-of-last-request'] : []),
    ...(habits.costOfSession ? [COST_OF_SESSION] : []),
    ...(habits.repeatsLate ? ['repeats-loaded-session-late'] : []),
    ...(habits.asksFirst ? [ASKS_FIRST] : []),
  ]
}
