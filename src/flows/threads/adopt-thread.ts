// Makes a thread of a conversation that began without Reprise. Takes over its session only if the agent's own file holds it.
import { NOTHING_MARKED } from '../../adapters/adapter.ts'
import type { AdoptRequest } from '../../api.ts'
import { entriesHolding } from '../../core/conversation/held-messages.ts'
import { hashOf, type Message } from '../../core/conversation/messages.ts'
import { contextTokensOf, modelOfRequests, storedTool } from '../../core/run/observe.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { checkedText, checkedWorkDir, refuseBadCarry } from './check-input.ts'

type Adoption = AdoptRequest & { readonly agent: string }

/** The id becomes part of a path, so it must not be able to leave the directory. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/

/** Gives the id of the thread. */
export async function adoptThread(dependencies: Dependencies, request: Adoption): Promise<string> {
  const { sessionId } = request
  if (sessionId !== undefined && !SESSION_ID.test(sessionId)) throw noSessionId(sessionId)
  const agent = await findAgent(dependencies, request.agent)
  const [known] = sessionId
    ? await dependencies.store.sessions({ sessionId, agent: agent.name })
    : []
  if (known) return known.threadId
  const workDir = await checkedWorkDir(dependencies, request.workDir)
  const now = dependencies.clock.now()
  const id = dependencies.random.id('thr')
  const messages = request.messages.map(said => messageOf(dependencies, agent, said))
  const where = { workDir, host: dependencies.owner.host, workspace: null }
  const thread = { kind: 'chat', title: null, agent: agent.name, ...where, view: 'all' } as const
  const { trust = null, sandbox = null } = request
  const { carry } = request
  refuseBadCarry(carry)
  const asItIs = {
    ...{ forkedFrom: null, instructions: null, trust, sandbox },
    ...(carry !== undefined && { carry }),
  }
  const record = { ...thread, ...asItIs, id, createdAt: now, updatedAt: now }
  const createdId = await dependencies.store.createThread(record, messages, request.key)
  if (createdId !== id) return createdId
  if (sessionId && messages.length > 0) {
    await adoptSession(dependencies, { agent, sessionId, threadId: id, workDir, messages, request })
  }
  return id
}

function messageOf(
  { random, clock }: Dependencies,
  agent: Agent,
  { role, text: given, tools = [] }: AdoptRequest['messages'][number],
): Message {
  const text = checkedText('message', given)
  const content = { role, agent: role === 'user' ? null : agent.name, text }
  return {
    ...content,
    id: random.id('msg'),
    tools: tools.map(tool => storedTool(tool)),
    interrupted: false,
    hash: hashOf(content),
    runId: null,
    createdAt: clock.now(),
  }
}

async function adoptSession(
  dependencies: Dependencies,
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
  const { sessionFiles } = agent.adapter
  if (!sessionFiles) return
  const file = await sessionFiles.inspect({ ...place, known }, agent.runtime, dependencies.files)
  if (file.state !== 'present') return
  const said = await sessionFiles.conversation(place, dependencies.files)
  const held = said && entriesHolding(said, messages)
  if (said === null || held === null) return
  // Reads from the last prompt on, to learn how full the session is and where it ends.
  const tail = await sessionFiles.growth(place, NOTHING_MARKED, { prompt: '' }, dependencies.files)
  const before = messages.length - held
  const session = {
    id: dependencies.random.id('ses'),
    sessionId,
    threadId: found.threadId,
    agent: agent.name,
    workDir,
    model: found.request.model ?? agent.model ?? modelOfRequests(tail.requests),
    runtime: agent.runtime.fingerprint,
    forkedFrom: null,
    instructionsHash: null,
    // `null` when the file holds more than the thread: the next decision then treats the rest as foreign.
    knownEnd: held === said.length ? tail.end : null,
    seen: messages.map(({ hash }, index) => ({
      hash,
      anchor: said[index - before]?.anchor ?? null,
      isPart: false,
    })),
  }
  await dependencies.store.adoptSession(
    session,
    contextTokensOf(tail.requests),
    dependencies.clock.now(),
  )
}

function noSessionId(sessionId: unknown): RepriseError {
  const given = JSON.stringify(sessionId) ?? String(sessionId)
  const what = `${given.slice(0, 100)} is not the id of a session`
  return new RepriseError(
    'bad-input',
    what,
    'Give `sessionId` the id that the agent printed for its session, or leave it out.',
  )
}
