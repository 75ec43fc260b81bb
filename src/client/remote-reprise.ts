// The same interface as the library, over HTTP: every verb, whatever sends the requests. It imports little, because each start of the CLI loads it.
import type {
  AgentReport,
  ArchivedSession,
  Chain,
  Reprise,
  SavingsReport,
  SessionDetails,
  SessionDiagnosis,
  ThreadDetails,
} from '../api.ts'
import type { TierPreview } from '../core/chain/chain-preview.ts'
import type { PolicyReport } from '../core/chain/policy-report.ts'
import type { Question } from '../core/conversation/question.ts'
import type { CountedSession } from '../core/conversation/session.ts'
import type { ThreadSummary } from '../core/conversation/thread.ts'
import {
  type DecisionInWords,
  type Explanation,
  explain,
  explanationOf,
} from '../core/decide/explain.ts'
import type { ResumeSettings } from '../core/decide/settings.ts'
import type { Worker } from '../core/job/worker.ts'
import { given } from '../core/optional.ts'
import type { Run } from '../core/run/run.ts'
import type { RunEvent } from '../core/run/run-events.ts'
import type { RunWork } from '../core/run/run-work.ts'
import type { SentPrompt } from '../core/run/sent-prompt.ts'
import type { Me } from '../daemon/contract/report.ts'
import { RepriseError } from '../errors.ts'
import { whileAway } from './away.ts'
import type { FileHttp, Http } from './http.ts'
import { type ListPage, listAll } from './list-all.ts'
import {
  goOnRemoteChain,
  previewRemoteChain,
  remoteSchedules,
  startRemoteChain,
} from './remote-chain.ts'
import { remoteJobs } from './remote-jobs.ts'
import { remoteThread } from './remote-thread.ts'
import { remoteThreadFiles } from './remote-thread-files.ts'
import { followRemoteTurn, startRemoteTurn } from './remote-turn.ts'
import { followRemoteRun, untilAborted } from './run-events.ts'
import { keyHeader } from './submit-headers.ts'

const DEFAULT_LISTED = 50
const MAX_EVENTS = 10_000

/** A Reprise behind a daemon, which knows its callers. */
export type RemoteReprise = Reprise & {
  /** Says who this client is to the daemon, and what it may do. */
  readonly me: () => Promise<Me>
}

