// A world for scenarios of the provider: queries over the program itself, through the Agent SDK, or through a daemon.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startDaemon } from '../../../src/daemon/server.ts'
import {
  ConversationHistory,
  connectReprise,
  type ExecuteOptions,
  executeQuery,
  type LocalReprise,
  type ProviderMessage,
  type QueryHost,
  type ResultMessage,
  type Run,
} from '../../../src/index.ts'
import type { Harness } from '../harness/harness.ts'
import type { Kind } from '../harness/program.ts'
import { useHarness } from '../threads/threads.ts'

/** How a query reaches the agent. */
export type Way = 'cli' | 'sdk' | 'daemon'

export type Answered = {
  readonly messages: readonly ProviderMessage[]
  readonly result: ResultMessage
}

export class ProviderWorld {
  readonly harness: Harness
  readonly host: QueryHost

  constructor(harness: Harness, host: QueryHost) {
    this.harness = harness
    this.host = host
  }

  async query(options: Partial<ExecuteOptions> & { readonly prompt: string }): Promise<Answered> {
    const messages: ProviderMessage[] = []
    const asked = { cwd: this.harness.workDir, ...options }
    for await (const message of executeQuery(this.host, asked)) messages.push(message)
    const result = messages.at(-1)
    if (result?.type !== 'result') throw new Error('a query ends with a result')
    return { messages, result }
  }

  /** A first query, and what the next one hands over. */
  async begun(prompt: string, options: Partial<ExecuteOptions> = {}) {
    const first = await this.query({ ...options, prompt })
    const history = new ConversationHistory()
    remember(history, prompt, first.messages)
    const sdkSessionId = first.result.session_id ?? ''
    return { first, history, known: { sdkSessionId, conversationHistory: history.getMessages() } }
  }

  /** The latest run of the session that a query ended in. */
  async runOf({ result }: Pick<Answered, 'result'>): Promise<Run> {
    const sessionId = result.session_id ?? ''
    const [run] = await this.harness.reprise.runs.list({ sessionId, limit: 1 })
    if (run) return run
    throw new Error(`no run has session ${sessionId}`)
  }

  async modelSaw(answered: Pick<Answered, 'result'>): Promise<readonly string[]> {
    return this.harness.saw({ run: await this.runOf(answered) })
  }
}

export function useProvider(kind: Kind, way: Way): () => ProviderWorld {
  const harness = useHarness(kind, { transport: way === 'sdk' ? 'sdk' : 'cli' })
  let world: ProviderWorld
  let stop = async () => {}
  beforeAll(async () => {
    const { reprise, root } = harness()
    if (way !== 'daemon') {
      world = new ProviderWorld(harness(), reprise)
      return
    }
    const home = join(root, 'daemon')
    mkdirSync(home, { mode: 0o700 })
    const open = () => reprise as LocalReprise
    const daemon = await startDaemon({
      home,
      open,
      host: '127.0.0.1',
      port: 0,
      logTo: 'file',
      version: '0.0.0-test',
    })
    const token = readFileSync(join(home, 'token'), 'utf8').trim()
    world = new ProviderWorld(harness(), connectReprise({ url: daemon.url, token }))
    stop = () => daemon.stop()
  })
  afterAll(() => stop())
  return () => world
}

/** As an embedding program would keep it. */
export function remember(
  history: ConversationHistory,
  prompt: string,
  messages: readonly ProviderMessage[],
): void {
  history.addUserMessage(prompt)
  for (const message of messages) {
    if (message.type === 'assistant') history.addAssistantMessage(message.message.content)
  }
}

export const fallbacks = (messages: readonly ProviderMessage[]): readonly string[] =>
  messages.flatMap(message =>
    message.type === 'system' && message.subtype === 'fallback' ? message.words : [],
  )

export function expectCancelled({ result }: Pick<Answered, 'result'>): void {
  expect(result).toMatchObject({
    subtype: 'error',
    is_error: true,
    result: { error: { class: 'cancelled' } },
  })
}

/** Our thread goes, and with it all we know; the agent's own file stays. */
export async function forget(world: Harness, sessionId: string): Promise<void> {
  const [run] = await world.reprise.runs.list({ sessionId })
  const thread = await world.reprise.threads.get(run?.threadId ?? '')
  await thread.remove()
}
