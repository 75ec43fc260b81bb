// What the fake agent touches: small interfaces, so that the same behaviour runs as a program and in-process.
import type { Clock, Files } from '../../core/world.ts'
import type { JournalLine } from './journal.ts'
import type { FakeScript } from './script.ts'

/** Files that a fake agent can change. */
export type WritableFiles = Files & {
  /** Creates or replaces a file, with the directories above it. */
  write(path: string, content: string | Uint8Array): Promise<void>
  append(path: string, content: string): Promise<void>
  remove(path: string): Promise<void>
  makeDirectory(path: string): Promise<void>
  /** Creates an empty file; returns false when it exists already. */
  claim(path: string): Promise<boolean>
}

export type Invocation = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** All of it; nothing when the agent takes lines of JSON, which it reads one by one. */
  readonly stdin: Uint8Array
}

export type AgentWorld = {
  readonly files: WritableFiles
  readonly clock: Clock
  readonly pid: number
  /** Played when the environment names no script. */
  readonly script: FakeScript
  uuid(): string
  /** The next line of stdin for an agent that takes lines of JSON; `null` at its end. */
  nextLine(): Promise<string | null>
  /** Until somebody ends the process. */
  hang(): Promise<never>
  die(signal: NodeJS.Signals): Promise<never>
  ignoreSignals(): void
  /** Starts a process that outlives this one; returns its pid. */
  leaveOrphan(orphan: { readonly seconds: number; readonly ownSession: boolean }): number
  journal(line: JournalLine): Promise<void>
}

/** What goes out; the return value of `behave` is the exit code. */
export type FakeOutput =
  | { readonly to: 'stdout'; readonly line: string }
  | { readonly to: 'stdout'; readonly bytes: Uint8Array }
  | { readonly to: 'stderr'; readonly line: string }
