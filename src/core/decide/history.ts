// What a session has seen against what is true now, compared by content. No counters to forget to bump.

import type { Seen } from '../conversation/session.ts'
import type { Relation, SessionFileState } from './decision.ts'

export function relate(
  view: readonly { readonly hash: string }[],
  seen: readonly Seen[],
): Relation {
  let shared = 0
  // Only answers have anchors: a history cut after a prompt would leave that prompt unanswered.
  let fork: { shared: number; anchor: string } | null = null
  for (const { hash, anchor, isPart } of seen) {
    if (view[shared]?.hash !== hash) {
      const foreign = isForeign({ hash }) ? { foreign: seen.filter(isForeign).length } : {}
      return { kind: 'diverged', shared, seen: seen.length, fork, ...foreign }
    }
    // Still true, but not whole: it is told again with what follows.
    if (isPart) continue
    shared += 1
    if (anchor !== null) fork = { shared, anchor }
  }
  return { kind: shared === view.length ? 'same' : 'behind', shared }
}

/** The same, with what the session's own file holds: what was said in it without us is seen as well. */
export function relateFile(
  view: readonly { readonly hash: string }[],
  seen: readonly Seen[],
  file: SessionFileState,
): Relation {
  if (file.state !== 'present' || !file.foreign) return relate(view, seen)
  const { messages, lastShared } = file.foreign
  const end = seen.findLastIndex(({ anchor }) => anchor !== null && anchor === lastShared)
  const relation = relate(view, [...seen.slice(0, end + 1), FOREIGN])
  return relation.kind === 'diverged' ? { ...relation, foreign: messages } : relation
}

/** A message of others in a session. No message of a thread has this hash. */
export const FOREIGN: Seen = { hash: '', anchor: null, isPart: false }

function isForeign({ hash }: Pick<Seen, 'hash'>): boolean {
  return hash === FOREIGN.hash
}

/** How many messages of the view a session under this relation does not need to be told again. */
export function usableShare(relation: Relation, canForkAtMessage: 'can-fork' | 'cannot-fork') {
  if (relation.kind !== 'diverged') return relation.shared
  return canForkAtMessage === 'can-fork' && relation.fork ? relation.fork.shared : -1
}
