// What runs now, and how many questions expire soon.
import { now } from '../../data/clock.ts'
import type { Waiting } from '../../data/inbox.ts'
import { useRunning } from '../../data/running.ts'
import { counted } from '../../format.ts'
import { Icon } from '../../parts/icon.tsx'

const DAY_MS = 24 * 3_600_000

export function InboxFooter({ waiting }: { readonly waiting: readonly Waiting[] }) {
  const running = useRunning().value?.length
  const soon = waiting.filter(
    item => item.kind === 'question' && item.question.expiresAt - now.value < DAY_MS,
  ).length
  return (
    <footer class="view-footer">
      {running !== undefined && running > 0 && (
        <span class="status accent">
          <Icon name="running" />
          {running === 1 ? '1 runs now' : `${running} run now`}
        </span>
      )}
      {running === 0 && <span>Nothing runs now</span>}
      <a class="link" href="/live">
        Open Live
      </a>
      {soon > 0 && (
        <span class="end">
          {counted(soon, 'question')} {soon === 1 ? 'expires' : 'expire'} within a day
        </span>
      )}
    </footer>
  )
}
