// What a view shows when there is nothing, when something is wrong, and while it waits: the layout stays.
import type { ComponentChildren } from 'preact'
import type { RepriseError } from '../../src/errors.ts'
import { sentence } from '../data/act.ts'
import { Icon, type IconName } from './icon.tsx'

type EmptyProps = {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  /** A command that brings something here. */
  readonly command?: string
  /** Where one goes instead: its name and its address. */
  readonly next?: readonly [string, string]
  /** What one can do here. */
  readonly act?: ComponentChildren
}

export function Empty({ icon, title, children, command, next, act }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && <code class="command">{command}</code>}
      {next !== undefined && (
        <a class="button" href={next[1]}>
          {next[0]}
        </a>
      )}
      {act}
    </div>
  )
}

type TroubleProps = {
  readonly error: RepriseError
  readonly retry?: () => void
  /** Where one finds the others, if this one does not exist: a name and an address. */
  readonly list?: readonly [string, string]
}

/** What, why, what to do. */
export function Trouble({ error, retry, list }: TroubleProps) {
  const isGone = error.code === 'not-found'
  return (
    <div class="trouble" role="alert">
      <h2 class="bad">
        <Icon name="failed" />
        {sentence(error.message)}
      </h2>
      <p>
        <Words text={sentence(error.hint)} />
      </p>
      {retry !== undefined && !isGone && (
        <div>
          <button type="button" class="button" onClick={retry}>
            <Icon name="retry" />
            Try again
          </button>
        </div>
      )}
      {list !== undefined && isGone && (
        <div>
          <a class="button" href={list[1]}>
            {list[0]}
          </a>
        </div>
      )}
    </div>
  )
}

/** A command between backticks is shown as one. */
function Words({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))
}

/** Rows of the height of real ones. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skeleton-row">
          <span class="skeleton" style={{ width: `${24 + ((index * 17) % 32)}%` }} />
          <span class="skeleton" style={{ width: '12%' }} />
          <span class="skeleton end" style={{ width: '8%' }} />
        </div>
      ))}
    </div>
  )
}
