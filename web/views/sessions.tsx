// Sessions: what the agents keep, how full each is, whether it can go on; and a way to write one to files.
import type { CountedSession } from '../../src/core/conversation/session.ts'
import { retiredWords } from '../../src/core/decide/explain.ts'
import { useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { count, shortCount, shortPath } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Copy } from '../parts/copy.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { View } from '../shell/view.tsx'

export function Sessions() {
  const filters = useFilters()
  const agent = filters.get('agent')
  const { value, error, refresh, more } = useList<CountedSession>('/api/sessions', { agent }, [
    'sessions',
  ])
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
                <th class="wide" style={{ width: '104px' }}>
                  Agent
                </th>
                <th class="wide" style={{ width: '136px' }}>
                  Work dir
                </th>
                <th class="not-on-phones" style={{ width: '120px' }}>
                  Pointer
                </th>
                <th class="session-life not-on-phones">Life</th>
                <th class="wide">Why retired</th>
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
                <SessionRow key={session.id} session={session} />
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

function SessionRow({ session }: { readonly session: CountedSession }) {
  const { act } = useAct()
  const { retiredBecause } = session
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
        <Copy text={session.sessionId} shown={session.sessionId.slice(0, 8)} />
        <span class="meta on-phones">
          {session.state} · {contextWords(session) ?? 'size not known'} ·{' '}
          <Time at={session.lastMessageAt} />
        </span>
      </td>
      <td class="wide muted">{session.agent}</td>
      <td class="wide muted" title={session.workDir}>
        {shortPath(session.workDir)}
      </td>
      <td class="not-on-phones">
        <Status status={session.pointer} />
      </td>
      <td class="not-on-phones">
        <Status status={session.state} />
      </td>
      <td class="wide meta" title={retiredBecause ? retiredWords(retiredBecause) : undefined}>
        {retiredBecause && retiredWords(retiredBecause)}
      </td>
      <td class="number wide">{session.messageCount}</td>
      <td class="number not-on-phones">
        {contextWords(session) ?? <span class="muted">not known</span>}
      </td>
      <td class="number muted not-on-phones">
        <Time at={session.lastMessageAt} />
      </td>
      <td>
        <a class="button quiet" href={`/threads/${session.threadId}?tab=lineage`}>
          Lineage
        </a>
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
