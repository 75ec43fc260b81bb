// The whole page: rail, the view of the address, and what lies above both.
import { LocationProvider, Route, Router } from 'preact-iso'
import { useNotifications } from './browser/notify.ts'
import { isSignedOut } from './browser/sign-in.ts'
import { Toasts } from './parts/toasts.tsx'
import { byId } from './shell/by-id.tsx'
import { useInboxCount } from './shell/inbox-count.ts'
import { openPalette, Palette } from './shell/palette.tsx'
import { Rail } from './shell/rail.tsx'
import { openShortcutList, ShortcutList } from './shell/shortcut-list.tsx'
import { useShortcut } from './shell/shortcuts.ts'
import { SignedOut } from './shell/signed-out.tsx'
import { viewOf } from './shell/view-of.tsx'
import { NotFound } from './views/not-found.tsx'

// Each view is read when it is opened: a page needs only its own.
const Inbox = viewOf(async () => (await import('./views/inbox/inbox.tsx')).Inbox)
const Threads = viewOf(async () => (await import('./views/threads.tsx')).Threads)
const Thread = viewOf(async () => byId((await import('./views/thread/thread.tsx')).Thread))
const RunPage = viewOf(async () => byId((await import('./views/run/run-page.tsx')).RunPage))
const Savings = viewOf(async () => (await import('./views/savings.tsx')).Savings)
const Sessions = viewOf(async () => (await import('./views/sessions.tsx')).Sessions)
const Agents = viewOf(async () => (await import('./views/agents.tsx')).Agents)
const Chains = viewOf(async () => (await import('./views/chains.tsx')).Chains)
const ChainPage = viewOf(async () => byId((await import('./views/chain/chain-page.tsx')).ChainPage))
const Jobs = viewOf(async () => (await import('./views/jobs.tsx')).Jobs)
const JobPage = viewOf(async () => byId((await import('./views/job/job-page.tsx')).JobPage))
const Live = viewOf(async () => (await import('./views/live/live.tsx')).Live)

/** What somebody was writing when the sign-in ended stays below, and is there again after the next one. */
export function App() {
  return (
    <LocationProvider>
      <Frame />
      {isSignedOut.value && <SignedOut />}
    </LocationProvider>
  )
}

function Frame() {
  useShortcut('Ctrl k', 'Jump to a place, an id or a thread', openPalette)
  useShortcut('?', 'Show these keys', openShortcutList)
  useNotifications(useInboxCount())
  return (
    <div class="app" hidden={isSignedOut.value}>
      <Rail />
      <div class="main">
        <Router>
          <Route path="/" component={Inbox} />
          <Route path="/threads" component={Threads} />
          <Route path="/threads/:id" component={Thread} />
          <Route path="/runs/:id" component={RunPage} />
          <Route path="/savings" component={Savings} />
          <Route path="/sessions" component={Sessions} />
          <Route path="/chains" component={Chains} />
          <Route path="/chains/:id" component={ChainPage} />
          <Route path="/jobs" component={Jobs} />
          <Route path="/jobs/:id" component={JobPage} />
          <Route path="/live" component={Live} />
          <Route path="/agents" component={Agents} />
          <Route default component={NotFound} />
        </Router>
      </div>
      <Palette />
      <ShortcutList />
      <Toasts />
    </div>
  )
}
