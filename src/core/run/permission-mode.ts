// How an agent decides which calls need a permission, in its own words.

/** The words of Claude Code, which editors complete, or any other word that the agent knows. */
export type PermissionMode =
  | 'default'
  | 'acceptEdits'
  | 'plan'
  | 'dontAsk'
  | 'auto'
  | 'bypassPermissions'
  | (string & {})
