// The lists of a thread file as they are read: each record has the shape that goes over the wire, and refers only to others of the file.
import { z } from '@hono/zod-openapi'
import { hashOf } from '../core/conversation/messages.ts'
import type { Session } from '../core/conversation/session.ts'
import type { ThreadRecord } from '../core/conversation/thread.ts'
import type { Run } from '../core/run/run.ts'
import { runEventOf, type StoredEvent } from '../core/run/stored-events.ts'
import { runEventSchema } from '../daemon/contract/event.ts'
import { runFields, sentPromptSchema } from '../daemon/contract/run.ts'
import { messageSchema, sessionSchema, threadRecordSchema } from '../daemon/contract/thread.ts'
import type { ThreadContent } from '../store/contract/thread-content.ts'
import { damaged, type ListKind } from './head.ts'
import { type StagedEntry, stagedLines } from './read-file.ts'

const ourId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9]{1,32}$`))
const time = z.int().min(0)
const money = z.number().min(0)

const threadSchema = threadRecordSchema.extend({
  id: ourId('thr'),
  /** The current branch. */
  branchId: z.string().regex(/^(?:brn|thr)_[A-Za-z0-9]{1,32}$/),
  createdAt: time,
  updatedAt: time,
})

const branchSchema = z.object({
  id: z.string().regex(/^(?:brn|thr)_[A-Za-z0-9]{1,32}$/),
  createdAt: time,
  messageIds: z.array(ourId('msg')).readonly(),
})

/** What only explains an earlier run is left out when its shape is that of another version. */
const runSchema = runFields.omit({ waitsFor: true }).extend({
  id: ourId('run'),
  status: z.enum(['completed', 'failed', 'interrupted', 'cancelled']),
  costUsd: money.nullable(),
  queuedAt: time,
  endedAt: time,
  decision: runFields.shape.decision.catch(null),
  facts: runFields.shape.facts.catch(null),
  resumeSettings: runFields.shape.resumeSettings.catch(null),
  verdict: runFields.shape.verdict.catch(null),
  estimate: runFields.shape.estimate.catch(null),
  chainStep: z.unknown().transform(() => null),
  handoverNote: z.unknown().transform(() => null),
})

const promptSchema = sentPromptSchema.extend({ runId: ourId('run') })

const storedSessionSchema = sessionSchema.omit({ messageCount: true }).extend({
  id: ourId('ses'),
  sessionId: z.string().min(1).max(256),
  reportedCostUsd: money,
})

const eventSchema = z.object({
  runId: ourId('run'),
  seq: z.int().min(1),
  at: time,
  type: z.string().max(100),
  json: z.string(),
})

export type ReadRecords = {
  readonly content: ThreadContent
  /** In pages; reads the staged list again with each call. */
  events(): AsyncGenerator<readonly StoredEvent[]>
}

const EVENTS_AT_ONCE = 500

/** Reads and checks every record, also the events, which are too many to be held. */
export async function readRecords(
  entries: readonly StagedEntry[],
  threadId: string,
): Promise<ReadRecords> {
  const list = async <T>(kind: ListKind, schema: z.ZodType<T>): Promise<T[]> => {
    const records: T[] = []
    for await (const line of stagedLines(entryOf(entries, kind))) {
      records.push(parsed(kind, schema, line))
    }
    return records
  }
  const [first, ...others] = await list('thread', threadSchema)
  if (first === undefined || others.length > 0 || first.id !== threadId)
    throw damaged('it does not hold the thread that it names')
  const { branchId, ...thread } = first
  const content: ThreadContent = {
    thread: thread satisfies ThreadRecord,
    branchId,
    branches: await list('branches', branchSchema),
    messages: await list('messages', messageSchema),
    runs: (await list('runs', runSchema)) satisfies readonly Run[],
    prompts: await list('prompts', promptSchema),
    sessions: (await list('sessions', storedSessionSchema)) satisfies readonly Session[],
  }
  checkReferences(content)
  const events = () => eventPages(entryOf(entries, 'events'))
  await checkEvents(events(), new Set(content.runs.map(({ id }) => id)))
  return { content, events }
}

function entryOf(entries: readonly StagedEntry[], kind: ListKind): StagedEntry {
  const entry = entries.find(candidate => candidate.kind === kind)
  if (entry === undefined) throw damaged(`it has no ${kind}`)
  return entry
}

function parsed<T>(kind: ListKind, schema: z.ZodType<T>, line: string): T {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw damaged(`a line of its ${kind} is not JSON`)
  }
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const path = read.error.issues[0]?.path.join('.')
  throw damaged(`its ${kind} do not have the shape that Reprise writes (${path || 'record'})`)
}

function checkReferences(content: ThreadContent): void {
  const { branches, branchId, messages, runs, prompts, sessions } = content
  const known = {
    messages: unique(messages.map(({ id }) => id)),
    runs: unique(runs.map(({ id }) => id)),
    sessions: unique(sessions.map(({ id }) => id)),
  }
  unique(sessions.map(({ agent, sessionId }) => `${agent} ${sessionId}`))
  unique(prompts.map(({ runId }) => runId))
  const branchIds = unique(branches.map(({ id }) => id))
  const holds = (ids: ReadonlySet<string>, id: string | null) => id === null || ids.has(id)
  const listed = new Set(branches.flatMap(({ messageIds }) => messageIds))
  for (const { messageIds } of branches) unique(messageIds)
  const parents = new Map(runs.map(({ id, parentRunId }) => [id, parentRunId]))
  const isWhole =
    branchIds.has(branchId) &&
    [...listed].every(id => known.messages.has(id)) &&
    messages.every(message => message.hash === hashOf(message)) &&
    prompts.every(({ runId }) => known.runs.has(runId)) &&
    runs.every(
      run =>
        holds(known.messages, run.promptMessageId) &&
        holds(known.messages, run.answerMessageId) &&
        holds(known.runs, run.continuedBy) &&
        (run.status !== 'completed' || listed.has(run.answerMessageId ?? '')) &&
        (run.status === 'completed' ? run.failure === null : true) &&
        (/^(?:failed|interrupted)$/.test(run.status) ? run.failure !== null : true),
    ) &&
    runs.every(({ id, continuedBy }) => continuedBy === null || parents.get(continuedBy) === id) &&
    sessions.every(
      session =>
        holds(known.sessions, session.forkedFrom) &&
        (session.pointer !== 'confirmed' ||
          (session.confirmedAt !== null && session.seen.length > 0)) &&
        (session.pointer !== 'retired' || session.retiredBecause !== null),
    )
  if (!isWhole) throw damaged('its records do not belong together')
}

function unique(ids: readonly string[]): ReadonlySet<string> {
  const set = new Set(ids)
  if (set.size < ids.length) throw damaged('a record is there twice')
  return set
}

async function* eventPages(entry: StagedEntry): AsyncGenerator<readonly StoredEvent[]> {
  let page: StoredEvent[] = []
  for await (const line of stagedLines(entry)) {
    page.push(parsed('events', eventSchema, line))
    if (page.length < EVENTS_AT_ONCE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Each run's events count from 1 without a gap, and each is one that Reprise could have stored. */
async function checkEvents(
  pages: AsyncIterable<readonly StoredEvent[]>,
  runs: ReadonlySet<string>,
): Promise<void> {
  const last = new Map<string, number>()
  for await (const page of pages) {
    for (const event of page) {
      const before = last.get(event.runId) ?? 0
      const isNext = runs.has(event.runId) && event.seq === before + 1
      if (!isNext || !isEvent(event)) throw damaged('its events are not those of its runs')
      last.set(event.runId, event.seq)
    }
  }
}

function isEvent(event: StoredEvent): boolean {
  try {
    const read = runEventSchema.safeParse(runEventOf(event))
    return read.success && read.data.type === event.type
  } catch {
    return false // Its body is not JSON.
  }
}
