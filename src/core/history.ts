// D-4: what a session has seen against what is true now, compared by content. No counters to forget to bump.
import type { Relation } from './decision.ts'
import type { Seen } from './session.ts'

export function relate(
  view: readonly { readonly hash: string }[],
  seen: readonly Seen[],
): Relation {
  const shared = sharedLength(view, seen)
  if (shared === seen.length) {
    return { kind: shared === view.length ? 'same' : 'behind', shared }
  }
  return { kind: 'diverged', shared, seen: seen.length, fork: forkPoint(seen.slice(0, shared)) }
}

/** How many messages of the view a session under this relation does not need to be told again. */
export function usableShare(relation: Relation, canForkAtMessage: 'can-fork' | 'cannot-fork') {
  if (relation.kind !== 'diverged') return relation.shared
  return canForkAtMessage === 'can-fork' && relation.fork ? relation.fork.shared : -1
}

function sharedLength(view: readonly { readonly hash: string }[], seen: readonly Seen[]): number {
  const limit = Math.min(view.length, seen.length)
  for (let index = 0; index < limit; index++) {
    if (view[index]?.hash !== seen[index]?.hash) return index
  }
  return limit
}

/** Only answers have anchors: a history cut after a prompt would leave that prompt unanswered. */
function forkPoint(shared: readonly Seen[]): { shared: number; anchor: string } | null {
  const index = shared.findLastIndex(entry => entry.anchor !== null)
  const anchor = shared[index]?.anchor
  return anchor ? { shared: index + 1, anchor } : null
}
