// The palette: go to a place, an id or a title by typing; and what the foot of the rail does.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { signOut } from '../browser/sign-out.ts'
import { nextTheme, theme } from '../browser/theme.ts'
import { reprise } from '../data/client.ts'
import { useResource } from '../data/resource.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { LOW_PLACES, PLACES } from './places.ts'

const isOpen = signal(false)

export function openPalette(): void {
  isOpen.value = true
}

export function Palette() {
  return isOpen.value ? <OpenPalette /> : null
}

type Goal = {
  /** Where it leads, or what it does. */
  readonly to: string | (() => void)
  readonly icon: IconName
  readonly name: string
  readonly hint: string
}

function OpenPalette() {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useResource(text.trim().length < 2 ? null : `palette ${text}`, () =>
    reprise.threads.list({ text: text.trim(), limit: 8 }),
  ).value
  const goals = [
    ...placesLike(text),
    ...actsLike(text),
    ...idLike(text),
    ...threadGoals(found ?? []),
  ]
  const close = () => {
    isOpen.value = false
  }
  const go = (goal: Goal | undefined) => {
    if (goal === undefined) return
    close()
    if (typeof goal.to === 'string') route(goal.to)
    else goal.to()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((chosen + step + goals.length) % Math.max(1, goals.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(goals[chosen])
    }
  }
  return (
    <Dialog title="Jump to" onClose={close}>
      <input
        type="search"
        list={undefined}
        autoFocus
        // biome-ignore lint/a11y/noRedundantRoles: without a datalist the role is not implied.
        role="combobox"
        aria-label="A place, an id or words of a thread"
        aria-expanded="true"
        aria-controls="palette-goals"
        aria-activedescendant={goals.length > 0 ? `palette-${chosen}` : undefined}
        placeholder="A place, an id or words of a thread"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div class="goals" id="palette-goals" role="listbox" aria-label="Where to go">
        {goals.map((goal, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
          <div
            key={`${goal.name} ${goal.hint}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="goal"
            onClick={() => go(goal)}
          >
            <Icon name={goal.icon} />
            <span>{goal.name}</span>
            <span class="meta end">{goal.hint}</span>
          </div>
        ))}
        {goals.length === 0 && <p class="muted">Nothing has this name.</p>}
      </div>
    </Dialog>
  )
}

function placesLike(text: string): readonly Goal[] {
  return [...PLACES, ...LOW_PLACES]
    .map(({ href, icon, name, key }) => ({ to: href, icon, name, hint: `g ${key}` }))
    .filter(goal => isNamed(goal, text))
}

function actsLike(text: string): readonly Goal[] {
  const acts: readonly Goal[] = [
    { to: nextTheme, icon: 'theme', name: 'Next theme', hint: `now ${theme.value}` },
    { to: () => void signOut(), icon: 'out', name: 'Sign out', hint: 'this browser' },
  ]
  return acts.filter(goal => isNamed(goal, text))
}

function isNamed({ name }: Goal, text: string): boolean {
  return name.toLowerCase().includes(text.trim().toLowerCase())
}

const KINDS: readonly (readonly [RegExp, string, IconName])[] = [
  [/^thr_\w+$/, '/threads/', 'threads'],
  [/^run_\w+$/, '/runs/', 'live'],
  [/^chn_\w+$/, '/chains/', 'chains'],
  [/^job_\w+$/, '/jobs/', 'jobs'],
]

function idLike(text: string): readonly Goal[] {
  const id = text.trim()
  return KINDS.filter(([pattern]) => pattern.test(id)).map(([, path, icon]) => ({
    to: path + id,
    icon,
    name: id,
    hint: 'by its id',
  }))
}

type Found = { readonly id: string; readonly title: string | null; readonly workDir: string }

function threadGoals(threads: readonly Found[]): readonly Goal[] {
  return threads.map(({ id, title, workDir }) => ({
    to: `/threads/${id}`,
    icon: 'threads',
    name: title ?? id,
    hint: workDir,
  }))
}
