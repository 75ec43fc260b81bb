// Who this page is to the daemon, and what it may do. The API alone decides; the page only says so before.
import { signal } from '@preact/signals'
import type { Me } from '../../src/daemon/contract/report.ts'
import { SCOPE_MEANINGS, type Scope } from '../../src/daemon/contract/scope.ts'
import { reprise } from './client.ts'
import { asKnown } from './resource.ts'

export const me = signal<Me | null>(null)

export async function learnWhoIAm(): Promise<void> {
  try {
    me.value = await reprise.me()
  } catch (error) {
    asKnown(error)
  }
}

/** Why this page may not do it; `null` when it may, or when that is not known yet. */
export function refusalOf(scope: Scope): string | null {
  if (me.value === null || me.value.scopes.includes(scope)) return null
  return `This sign-in has no scope "${scope}": it may not ${SCOPE_MEANINGS[scope]}.`
}
