// What a verb prints with `--json`, by its name: the shapes that people's scripts rely on.
import type {
  Chain,
  JobDetails,
  Reprise,
  Thread,
  ThreadDetails,
  TurnResult,
} from '../../../src/api.ts'
import type { Question } from '../../../src/core/conversation/question.ts'
import type { DecisionInWords } from '../../../src/core/decide/explain.ts'

type Given<F extends (...input: never) => unknown> = Awaited<ReturnType<F>>
type Token = {
  readonly id: string
  readonly scopes: readonly string[]
  readonly label: string | null
}
type RemovedJson = Given<Thread['remove']>
type ListOf<Items> = { readonly items: Items; readonly nextCursor: string | null }
type Fields = Readonly<Record<string, unknown>>

/** Verbs with verbs of their own: what is printed without one, and what by each. */
type Groups = {
  threads: {
    ls: ListOf<Given<Reprise['threads']['list']>> & { readonly total: number }
    show: ThreadDetails
    edit: Given<Thread['edit']>
    retry: TurnResult
    truncate: ThreadDetails
    select: ThreadDetails
    fork: ThreadDetails
    rename: ThreadDetails
    export: { readonly threadId: string; readonly path: string; readonly bytes: number }
    import: Given<Reprise['threads']['import']>
    approve: ThreadDetails
    key: { readonly publicKey: string }
    rm: RemovedJson
  }
  runs: {
    ls: ListOf<Given<Reprise['runs']['list']>>
    show: Given<Reprise['runs']['get']> & { readonly asked?: readonly Question[] }
    events: ListOf<readonly Fields[]>
    prompt: Given<Reprise['runs']['prompt']>
    cancel: Given<Reprise['runs']['cancel']>
  }
  chains: {
    ls: ListOf<Given<Reprise['chains']['list']>>
    show: Chain
    approve: Chain
    continue: Chain
    cancel: Chain
  }
  token: {
    ls: ListOf<readonly Token[]>
    create: Token & { readonly token: string }
    revoke: Token
  }
  jobs: {
    ls: ListOf<Given<Reprise['jobs']['list']>>
    checkpoints: ListOf<JobDetails['checkpoints']>
    diff: Given<Reprise['jobs']['diff']>
    submit: JobDetails
    show: JobDetails
    retry: JobDetails
    rm: RemovedJson
    prune: { readonly checkpoints: Given<Reprise['jobs']['prune']> }
    cancel: JobDetails
  }
}
type Verbs = {
  /** With `--ask`, what the agent asks comes along. */
  send: TurnResult & { readonly questions?: readonly Question[] }
  escalate: Chain
  why: DecisionInWords
  agents: ListOf<Given<Reprise['agents']>>
  savings: Given<Reprise['savings']>
  sessions: ListOf<Given<Reprise['sessions']['list']>>
  schedules: ListOf<Given<Reprise['schedules']['list']>>
  login: { readonly url: string; readonly expiresAt: number }
  verify: { readonly ok: boolean; readonly violations: readonly unknown[] }
}

export type Printed<Args extends readonly string[]> = Args extends readonly [
  infer Verb,
  ...infer Rest,
]
  ? Verb extends keyof Groups
    ? Rest extends readonly [infer Second, ...unknown[]]
      ? Second extends keyof Groups[Verb]
        ? Groups[Verb][Second]
        : Groups[Verb]['ls']
      : Groups[Verb]['ls']
    : Verb extends keyof Verbs
      ? Verbs[Verb]
      : Fields
  : Fields
