// Decides how a turn continues. Decides again while the answer is `wait`, and after it restored a lost session file.

import type { Session } from '../../core/conversation/session.ts'
import { afterRefusal, decide } from '../../core/decide/decide.ts'
import type { Decision, Facts, Reason, RestoredCopy } from '../../core/decide/decision.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { gather, type Situation } from './gather.ts'
import type { TurnInput } from './turn-input.ts'

export type Decided = {
  readonly decision: Decision
  readonly facts: Facts
  /** The session that the run continues or forks. */
  readonly source: Session | null
  /** All sessions of the thread and the agent. */
  readonly sessions: readonly Session[]
}

export async function decideWhenFree(
  dependencies: Dependencies,
  situation: Situation,
  { input, refused }: { input: TurnInput; refused: Reason | null },
): Promise<Decided> {
  const restored = new Map<string, RestoredCopy>()
  for (;;) {
    const { facts, sessions } = await gather(dependencies, { ...situation, restored })
    const decided = decide(facts, situation.resume)
    const decision = refused ? afterRefusal(decided, refused, facts) : decided
    const wanted = 'session' in decision ? decision.session.id : null
    const source = sessions.find(session => session.id === wanted) ?? null
    const lost = facts.sessions.find(({ id }) => id === wanted)
    if (source && lost?.file.state === 'restorable') {
      const { path, detail: because, keptAt } = lost.file
      // The loop inspects the restored file again: the copy may be as damaged as the file was.
      restored.set(source.id, { because, ...(keptAt !== undefined && { keptAt }) })
      const { workDir } = situation
      if ((await putBack(dependencies, source, path)) && lost.workDir !== workDir)
        await dependencies.store.moveSession(input.lease, source.id, workDir)
      continue
    }
    if (decision.action !== 'wait') return { decision, facts, source, sessions }
    await waitABit(dependencies, input)
  }
}

/** Gives whether the file is there again. Where it cannot be written, the session stays lost, and the agent may still answer. */
async function putBack({ vault }: Dependencies, source: Session, path: string): Promise<boolean> {
  try {
    return await vault.restore(source, path)
  } catch (error) {
    if (error instanceof RepriseError) throw error
    // The disk is full, or the agent's directory is not ours.
    return false
  }
}

export async function waitABit(
  { clock, timing }: Dependencies,
  { signal }: TurnInput,
): Promise<void> {
  await clock.sleep(timing.queuePollMs, signal)
  if (!signal.aborted) return
  throw new RepriseError(
    'cancelled',
    'the turn was cancelled while it waited',
    'Send the prompt again: `reprise send -t`.',
  )
}
