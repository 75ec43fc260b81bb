// How the processes of a run are kept in: what a user may ask for, and what was in force.

/** `auto`: the best that works on this machine. */
export type SandboxMode = 'auto' | 'bwrap' | 'namespace' | 'none'

export const SANDBOX_MODES = [
  'auto',
  'bwrap',
  'namespace',
  'none',
] as const satisfies readonly SandboxMode[]

/** What really holds the processes of a run. */
export type SandboxKind = Exclude<SandboxMode, 'auto'>

/** What threads and jobs have when nobody says anything. */
export const DEFAULT_SANDBOX: SandboxMode = 'none'

/** What chains have when their policy says nothing. */
export const DEFAULT_CHAIN_SANDBOX: SandboxMode = 'auto'