/** Gives the Reprise behind a daemon. */
export function remoteReprise(http: Http & FileHttp): RemoteReprise {
  const closing = new AbortController()
  const thread = (id: string) => remoteThread(http, id, closing.signal)
  const sessionPath = (id: string) => `/api/sessions/${encodeURIComponent(id)}`
  const chainPath = (id: string) => `/api/chains/${encodeURIComponent(id)}`
  const runPath = (id: string) => `/api/runs/${encodeURIComponent(id)}`
  const following = (id: string, signal: AbortSignal | undefined) => ({
    signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
    awaited: { what: id, goOn: `reprise runs show ${id}` },
  })
  async function* followRun(id: string, after: number, wanted: AbortSignal | undefined) {
    const { signal, awaited } = following(id, wanted)
    const ask = () => http.ask<Run>('GET', runPath(id), { signal })
    const { jobId } = await whileAway(ask, signal, { ...awaited, onAway: http.onAway })
    // The user knows the job; its attempts are runs that nobody has asked for by name.
    const ofJob = { what: `${jobId}`, goOn: `reprise jobs show ${jobId}` }
    yield* followRemoteRun(http, id, { after, signal, awaited: jobId === null ? awaited : ofJob })
  }
  return {
    me: () => http.ask<Me>('GET', '/api/me'),
    threads: {
      create: async ({ key, ...body }) => {
        const headers = keyHeader(key)
        const create = () => http.ask<ThreadDetails>('POST', '/api/threads', { body, headers })
        const what = 'a new thread'
        const awaited = { what, goOn: 'reprise threads', onAway: http.onAway }
        return thread((await whileAway(create, closing.signal, awaited)).id)
      },
      get: async id => {
        await http.ask('GET', `/api/threads/${encodeURIComponent(id)}`)
        return thread(id)
      },
      list: ({ text, limit = DEFAULT_LISTED, ...query } = {}) =>
        listAll<ThreadSummary>(http, '/api/threads', { query: { q: text, ...query }, limit }),
      rename: (id, title) => {
        const path = `/api/threads/${encodeURIComponent(id)}`
        return http.ask<ThreadDetails>('PATCH', path, { body: { title } })
      },
      count: async ({ text, ...filter } = {}) => {
        const query = { q: text, ...filter, limit: 1 }
        return (await http.ask<{ total: number }>('GET', '/api/threads', { query })).total
      },
      ...remoteThreadFiles(http),
    },
    runs: {
      get: id => http.ask<Run>('GET', runPath(id)),
      list: ({
        threadId,
        chainId,
        sessionId,
        jobId,
        status,
        since,
        cursor,
        limit = DEFAULT_LISTED,
      } = {}) =>
        listAll<Run>(http, '/api/runs', {
          query: {
            thread: threadId,
            chain: chainId,
            session: sessionId,
            job: jobId,
            status,
            since,
            cursor,
          },
          limit,
        }),
      events: (id, after = 0, limit = MAX_EVENTS) => eventsOf(http, runPath(id), { after, limit }),
      follow: (id, { after = 0, signal } = {}) =>
        untilAborted(followRun(id, after, signal), signal),
      cancel: id => http.ask<Run>('POST', `${runPath(id)}/cancel`, { body: {} }),
      questions: async id =>
        (await http.ask<ListPage<Question>>('GET', `${runPath(id)}/questions`)).items,
      answer: async (id, body) => {
        // A question can be closed only once: when the reply was lost, the second try is refused and does nothing.
        const give = () => http.ask<Run>('POST', `${runPath(id)}/tool-result`, { body })
        const awaited = {
          what: `the answer to ${id}`,
          goOn: `reprise runs show ${id}`,
          onAway: http.onAway,
        }
        const run = await whileAway(give, closing.signal, awaited)
        if (run.continuedBy === null || run.threadId === null) return { run, turn: null }
        const next = await http.ask<Run>('GET', runPath(run.continuedBy))
        const ids = { runId: next.id, messageId: next.promptMessageId ?? '' }
        const { signal: closed } = closing
        const turn = {
          http,
          threadId: run.threadId,
          submit: async () => ids,
          options: {},
          closing: closed,
        }
        return { run, turn: startRemoteTurn(turn) }
      },
      work: id => http.ask<RunWork>('GET', `${runPath(id)}/work`),
      prompt: id => http.ask<SentPrompt>('GET', `${runPath(id)}/prompt`),
      why: async (id, settings) => {
        if (!settings) {
          return explanationOf(await http.ask<DecisionInWords>('GET', `${runPath(id)}/why`))
        }
        return askAgain(await http.ask<Run>('GET', runPath(id)), given(settings))
      },
    },
    turns: {
      follow: (runId, { after = { runId, seq: 0 }, signal } = {}) =>
        untilAborted(followRemoteTurn(http, after, following(runId, signal)), signal),
    },
    jobs: remoteJobs(http, closing.signal),
    sessions: {
      get: id => http.ask<SessionDetails>('GET', sessionPath(id)),
      unarchive: id =>
        http.ask<CountedSession>('POST', `${sessionPath(id)}/unarchive`, { body: {} }),
      diagnose: (id, { repair = false } = {}) =>
        http.ask<SessionDiagnosis>('POST', `${sessionPath(id)}/doctor`, { body: { repair } }),
      archive: id => http.ask<ArchivedSession>('POST', `${sessionPath(id)}/archive`, { body: {} }),
      list: ({ threadId, agent, since, cursor, limit = DEFAULT_LISTED } = {}) =>
        listAll<CountedSession>(http, '/api/sessions', {
          query: { thread: threadId, agent, since, cursor },
          limit,
        }),
    },
    questions: ({ state, cursor, limit = DEFAULT_LISTED } = {}) =>
      listAll<Question>(http, '/api/questions', { query: { state, cursor }, limit }),
    schedules: remoteSchedules(http),
    chains: {
      start: wanted => startRemoteChain(http, wanted, closing.signal),
      preview: wanted => previewRemoteChain(http, wanted),
      previewNext: id => http.ask<TierPreview>('GET', `${chainPath(id)}/next-tier`),
      get: id => http.ask<Chain>('GET', chainPath(id)),
      ofRun: id => http.ask<Chain>('GET', `${runPath(id)}/chain`),
      list: ({ status, policy, since, cursor, limit = DEFAULT_LISTED } = {}) =>
        listAll<Chain>(http, '/api/chains', { query: { status, policy, since, cursor }, limit }),
      approve: id => goOnRemoteChain(http, { id, verb: 'approve' }, closing.signal),
      continue: id => goOnRemoteChain(http, { id, verb: 'continue' }, closing.signal),
      cancel: id => http.ask<Chain>('POST', `${chainPath(id)}/cancel`, { body: {} }),
    },
    policies: async () => (await http.ask<ListPage<PolicyReport>>('GET', '/api/policies')).items,
    adopt: async ({ key, ...body }) => {
      const headers = keyHeader(key)
      const adopt = () => http.ask<{ id: string }>('POST', '/api/threads/adopt', { body, headers })
      const what = 'a thread of an earlier conversation'
      const awaited = { what, goOn: 'reprise threads', onAway: http.onAway }
      return thread((await whileAway(adopt, closing.signal, awaited)).id)
    },
    findIds: async ({ kind, beginning, limit }) =>
      (await http.ask<ListPage<string>>('GET', '/api/ids', { query: { kind, beginning, limit } }))
        .items,
    agents: async () => (await http.ask<ListPage<AgentReport>>('GET', '/api/agents')).items,
    workers: async () => (await http.ask<ListPage<Worker>>('GET', '/api/workers')).items,
    savings: (by = 'day', { since } = {}) =>
      http.ask<SavingsReport>('GET', '/api/savings', { query: { by, since } }),
    verify: async () => {
      throw new RepriseError(
        'bad-input',
        'a store is verified where it is, not over HTTP',
        'run `reprise verify` on the machine of the daemon; it may go on meanwhile',
      )
    },
    close: async () => closing.abort(),
  }
}

