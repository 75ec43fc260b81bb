// A chain that a daemon runs: the events of one run after the other, then the whole chain.
import type { Chain, ChainOptions, ChainRun, Reprise } from '../api.ts'
import type { ChainPreview } from '../core/chain/chain-preview.ts'
import type { Schedule } from '../core/chain/schedule.ts'
import { type WaitedFor, whileAway } from './away.ts'
import type { Http } from './http.ts'
import { cancelWhenBack, followRemoteTurn } from './remote-turn.ts'
import { submitHeaders } from './submit-headers.ts'
import { underWay } from './under-way.ts'

type Submitted = { readonly chainId: string; readonly runId: string | null }

export function startRemoteChain(
  http: Http,
  { key, trace, signal, policy, ...wanted }: ChainOptions,
  closing: AbortSignal,
): ChainRun {
  const submit = async (): Promise<Submitted> => {
    const headers = await submitHeaders(http, { key, trace })
    const asking = { body: { ...wanted, policy: onTheWire(policy) }, headers }
    const awaited = {
      what: 'a chain, which is started when it is back',
      goOn: 'reprise chains',
      onAway: http.onAway,
    }
    const chain = await whileAway(
      () => http.ask<Chain>('POST', '/api/chains', asking),
      closing,
      awaited,
    )
    return { chainId: chain.id, runId: chain.runs[0]?.id ?? null }
  }
  return followed(http, { submitted: submit(), signal, closing })
}

export function previewRemoteChain(
  http: Http,
  { key: _, trace: __, signal, policy, ...wanted }: ChainOptions,
): Promise<ChainPreview> {
  const body = { ...wanted, policy: onTheWire(policy) }
  return http.ask('POST', '/api/chains/preview', { body, ...(signal && { signal }) })
}

/** Approves or continues a chain that was held or interrupted. */
export function goOnRemoteChain(
  http: Http,
  { id, verb }: { readonly id: string; readonly verb: 'approve' | 'continue' },
  closing: AbortSignal,
): ChainRun {
  const submit = async (): Promise<Submitted> => {
    const awaited = { what: id, goOn: `reprise chains show ${id}`, onAway: http.onAway }
    const before = await chainOf(http, { id, closing, awaited })
    const chain = await http.ask<Chain>('POST', `${pathOf(id)}/${verb}`, { body: {} })
    return { chainId: id, runId: chain.runs[before.runs.length]?.id ?? null }
  }
  return followed(http, { submitted: submit(), signal: undefined, closing })
}

type Started = {
  readonly submitted: Promise<Submitted>
  readonly signal: AbortSignal | undefined
  readonly closing: AbortSignal
}

function followed(http: Http, { submitted, signal, closing }: Started): ChainRun {
  const waitedFor = (id: string) => ({ what: id, goOn: `reprise chains show ${id}` })
  return underWay({
    submitted,
    signal,
    closing,
    stop: ({ chainId }) => cancelWhenBack({ http, closing }, () => pathOf(chainId)),
    async *follow({ chainId, runId }, after, stopped) {
      const place = after ?? (runId === null ? null : { runId, seq: 0 })
      if (place === null) return
      yield* followRemoteTurn(http, place, { signal: stopped, awaited: waitedFor(chainId) })
    },
    finish: ({ chainId: id }) =>
      chainOf(http, { id, closing, awaited: { ...waitedFor(id), onAway: http.onAway } }),
  })
}

export function remoteSchedules(http: Http): Reprise['schedules'] {
  const path = '/api/schedules'
  return {
    create: ({ policy, ...wanted }) => {
      const body = { ...wanted, policy: onTheWire(policy) }
      return http.ask<Schedule>('POST', path, { body })
    },
    list: async () => (await http.ask<{ items: readonly Schedule[] }>('GET', path)).items,
    remove: id => http.ask('DELETE', `${path}/${encodeURIComponent(id)}`),
  }
}

/** Writes a policy as a config file has it: a limit that is null is left out. */
function onTheWire(policy: ChainOptions['policy']): unknown {
  if (typeof policy === 'string') return policy
  return JSON.parse(JSON.stringify(policy, (_, value) => (value === null ? undefined : value)))
}

type Looked = { readonly id: string; readonly closing: AbortSignal; readonly awaited: WaitedFor }

function chainOf(http: Http, { id, closing, awaited }: Looked): Promise<Chain> {
  const ask = () => http.ask<Chain>('GET', pathOf(id), { signal: closing })
  return whileAway(ask, closing, awaited)
}

function pathOf(id: string): string {
  return `/api/chains/${encodeURIComponent(id)}`
}
