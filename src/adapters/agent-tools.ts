// A part of the contract of an adapter: what an agent calls its tools.

/** What an agent calls its tools. */
export type AgentTools = {
  /** Groups of names that versions of the agent use for the same tool. */
  readonly aliases: readonly (readonly string[])[]
  /** Tools whose input has a `command` for a shell. */
  readonly shells: readonly string[]
  /** Tools that write one file → the field of their input that names the file. */
  readonly writing: Readonly<Record<string, string>>
  /** Whether an error result says that the call was refused and never ran. */
  readsAsRefusal(result: string): boolean
  /** Whether an error result says that the program rejected the call before it asked us, and so never ran it. */
  readsAsUnasked?(result: string): boolean
}