async function eventsOf(
  http: Http,
  path: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly RunEvent[]> {
  const found: RunEvent[] = []
  let cursor: string | null = String(after)
  while (cursor !== null && found.length < limit) {
    const page: ListPage<RunEvent> = await http.ask('GET', `${path}/events`, {
      query: { after: cursor, limit: Math.min(1_000, limit - found.length) },
      headers: { accept: 'application/json' },
    })
    found.push(...page.items)
    cursor = page.items.length === 0 ? null : page.nextCursor
  }
  return found
}

/** Decides again on the client: the facts are in the record of the run, and `decide` is pure. */
async function askAgain(run: Run, settings: Partial<ResumeSettings>): Promise<Explanation> {
  if (!run.facts) {
    const what = `run ${run.id} is ${run.status}: nothing has been decided for it`
    throw new RepriseError(
      'conflict',
      what,
      `Run \`reprise runs show ${run.id}\` to see when it has started, then ask again.`,
    )
  }
  const { decide } = await import('../core/decide/decide.ts')
  const { DEFAULT_RESUME } = await import('../core/decide/settings.ts')
  const { changesOf } = await import('../core/decide/what-would-change.ts')
  const asked = {
    facts: run.facts,
    settings: { ...DEFAULT_RESUME, ...run.resumeSettings, ...settings },
  }
  const decision = decide(asked.facts, asked.settings)
  // The messages are with the daemon, and with them what the changes would cost.
  return explain(decision, { changes: changesOf(decision, asked, () => null) })
}
