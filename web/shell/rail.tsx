// The rail: where one can go, what waits, and whether the page is connected.
import { useLocation } from 'preact-iso'
import { me } from '../browser/me.ts'
import { signOut } from '../browser/sign-out.ts'
import { nextTheme, theme } from '../browser/theme.ts'
import { reprise } from '../data/client.ts'
import { useResource } from '../data/resource.ts'
import { connection } from '../feed/live.ts'
import { Icon } from '../parts/icon.tsx'
import { useInboxCount } from './inbox-count.ts'
import { openPalette } from './palette.tsx'
import { isAt, LOW_PLACES, PLACES, type Place } from './places.ts'
import { useShortcut } from './shortcuts.ts'

export function Rail() {
  const waiting = useInboxCount()
  const running = useResource(
    'running',
    async () => (await reprise.runs.list({ status: 'running', limit: 200 })).length,
    ['runs'],
  ).value
  const counts: Readonly<Record<string, number | undefined>> = { '/': waiting, '/live': running }
  return (
    <aside class="rail">
      <a class="rail-mark" href="/">
        <Icon name="logo" />
        <span>Reprise</span>
      </a>
      <button type="button" class="rail-jump" onClick={openPalette}>
        <Icon name="search" />
        <span class="label">Jump to…</span>
        <kbd class="end">Ctrl K</kbd>
      </button>
      <nav aria-label="Places">
        {PLACES.map(place => (
          <PlaceLink
            key={place.href}
            place={place}
            count={counts[place.href]}
            isUrgent={place.href === '/'}
          />
        ))}
        {/* A phone has room for the places of every day; the palette has the others. */}
        <button type="button" class="rail-item rail-more" onClick={openPalette}>
          <Icon name="more" />
          <span class="label">More</span>
        </button>
      </nav>
      <div class="rail-low">
        {LOW_PLACES.map(place => (
          <PlaceLink key={place.href} place={place} />
        ))}
        <button type="button" class="rail-item" onClick={nextTheme}>
          <Icon name="theme" />
          <span class="label">Theme: {theme.value}</span>
        </button>
        <button type="button" class="rail-item" onClick={signOut}>
          <Icon name="out" />
          <span class="label">Sign out</span>
        </button>
        <ConnectionState />
      </div>
    </aside>
  )
}

type PlaceLinkProps = {
  readonly place: Place
  readonly count?: number | undefined
  readonly isUrgent?: boolean
}

function PlaceLink({ place, count = 0, isUrgent = false }: PlaceLinkProps) {
  const { path, route } = useLocation()
  useShortcut(`g ${place.key}`, `Go to ${place.name}`, () => route(place.href))
  return (
    <a
      class="rail-item"
      href={place.href}
      aria-current={isAt(path, place) ? 'page' : undefined}
      title={place.name}
    >
      <Icon name={place.icon} />
      <span class="label">{place.name}</span>
      {count > 0 && <span class={isUrgent ? 'rail-count badge' : 'rail-count'}>{count}</span>}
    </a>
  )
}

function ConnectionState() {
  const isLive = connection.value.state === 'live'
  const word = { connecting: 'Connecting', live: 'Connected', away: 'Reconnecting' }[
    connection.value.state
  ]
  return (
    <p class="rail-state" title={word}>
      <span class={isLive ? 'dot' : 'dot away'} />
      <span class="label">
        {word}
        {me.value !== null && ` · ${me.value.version}`}
      </span>
    </p>
  )
}
