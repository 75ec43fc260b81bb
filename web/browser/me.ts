// Who this page is to the daemon, and what it may do. The API alone decides; the page only says so before.
import { signal } from '@preact/signals'
import type { Me } from '../../src/daemon/contract/report.ts'
import { SCOPE_MEANINGS, type Scope } from '../../src/daemon/contract/scope.ts'
import { reprise } from '../data/client.ts'
import { asKnown } from '../data/resource.ts'

export const me = signal<Me | null>(null)

export async function learnWhoIAm(): Promise<void> {
  try {
    me.value = await reprise.me()
  } catch (error) {
    asKnown(error)
  }
}

/** A scope; or `person` for what only a person may decide: scope `approve`, and no token that an agent could read. */
export type Right = Scope | 'person'

/** Why this page may not do it; `null` when it may, or when that is not known yet. */
export function refusalOf(right: Right): string | null {
  if (me.value === null) return null
  const scope = right === 'person' ? 'approve' : right
  if (!me.value.scopes.includes(scope)) {
    return `This sign-in has no scope "${scope}": it may not ${SCOPE_MEANINGS[scope]}.`
  }
  if (right !== 'person' || !me.value.isExposed) return null
  return 'A person has to decide this, and this browser was signed in with the token of the data directory, which agents can read. Run `reprise login` in a terminal and open the address that it prints.'
}
