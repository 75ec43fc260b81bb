// Who wants to know when what changed: the live feed touches topics, and what shows them is read again.

/** `thread:ID`, `run:ID`, `spent:ID` (of a run), `chain:ID`, `job:ID`, or a whole kind: `threads`, `runs`, `chains`, `jobs`, `schedules`, `workers`, `questions`, `sessions`, `imports`. */
export type Topic = string

type Listener = () => void

const listeners = new Map<Topic, Set<Listener>>()

/** Returns how to stop listening. */
export function listen(topics: readonly Topic[], listener: Listener): () => void {
  for (const topic of topics) {
    const known = listeners.get(topic) ?? new Set()
    listeners.set(topic, known.add(listener))
  }
  return () => {
    for (const topic of topics) {
      const known = listeners.get(topic)
      known?.delete(listener)
      if (known?.size === 0) listeners.delete(topic)
    }
  }
}

export function touch(topics: readonly Topic[]): void {
  const wanted = new Set(topics.flatMap(topic => [...(listeners.get(topic) ?? [])]))
  for (const listener of wanted) listener()
}

/** After a gap, nobody knows what changed. */
export function touchAll(): void {
  touch([...listeners.keys()])
}

/** What a frame of the feed is about. */
export type Changed = {
  readonly runId?: string | null
  readonly threadId?: string | null
  readonly chainId?: string | null
  readonly jobId?: string | null
  /** A change without an event of a run: `{ kind: 'thread', id: … }`. */
  readonly kind?: string
  readonly id?: string
  readonly type?: string
}

/** Events that change no list: only the page of their own run shows them. */
const QUIET: ReadonlySet<string> = new Set(['text', 'thinking', 'block', 'usage', 'tool-result'])

export function topicsOf(changed: Changed): readonly Topic[] {
  const { runId, threadId, chainId, jobId, kind, id, type = '' } = changed
  if (QUIET.has(type)) return runId ? quietTopics(runId, type) : []
  const topics: Topic[] = []
  if (runId) topics.push(`run:${runId}`, `events:${runId}`, 'runs')
  if (threadId) topics.push(`thread:${threadId}`, 'threads')
  if (chainId) topics.push(`chain:${chainId}`)
  if (jobId) topics.push(`job:${jobId}`)
  if (type === 'started' || type === 'ended' || type === 'supervised') {
    topics.push('chains', 'jobs', 'sessions')
  }
  if (type === 'question' || type === 'answer') topics.push('questions')
  if (kind !== undefined) {
    topics.push(`${kind}s`)
    // Runs change threads all the time; these changes are rare.
    if (kind === 'thread') topics.push('imports')
    if (id) topics.push(`${kind}:${id}`)
  }
  return topics
}

function quietTopics(runId: string, type: string): readonly Topic[] {
  return type === 'usage' ? [`events:${runId}`, `spent:${runId}`] : [`events:${runId}`]
}
