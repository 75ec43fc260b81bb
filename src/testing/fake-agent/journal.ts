// The journal of the fake agent: what each invocation was asked and what its model would have seen.

/** One thing that the model sees. Tool calls and their results are written in words. */
export type SaidLine = {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
}

/** What one turn of a fake agent got and did. A process that stays has several turns. */
export type JournalEntry = {
  /** Identifies the turn, because a pid may be used again. */
  readonly id: string
  readonly pid: number
  /** Which turn of its process it is; the first is 1. */
  readonly turn: number
  readonly args: readonly string[]
  /** Names and values; values of secrets are hidden. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** As the model gets it. */
  readonly prompt: string
  /** Files that the prompt pulled in by `@path`. */
  readonly inlined: readonly string[]
  /** The session that it worked in; `null` when it refused to resume. */
  readonly sessionId: string | null
  /** What the session held before this prompt. The model sees `history`, then `prompt`. */
  readonly history: readonly SaidLine[]
  /** The instructions in force, which may differ from those given. */
  readonly instructions: string | null
  /** Why the agent refused to resume; `null` when it did not. */
  readonly refused: string | null
  /** Processes it left behind. */
  readonly orphans: readonly number[]
  /** What the model requests of the turn cost. */
  readonly billedUsd: number
  /** False for a run that was killed. */
  readonly ended: boolean
  /** The exit code. */
  readonly code: number | null
}

export type JournalLine =
  | ({ readonly kind: 'start' } & Omit<JournalEntry, 'orphans' | 'billedUsd' | 'ended' | 'code'>)
  | { readonly kind: 'billed'; readonly id: string; readonly billedUsd: number }
  | { readonly kind: 'orphan'; readonly id: string; readonly orphan: number }
  | {
      readonly kind: 'end'
      readonly id: string
      readonly ended: true
      readonly code: number
    }

/** Lines of a journal file → one entry per invocation, in order of their starts. */
export function parseJournal(text: string): readonly JournalEntry[] {
  const lines = text.split('\n').filter(line => line !== '')
  return foldJournal(lines.map(line => JSON.parse(line) as JournalLine))
}

export function foldJournal(lines: readonly JournalLine[]): readonly JournalEntry[] {
  const entries = new Map<string, JournalEntry>()
  for (const line of lines) {
    if (line.kind === 'start') {
      const { kind: _, ...start } = line
      entries.set(line.id, { ...start, orphans: [], billedUsd: 0, ended: false, code: null })
      continue
    }
    const entry = entries.get(line.id)
    if (entry === undefined) continue
    if (line.kind === 'orphan')
      entries.set(line.id, { ...entry, orphans: [...entry.orphans, line.orphan] })
    else if (line.kind === 'billed')
      entries.set(line.id, { ...entry, billedUsd: entry.billedUsd + line.billedUsd })
    else entries.set(line.id, { ...entry, ended: true, code: line.code })
  }
  return [...entries.values()]
}

export function journalWithoutSecrets(
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      /KEY|TOKEN|SECRET|PASSWORD/i.test(name) ? '[hidden]' : value,
    ]),
  )
}
