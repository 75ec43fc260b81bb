// Compares what a session has seen with the thread, by content: no counters that somebody could forget to increase.

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
    // The session holds only a part of this answer: the prompt repeats it with what follows.
    if (isPart) continue
    shared += 1
    if (anchor !== null) fork = { shared, anchor }
  }
  return { kind: shared === view.length ? 'same' : 'behind', shared }
}

/** The same, but messages in the session's own file that Reprise did not send count as seen too. */
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

/** The hash of a foreign message in a session. No message of a thread has this hash. */
export const FOREIGN: Seen = { hash: '', anchor: null, isPart: false }

function isForeign({ hash }: Pick<Seen, 'hash'>): boolean {
  return hash === FOREIGN.hash
}

/** How many messages of the view the prompt can leave out for a session under this relation. */
export function usableShare(relation: Relation, canForkAtMessage: 'can-fork' | 'cannot-fork') {
  if (relation.kind !== 'diverged') return relation.shared
  return canForkAtMessage === 'can-fork' && relation.fork ? relation.fork.shared : -1
}
