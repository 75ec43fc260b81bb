// Inbox: what needs a person, oldest first.
import { reprise } from '../data/client.ts'
import { INBOX_TOPICS, readInbox } from '../data/inbox.ts'
import { useResource } from '../data/resource.ts'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { View } from '../shell/view.tsx'

export function Inbox() {
  const { value, error, refresh } = useResource('inbox', () => readInbox(reprise), INBOX_TOPICS)
  return (
    <View title="Inbox">
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton rows={4} />}
        {value?.length === 0 && <Empty icon="inbox" title="Nothing waits for you" />}
      </div>
    </View>
  )
}
