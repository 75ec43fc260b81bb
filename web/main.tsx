// Starts the page: theme and key first, then the first paint, then the live feed.
import { render } from 'preact'
import { App } from './app.tsx'
import { learnWhoIAm } from './browser/me.ts'
import { onNewKey, takeKey } from './browser/sign-in.ts'
import { showTheme } from './browser/theme.ts'
import { startClock } from './data/clock.ts'
import { followStore, reconnect } from './feed/live.ts'
import { touchAll } from './feed/topics.ts'
import { listenForKeys } from './shell/shortcuts.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/views.css'
import './styles/thread.css'
import './styles/inbox.css'
import './styles/chain.css'
import './styles/job.css'
import './styles/live.css'
import './styles/imports.css'

showTheme()
takeKey()
listenForKeys()
startClock()

// The script stands in the head, so that the theme is set before anything is painted.
document.addEventListener('DOMContentLoaded', () => {
  const root = document.getElementById('app')
  if (root) render(<App />, root)
})
if (document.readyState !== 'loading') document.dispatchEvent(new Event('DOMContentLoaded'))

onNewKey(() => {
  void learnWhoIAm()
  reconnect()
  touchAll()
})

void learnWhoIAm()
void followStore()
