// What a page shows whose sign-in is over.
import { Empty } from '../parts/states.tsx'

export function SignedOut() {
  return (
    <main>
      <Empty icon="out" title="You are signed out" command="reprise login --open">
        This browser is not signed in any more: somebody signed it out, the daemon was restarted, or
        it was not used for twelve hours. Nothing is lost. Run this in a terminal: it signs this
        browser in again.
      </Empty>
    </main>
  )
}
