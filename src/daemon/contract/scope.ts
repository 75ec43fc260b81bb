// What a caller may do. The record of its token says it; nothing in a request can add to it.

export const SCOPES = ['read', 'submit', 'approve', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

/** What a browser can be let in for. Not `admin`: a page must not be able to create access for others. */
export const BROWSER_SCOPES = ['read', 'submit', 'approve'] as const satisfies readonly Scope[]

export type BrowserScope = (typeof BROWSER_SCOPES)[number]

export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'look at everything',
  submit: 'create, change and remove threads, send turns, cancel runs',
  approve:
    'let an agent do more: answer its questions, choose permission modes, allowed tools, trust and sandbox',
  admin: 'give others access, take out whole threads as files',
}

/** Every route says which scope it needs; `null` means that it needs no token. */
export type NeedsScope = {
  readonly path: string
  readonly scope: Scope | null
  /** A browser opens the page by itself, without our header: the cookie alone is enough. The page must hold no data. */
  readonly page?: true
  /** A decision about an agent's request. The token of the data directory is refused, because an agent may read it. */
  readonly person?: true
  /** Its body is a file, not JSON; the route itself bounds it. */
  readonly bytes?: true
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** The type of a body that is a file, not JSON. */
export const FILE_TYPE = 'application/octet-stream'

/** This header, with the cookie of a login, proves that a request comes from our own page. */
export const KEY_HEADER = 'x-reprise-csrf'
