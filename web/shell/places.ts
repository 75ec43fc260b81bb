// The places of the rail, with their addresses and keys.
import type { IconName } from '../parts/icon.tsx'

export type Place = {
  readonly href: string
  readonly name: string
  readonly icon: IconName
  /** Pressed after `g`. */
  readonly key: string
}

export const PLACES: readonly Place[] = [
  { href: '/', name: 'Inbox', icon: 'inbox', key: 'i' },
  { href: '/threads', name: 'Threads', icon: 'threads', key: 't' },
  { href: '/chains', name: 'Chains', icon: 'chains', key: 'c' },
  { href: '/jobs', name: 'Jobs', icon: 'jobs', key: 'j' },
  { href: '/live', name: 'Live', icon: 'live', key: 'l' },
  { href: '/savings', name: 'Savings', icon: 'savings', key: 's' },
]

export const LOW_PLACES: readonly Place[] = [
  { href: '/sessions', name: 'Sessions', icon: 'sessions', key: 'e' },
  { href: '/agents', name: 'Agents', icon: 'agents', key: 'a' },
]

/** `/threads/thr_1` belongs to Threads; a run belongs to no place. */
export function isAt(path: string, { href }: Pick<Place, 'href'>): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
}
