// A part of the contract of an adapter: processes that take several turns.

/** A process of the agent can take several turns, one after the other. */
export type AgentStaying = {
  /** Whether this version was tried with several turns in one process. */
  canStay(runtime: { readonly version: string; readonly quirks: readonly string[] }): boolean
  /** Files and directories that the program reads when it starts: what changes there reaches only a new process. */
  startFiles(place: {
    readonly workDir: string
    readonly env: Readonly<Record<string, string>>
  }): readonly string[]
}
