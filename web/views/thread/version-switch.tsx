// Goes between the versions of a message: edits and retries keep the others.
import type { MessageVersions } from '../../../src/core/conversation/versions.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { Icon } from '../../parts/icon.tsx'

type Props = { readonly threadId: string; readonly versions: MessageVersions }

export function VersionSwitch({ threadId, versions }: Props) {
  const { act } = useAct()
  const { position, count, previousId, nextId } = versions
  const go = (id: string | null) => {
    if (id !== null) void act(async () => (await reprise.threads.get(threadId)).select(id))
  }
  return (
    <span class="versions meta">
      <button
        type="button"
        class="copy"
        aria-label="Previous version"
        disabled={previousId === null}
        onClick={() => go(previousId)}
      >
        <Icon name="left" />
      </button>
      {position} / {count}
      <button
        type="button"
        class="copy"
        aria-label="Next version"
        disabled={nextId === null}
        onClick={() => go(nextId)}
      >
        <Icon name="right" />
      </button>
    </span>
  )
}
