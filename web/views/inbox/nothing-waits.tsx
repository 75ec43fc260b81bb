// The empty inbox: nothing waits, and what runs meanwhile.
import { useRunning } from '../../data/running.ts'
import { shortId } from '../../format.ts'
import { Empty } from '../../parts/states.tsx'
import { Elapsed } from '../../parts/time.tsx'

const MOST_SHOWN = 5

export function NothingWaits() {
  const running = useRunning().value ?? []
  if (running.length === 0) {
    return (
      <Empty icon="inbox" title="Nothing waits for you" command="reprise demo --full">
        Questions and permissions of agents, chains that are held, jobs that gave up and imported
        threads that nobody has approved come here. This command shows them with invented work.
      </Empty>
    )
  }
  return (
    <>
      <Empty icon="inbox" title="Nothing waits for you">
        {running.length === 1 ? 'One run goes on.' : `${running.length} runs go on.`}
      </Empty>
      <ul class="run-list">
        {running.slice(0, MOST_SHOWN).map(({ id, agent, workDir, startedAt, queuedAt }) => (
          <li key={id}>
            <a class="link mono" href={`/runs/${id}`}>
              {shortId(id)}
            </a>
            <span class="muted">
              {agent}, {workDir}
            </span>
            <span class="end muted">
              <Elapsed since={startedAt ?? queuedAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
