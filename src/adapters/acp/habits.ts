// What single agents do otherwise than ACP says, by the name under which they greet.

export type AcpHabits = {
  /** Chunks of a message that have no `messageId` are notes of the program, not of the model. */
  readonly notesHaveNoMessageId: boolean
  /** Whole chunks of a message that are notes of the program; `null`: it says none in this way. */
  readonly notes: RegExp | null
  /** Every answer to a prompt says what it used. One that does not is a failure, although it says that the turn has ended. */
  readonly answersSayUsage: boolean
  /** It repeats a conversation after it has said that it was loaded: nobody can tell where the answer to the next prompt begins. */
  readonly repeatsLate: boolean
}

const ORDINARY: AcpHabits = {
  notesHaveNoMessageId: false,
  notes: null,
  answersSayUsage: false,
  repeatsLate: false,
}

const BY_NAME: Readonly<Record<string, Partial<AcpHabits>>> = {
  '@agentclientprotocol/codex-acp': { notesHaveNoMessageId: true, answersSayUsage: true },
  Copilot: {
    notes:
      /^Info: (?:Request failed due to a transient API error\. Retrying\.\.\.|Operation cancelled by user)$/,
    answersSayUsage: true,
  },
  'gemini-cli': { repeatsLate: true },
  'pi-acp': {
    notes: /^Retry(?:ing \(attempt \d+\/\d+, waiting \d+s\)\.\.\.| finished, resuming\.)$/,
  },
}

export function acpHabitsOf(name: string | null): AcpHabits {
  return { ...ORDINARY, ...BY_NAME[name ?? ''] }
}
