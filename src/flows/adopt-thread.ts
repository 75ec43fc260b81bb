// L-4: a conversation that began without us becomes a thread; its session is ours only if the agent's own file is there.
import { NOTHING_MARKED } from '../adapters/adapter.ts'
import type { AdoptRequest } from '../api.ts'
import { hashOf, type Message } from '../core/messages.ts'
import { contextTokensOf } from '../core/observe.ts'
import { findAgent } from './agents.ts'
import { checkedWorkDir } from './check-input.ts'
import type { Agent, Parts } from './parts.ts'

type Adoption = AdoptRequest & { readonly agent: string }

/** Gives the id of the thread. */
export async function adoptThread(parts: Parts, request: Adoption): Promise<string> {
  const agent = await findAgent(parts, request.agent)
  const { sessionId } = request
  const [known] = sessionId ? await parts.store.sessions({ sessionId, agent: agent.name }) : []
  if (known) return known.threadId
  const workDir = await checkedWorkDir(parts, request.workDir)
  const now = parts.clock.now()
  const id = parts.random.id('thr')
  const messages = request.messages.map(said => messageOf(parts, agent, said))
  const thread = { kind: 'chat', title: null, agent: agent.name, workDir, view: 'all' } as const
  const asConfigured = { instructions: null, trust: null, sandbox: null }
  const record = { ...thread, ...asConfigured, id, createdAt: now, forkedFrom: null }
  await parts.store.createThread({ ...record, updatedAt: now }, messages)
  if (sessionId && messages.length > 0) {
    await adoptSession(parts, { agent, sessionId, threadId: id, workDir, messages, request })
  }
  return id
}

function messageOf(
  { random, clock }: Parts,
  agent: Agent,
  { role, text, tools = [] }: AdoptRequest['messages'][number],
): Message {
  const content = { role, agent: role === 'user' ? null : agent.name, text: text.toWellFormed() }
  return {
    ...content,
    id: random.id('msg'),
    tools,
    interrupted: false,
    hash: hashOf(content),
    runId: null,
    createdAt: clock.now(),
  }
}

async function adoptSession(
  parts: Parts,
  found: {
    readonly agent: Agent
    readonly sessionId: string
    readonly threadId: string
    readonly workDir: string
    readonly messages: readonly Message[]
    readonly request: Adoption
  },
): Promise<void> {
  const { agent, sessionId, workDir, messages } = found
  const place = { sessionId, workDir, env: agent.fullEnv }
  const known = { anchors: [], end: null }
  const file = await agent.adapter.inspect({ ...place, known }, agent.runtime, parts.files)
  if (file.state !== 'present') return
  // From its last prompt on, whatever that was: how full the session is, and where it ends.
  const tail = await agent.adapter.growth(place, NOTHING_MARKED, { prompt: '' }, parts.files)
  const lastAnswer = messages.findLastIndex(message => message.role === 'assistant')
  const anchor = tail.anchors.at(-1) ?? null
  const session = {
    id: parts.random.id('ses'),
    sessionId,
    threadId: found.threadId,
    agent: agent.name,
    workDir,
    model: found.request.model ?? agent.model,
    runtime: agent.runtime.fingerprint,
    forkedFrom: null,
    instructionsHash: null,
    knownEnd: tail.end,
    seen: messages.map(({ hash }, index) => ({
      hash,
      anchor: index === lastAnswer ? anchor : null,
      isPart: false,
    })),
  }
  await parts.store.adoptSession(session, contextTokensOf(tail.requests), parts.clock.now())
}
