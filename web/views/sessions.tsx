// Sessions: what the agents keep, how full each is, whether it can go on; and a way to write one to files.
import type { CountedSession } from '../../src/core/conversation/session.ts'
import { retiredWords } from '../../src/core/decide/explain.ts'
import { useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { useResource } from '../data/resource.ts'
import { count, shortCount, shortId, shortPath } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Copy } from '../parts/copy.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { View } from '../shell/view.tsx'

const MOST_TITLES = 200

/** By thread. Sessions that were used last belong to threads, chains and jobs of late: three requests name nearly all. */
async function readTitles(): Promise<ReadonlyMap<string, string>> {
  const [threads, chains, jobs] = await Promise.all([
    reprise.threads.list({ limit: MOST_TITLES }),
    reprise.chains.list({ limit: MOST_TITLES }),
    reprise.jobs.list({ limit: MOST_TITLES }),
  ])
  const titles = new Map([...chains, ...jobs].map(({ threadId, prompt }) => [threadId, prompt]))
  for (const { id, title } of threads) if (title !== null) titles.set(id, title)
  return titles
}

export function Sessions() {
  const filters = useFilters()
  const agent = filters.get('agent')
  const { value, error, refresh, more } = useList<CountedSession>('/api/sessions', { agent }, [
    'sessions',
  ])
  const titles = useResource('titles', readTitles, ['threads']).value
  return (
    <View title="Sessions" beside={<span class="muted">{value && count(value.items.length)}</span>}>
      <div class="view-scroll table-scroll" tabIndex={0}>
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.items.length === 0 && (
          <Empty
            icon="sessions"
            title="No sessions yet"
            command={'reprise send "What is this project?"'}
          >
            An agent's session is known here as soon as the agent has named it.
          </Empty>
        )}
        {value && value.items.length > 0 && (
          <table class="rows session-rows">
            <thead>
              <tr>
                <th class="session-id">Session</th>
                <th class="not-on-phones">Thread</th>
                <th class="wide" style={{ width: '104px' }}>
                  Agent
                </th>
                <th class="session-pointer not-on-phones">Pointer</th>
                <th class="session-life wide">Life</th>
                <th class="number wide" style={{ width: '80px' }}>
                  Messages
                </th>
                <th class="number session-context not-on-phones">Context</th>
                <th class="number not-on-phones" style={{ width: '88px' }}>
                  Last used
                </th>
                <th class="session-acts">
                  <span class="unseen">Acts</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {value.items.map(session => (
                <SessionRow
                  key={session.id}
                  session={session}
                  thread={titles?.get(session.threadId) ?? shortId(session.threadId)}
                />
              ))}
            </tbody>
          </table>
        )}
        {value?.hasMore && (
          <p class="list-end">
            <Button onClick={more}>Show more</Button>
          </p>
        )}
      </div>
    </View>
  )
}

type RowProps = { readonly session: CountedSession; readonly thread: string }

function SessionRow({ session, thread }: RowProps) {
  const { act } = useAct()
  const { retiredBecause } = session
  const why = retiredBecause === null ? undefined : retiredWords(retiredBecause)
  const lineage = `/threads/${session.threadId}?tab=lineage`
  const takeBack = () =>
    void act(() => reprise.sessions.unarchive(session.id), 'It is out of the archive.')
  const archive = () =>
    void act(async () => {
      const { path } = await reprise.sessions.archive(session.id)
      const isNew = session.state !== 'archived'
      toast({
        kind: 'ok',
        text: 'Archived: written to files.',
        detail: path,
        ...(isNew && { undo: takeBack }),
      })
    })
  return (
    <tr>
      <td>
        <a class="name on-phones" href={lineage}>
          {thread}
        </a>
        <Copy text={session.sessionId} shown={session.sessionId.slice(0, 8)} />
        <span class="meta on-phones">
          {session.state} · {contextWords(session) ?? 'size not known'} ·{' '}
          <Time at={session.lastMessageAt} />
        </span>
      </td>
      <td class="not-on-phones" title={`${thread} in ${session.workDir}`}>
        <a class="name" href={lineage}>
          {thread}
        </a>{' '}
        <span class="meta wide">{shortPath(session.workDir)}</span>
      </td>
      <td class="wide muted">{session.agent}</td>
      <td class="not-on-phones" title={why}>
        <Status status={session.pointer} /> <span class="meta wide">{why}</span>
      </td>
      <td class="wide">
        <Status status={session.state} />
      </td>
      <td class="number wide">{session.messageCount}</td>
      <td class="number not-on-phones">
        {contextWords(session) ?? <span class="muted">not known</span>}
      </td>
      <td class="number muted not-on-phones">
        <Time at={session.lastMessageAt} />
      </td>
      <td class="session-acts">
        <Button kind="quiet" scope="submit" onClick={archive}>
          Archive
        </Button>
      </td>
    </tr>
  )
}

function contextWords({ contextTokens, contextWindow }: CountedSession): string | null {
  if (contextTokens === null) return null
  return `${shortCount(contextTokens)}${contextWindow === null ? '' : ` of ${shortCount(contextWindow)}`}`
}
