// What a caller may do. Bound to the record of its token; nothing in a request can widen it.

export const SCOPES = ['read', 'submit', 'approve', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'look at everything',
  submit: 'create, change and remove threads, send turns, cancel runs',
  approve:
    'let an agent do more: answer its questions, choose permission modes, allowed tools, trust and sandbox',
  admin: 'let others in',
}

/** Every route says what it needs; `null` is for everybody. */
export type NeedsScope = {
  readonly path: string
  readonly scope: Scope | null
  /** Opened by a browser by itself, which sends no header of ours: the cookie alone is enough. It must hold no data. */
  readonly page?: true
  /** A decision about what an agent asked for: the token of the data directory, which an agent may read, is refused. */
  readonly person?: true
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** With the cookie of a login, what shows that a request comes from a page of ours. */
export const KEY_HEADER = 'x-reprise-csrf'
