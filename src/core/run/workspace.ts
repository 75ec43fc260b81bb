// Where an agent works: a directory of one host, or a repository at a ref that any host checks out for itself.
import type { Optional } from '../optional.ts'

/** What a user asks for. */
export type WorkspaceRequest = {
  /** The address of a git repository: https, ssh, git or file, `host:path`, or an absolute path. */
  readonly repository: string
  /** A branch, a tag or a full commit id; default: the repository's own default branch. */
  readonly ref?: string | undefined
}

/** A repository at a ref. Each host that runs an agent there makes a work tree of its own. */
export type Workspace = {
  readonly repository: string
  /** `null`: the repository's own default branch. */
  readonly ref: string | null
  /** The commit from which every host begins; `null` before it was looked up for the first time. */
  readonly commit: string | null
}

/** Where work happens: one of the two. */
export type WorkPlace = Optional<{
  /** The directory in which the agents work. */
  readonly workDir: string
  /** The repository in which the agents work. Each host that runs one checks it out for itself. */
  readonly workspace: WorkspaceRequest
}>

/** What is wrong with an address or a ref, and what to do about it. */
export type WorkspaceProblem = { readonly what: string; readonly hint: string }

/** How git reaches a repository. */
export type RepositoryTransport = 'https' | 'ssh' | 'git' | 'file'

const MAX_ADDRESS_CHARACTERS = 2_048
const MAX_REF_CHARACTERS = 255

const FORMS =
  'Give https://…, ssh://…, git://…, file:///…, user@host:path, or the absolute path of a repository.'

const URL_SCHEMES: Readonly<Record<string, RepositoryTransport>> = {
  'https:': 'https',
  'ssh:': 'ssh',
  'git:': 'git',
  'file:': 'file',
}

/** `user@host:path`; a user and a host never begin with `-`, which ssh would read as an option. */
const SCP_LIKE =
  /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!:)(?!\/\/)[^-\s]\S*$/

/** How git would reach the repository; `null` for an address that we do not pass to git. */
export function transportOf(repository: string): RepositoryTransport | null {
  return repositoryProblem(repository) === null ? reach(repository) : null
}

/** `null`: the address is one of the forms that git may be given. */
export function repositoryProblem(repository: string): WorkspaceProblem | null {
  if (typeof repository !== 'string' || repository === '') {
    return { what: 'the address of the repository is empty', hint: FORMS }
  }
  if (repository.length > MAX_ADDRESS_CHARACTERS) {
    const what = `the address of the repository has ${repository.length} characters`
    return { what, hint: `Use at most ${MAX_ADDRESS_CHARACTERS}.` }
  }
  if (hasControlCharacter(repository)) {
    return { what: 'the address of the repository holds a control character', hint: FORMS }
  }
  if (reach(repository) === null) return unknownForm(repository)
  return secretProblem(repository)
}

/** `null`: the ref is a name that git accepts, or a full commit id. */
export function refProblem(ref: string): WorkspaceProblem | null {
  const hint = 'Give a branch, a tag, or a full commit id.'
  if (typeof ref !== 'string' || ref === '') return { what: 'the ref is empty', hint }
  const shown = JSON.stringify(ref.slice(0, 100))
  if (ref.length > MAX_REF_CHARACTERS) {
    return {
      what: `the ref has ${ref.length} characters`,
      hint: `Use at most ${MAX_REF_CHARACTERS}.`,
    }
  }
  return isRefName(ref) ? null : { what: `${shown} is not a ref of git`, hint }
}

/** The id of a commit, written in full: SHA-1 or SHA-256. */
export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
}

/** The address of a submodule, which may be relative to that of the repository around it. */
export function submoduleAddress(repository: string, url: string): string {
  if (!url.startsWith('./') && !url.startsWith('../')) return url
  let base = repository
  while (base.endsWith('/')) base = base.slice(0, -1)
  let rest = url
  while (rest.startsWith('./') || rest.startsWith('../')) {
    if (rest.startsWith('../')) base = parentOf(base)
    rest = rest.slice(rest.indexOf('/') + 1)
  }
  return base.endsWith(':') ? base + rest : `${base}/${rest}`
}

/** A repository at a ref in one line, for people. */
export function workspaceWords({ repository, ref }: Pick<Workspace, 'repository' | 'ref'>): string {
  return ref === null ? repository : `${repository} at ${ref}`
}

/** `host:path` loses its path, but not its host. */
function parentOf(address: string): string {
  const slash = address.lastIndexOf('/')
  const colon = address.lastIndexOf(':')
  if (slash > colon + 2 || (slash > colon && colon < 0)) return address.slice(0, slash)
  return colon < 0 ? '' : address.slice(0, colon + 1)
}

function reach(repository: string): RepositoryTransport | null {
  if (repository.startsWith('/')) return repository.startsWith('//') ? null : 'file'
  if (/\s/.test(repository)) return null
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*:)\/\//.exec(repository)?.[1]
  if (scheme !== undefined) return reachByUrl(repository, scheme.toLowerCase())
  return SCP_LIKE.test(repository) ? 'ssh' : null
}

function reachByUrl(repository: string, scheme: string): RepositoryTransport | null {
  const transport = URL_SCHEMES[scheme]
  if (transport === undefined || !URL.canParse(repository)) return null
  const { hostname, pathname, username } = new URL(repository)
  if (username.startsWith('-') || decoded(username).startsWith('-')) return null
  if (pathname.length < 2) return null
  if (transport === 'file') return hostname === '' ? 'file' : null
  // Git passes host and path of an ssh address to ssh as arguments.
  return /^[A-Za-z0-9[]/.test(hostname) ? transport : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return '-' // Nobody can tell what it says.
  }
}

function secretProblem(repository: string): WorkspaceProblem | null {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(repository)) return null
  const { password, username, protocol, search } = new URL(repository)
  const isLogin = password !== '' || (protocol !== 'ssh:' && username !== '')
  if (!isLogin && search === '') return null
  return {
    what: 'the address of the repository holds a user or a password',
    hint: "Leave it out. Git takes credentials from the worker's own config: a credential helper, or a key for ssh.",
  }
}

function unknownForm(repository: string): WorkspaceProblem {
  // The address may hold a password, so only its beginning is shown.
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(repository)?.[0] ?? null
  const isOption = repository.startsWith('-')
  const what = isOption
    ? 'the address of the repository begins with `-`'
    : scheme !== null
      ? `Reprise does not give git an address that begins with ${scheme}:`
      : 'the address of the repository has no form that Reprise knows'
  return { what, hint: FORMS }
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return !text.isWellFormed()
}

/** The rules of `git check-ref-format --allow-onelevel`, and no `-` at the beginning. */
function isRefName(ref: string): boolean {
  if (ref === '@' || ref.startsWith('-') || hasControlCharacter(ref)) return false
  if (/[ ~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(ref)) return false
  return ref.split('/').every(part => !part.startsWith('.') && !part.endsWith('.lock'))
}
