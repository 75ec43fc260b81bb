// How much waits for a person: counted once for the rail and the title of the tab.
import { reprise } from '../data/client.ts'
import { INBOX_TOPICS, readInbox } from '../data/inbox.ts'
import { useResource } from '../data/resource.ts'

export function useInboxCount(): number | undefined {
  return useResource('inbox', () => readInbox(reprise), INBOX_TOPICS).value?.length
}
