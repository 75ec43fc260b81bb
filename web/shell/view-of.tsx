// Views are read when they are opened. One that was never opened cannot be read while the daemon is away, and no longer after
// the daemon was upgraded: the page says so, and opens it again as soon as the daemon answers.
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { connection } from '../feed/live.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { View } from './view.tsx'

const OPENED_AGAIN = 'opened again at'
/** A view that cannot be read at all must not open itself again and again. */
const NOT_AGAIN_MS = 10_000

export function viewOf(load: () => Promise<ComponentType>) {
  return lazy(() => load().catch(() => NotRead))
}

function NotRead() {
  const isBack = connection.value.state === 'live'
  useEffect(() => {
    if (isBack && Date.now() - Number(sessionStorage.getItem(OPENED_AGAIN)) > NOT_AGAIN_MS) {
      openAgain()
    }
  }, [isBack])
  return (
    <View title="Not loaded">
      <Empty
        icon="warning"
        title="This view could not be loaded"
        act={<Button onClick={openAgain}>Open it again</Button>}
      >
        The daemon did not answer. The view opens by itself when the daemon is back.
      </Empty>
    </View>
  )
}

/** A browser may remember that the file could not be read, so the whole page is opened again. */
function openAgain(): void {
  sessionStorage.setItem(OPENED_AGAIN, String(Date.now()))
  location.reload()
}
