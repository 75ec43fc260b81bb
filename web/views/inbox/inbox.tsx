// Inbox: what needs a person, oldest first. One item is focused; its keys answer it.

import { isAnyDismissed, showAllAgain } from '../../browser/dismissed.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { INBOX_TOPICS, readInbox } from '../../data/inbox.ts'
import { useResource } from '../../data/resource.ts'
import { counted } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { View } from '../../shell/view.tsx'
import { ClosedQuestions, useClosed } from './closed-questions.tsx'
import { InboxFooter } from './footer.tsx'
import { NothingWaits } from './nothing-waits.tsx'
import { NotifyButton } from './notify-button.tsx'
import { OpenItems } from './open-items.tsx'

export function Inbox() {
  const filters = useFilters()
  const tab = filters.get('tab') ?? 'open'
  const open = useResource('inbox', () => readInbox(reprise), INBOX_TOPICS)
  const answered = useClosed('answered')
  const expired = useClosed('expired')
  const tabs = [
    { href: '/', name: 'Open', count: open.value?.length, isOpen: tab === 'open' },
    {
      href: '/?tab=answered',
      name: 'Answered',
      count: answered.value?.total,
      isOpen: tab === 'answered',
    },
    {
      href: '/?tab=expired',
      name: 'Expired',
      count: expired.value?.total,
      isOpen: tab === 'expired',
    },
  ]
  const waiting = open.value?.length ?? 0
  return (
    <View
      title="Inbox"
      beside={
        waiting > 0 && (
          <span class="muted">
            {waiting === 1 ? '1 waits' : `${waiting} wait`} for you, oldest first
          </span>
        )
      }
      actions={
        <>
          {waiting > 1 && tab === 'open' && (
            <span class="meta keys-hint">
              <kbd>J</kbd> <kbd>K</kbd> next, previous
            </span>
          )}
          <NotifyButton />
        </>
      }
    >
      <Tabs tabs={tabs} label={counted(waiting, 'open item')} />
      <div class="view-scroll">
        {open.error && <Trouble error={open.error} retry={open.refresh} />}
        {tab === 'open' && !open.value && !open.error && <Skeleton rows={4} />}
        {tab === 'open' && open.value?.length === 0 && <NothingWaits />}
        {tab === 'open' && open.value && (
          <OpenItems waiting={open.value} runId={filters.get('run')} />
        )}
        {tab === 'open' && isAnyDismissed() && (
          <p class="list-end">
            Some items are dismissed in this browser.
            <Button onClick={showAllAgain}>Show them again</Button>
          </p>
        )}
        {tab === 'answered' && <ClosedQuestions {...answered} what="answered" />}
        {tab === 'expired' && <ClosedQuestions {...expired} what="expired" />}
      </div>
      <InboxFooter waiting={open.value ?? []} />
    </View>
  )
}
