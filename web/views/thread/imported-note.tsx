// Above a thread that came in a file: whose it was, and whether agents may go on with it.
import type { ThreadDetails } from '../../../src/api.ts'
import { ApproveThread, ImportFacts, OnlyData } from '../../parts/approve-thread.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'

export function ImportedNote({ thread }: { readonly thread: ThreadDetails }) {
  const { imported } = thread
  if (!imported || imported.signature === 'own') return null
  if (imported.approvedAt !== null) {
    return (
      <p class="imported-line muted">
        It came in a file of another store, and was approved{' '}
        <Time at={imported.approvedAt} as="words" />.
      </p>
    )
  }
  return (
    <section class="imported-note" aria-label="Imported thread">
      <h2 class="imported-title">
        <span class="warn">
          <Icon name="shield" />
        </span>
        This thread waits for approval
      </h2>
      <OnlyData />
      <dl class="facts">
        <ImportFacts imported={imported} />
      </dl>
      <div class="form-actions">
        <ApproveThread threadId={thread.id} imported={imported} isFocused />
      </div>
    </section>
  )
}
