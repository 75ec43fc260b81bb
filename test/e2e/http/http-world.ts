// The daemon's app in a process of its own world: fake agent and files in memory, store in memory (or in PostgreSQL), no network.

import type { ThreadDetails } from '../../../src/api.ts'
import type { Run } from '../../../src/core/run/run.ts'
import type { Files } from '../../../src/core/world.ts'
import type { AppOptions } from '../../../src/daemon/app.ts'
import { createApp } from '../../../src/daemon/app.ts'
import { oneToken } from '../../../src/daemon/caller.ts'
import { claudeCode, createReprise } from '../../../src/index.ts'
import type { RepriseOptions } from '../../../src/reprise-options.ts'
import { systemFiles } from '../../../src/runner/real-world.ts'
import type { OpenStore } from '../../../src/store/contract/store.ts'
import { smallWorld } from '../../../src/testing/in-process-agent.ts'
import { createFakeRunner, type FakeScript } from '../../../src/testing/index.ts'
import { chosenStore } from '../../postgres/chosen-store.ts'

export const TOKEN = 'Aa1-token-of-a-test'
export const HOST = '127.0.0.1:4747'

export type WorldOptions = Partial<
  Pick<
    AppOptions,
    | 'tokens'
    | 'port'
    | 'timing'
    | 'maxListeners'
    | 'maxFailedAttempts'
    | 'closing'
    | 'extraHosts'
    | 'dashboardFiles'
  >
> & {
  readonly script?: FakeScript
  readonly store?: OpenStore
  readonly listPolicies?: NonNullable<RepriseOptions['listPolicies']>
  readonly keepQueue?: boolean
  /** Look at the real files for everything but the agent. */
  readonly realFiles?: boolean
}

/** As untyped as JSON is: tests say what they expect of it. */
type Json = ReturnType<typeof JSON.parse>

export type Answer = { readonly status: number; readonly body: Json; readonly headers: Headers }

export async function httpWorld(options: WorldOptions = {}) {
  const {
    script = [],
    store = (await chosenStore(':memory:')).open,
    realFiles,
    listPolicies,
    keepQueue,
    ...appOptions
  } = options
  const files = await smallWorld()
  const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const agent = { executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } }
  const reprise = createReprise({
    store,
    ...(listPolicies && { listPolicies }),
    ...(keepQueue && { keepQueue }),
    agents: [claudeCode(agent), claudeCode({ ...agent, name: 'second' })],
    environment: { PATH: '/bin', HOME: '/home' },
    timing: { queuePollMs: 5, eventBatchMs: 2, renewMs: 20, followPollMs: 5 },
    dependencies: { runner, files: realFiles ? besidesAgent(files) : files },
  })
  const faults: unknown[] = []
  const app = createApp({
    reprise,
    tokens: oneToken(TOKEN),
    port: () => 4747,
    version: '0.0.0-test',
    onFault: error => faults.push(error),
    maxFailedAttempts: 1_000_000,
    ...appOptions,
  })

  /** As a well-behaved client; `headers` adds to it, null takes away. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Answer> {
    const response = await request(method, path, { body, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      headers: response.headers,
    }
  }

  async function request(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string | null>> },
  ): Promise<Response> {
    const all = {
      host: HOST,
      authorization: `Bearer ${TOKEN}`,
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    }
    const given = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return app.request(path, {
      method,
      headers: given,
      ...(body !== undefined && { body: text }),
    })
  }

  /** Polls until the run has ended. */
  async function ended(runId: string): Promise<Run> {
    for (;;) {
      const { body } = await call('GET', `/api/runs/${runId}`)
      if (body.endedAt !== null) return body
      await new Promise(resolve => setTimeout(resolve, 2))
    }
  }

  async function thread(): Promise<ThreadDetails> {
    return (await call('POST', '/api/threads', { workDir: '/project' })).body
  }

  async function turn(threadId: string, prompt: string): Promise<Run> {
    const { body } = await call('POST', `/api/threads/${threadId}/turns`, { prompt })
    return ended(body.runId)
  }

  return { app, reprise, runner, files, faults, call, request, ended, thread, turn }
}

function besidesAgent(memory: Files): Files {
  const of = (path: string) => (/^\/(?:bin\/agent|config)/.test(path) ? memory : systemFiles)
  return {
    stat: path => of(path).stat(path),
    realpath: path => of(path).realpath(path),
    list: path => of(path).list(path),
    read: (path, ...range) => of(path).read(path, ...range),
  }
}

export type HttpWorld = Awaited<ReturnType<typeof httpWorld>>
