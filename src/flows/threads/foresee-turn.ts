// How a turn would continue if it were sent now. Nothing runs and nothing is stored.
import type { PreviewOptions } from '../../api.ts'
import { noteText, usableNote } from '../../core/chain/handover-note.ts'
import { buildThreadNote } from '../../core/chain/thread-note.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { decide } from '../../core/decide/decide.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Prospect } from '../../core/decide/prospect.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent, inProject } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { askedCarry, type Weighing, weighCarry } from '../sessions/carry-over.ts'
import { gather, type Situation } from '../turn/gather.ts'
import { prospectOf } from '../turn/prospect-of.ts'
import { workDirFor } from '../turn/send-turn.ts'
import { beforeRetried, upTo } from './branch-cuts.ts'

export type Foreseen = {
  readonly decision: Decision
  /** What is weighed: the decision before `carry` counts, and its facts. */
  readonly weighing: Omit<Weighing, 'carry'>
  readonly situation: Situation
  /** The messages that leave the branch; `null`: the turn goes on from the last message. */
  readonly dropped: readonly Message[] | null
}

/** Reads what the decision depends on, and prices only where they count: a caller may wait for this before its turn is stored. */
export async function foreseeTurn(
  dependencies: Dependencies,
  thread: ThreadRecord,
  options: PreviewOptions,
): Promise<Foreseen> {
  const found = await findAgent(dependencies, options.agent ?? thread.agent)
  const workDir = await workDirFor(dependencies, thread, options)
  const settings = await dependencies.settingsFor(workDir)
  const carry = options.carry ?? thread.carry ?? settings.resume.carry
  const resume = {
    ...settings.resume,
    ...(thread.workspace && { onWorkDirChange: 'relocate' as const }),
    ...(carry && { carry }),
  }
  const agent = inProject(found, settings)
  const model = options.model ?? agent.model
  const { prompt, kept, dropped } = await cutFor(dependencies, thread.id, options)
  const view = viewOf(kept, thread.view, agent.name)
  const situation: Situation = {
    ...{ agent, threadId: thread.id, view, workDir, model, resume },
    freshSession: options.freshSession ?? false,
    carriesNow: options.carry !== undefined,
  }
  const { facts, sessions } = await gather(dependencies, situation)
  const decided = decide(facts, resume)
  const { disallowedTools = [] } = options
  let looked: Promise<Prospect> | null = null
  const prospect = () => {
    looked ??= prospectOf(dependencies, {
      ...{ threadId: thread.id, facts, view, prompt, sessions, model, disallowedTools },
      ...noteIn(view),
      adapter: agent.adapter,
    })
    return looked
  }
  const weighing = { decision: decided, facts, sessions, prospect }
  const weighed = { ...weighing, carry: askedCarry(situation) }
  const { decision } = await weighCarry(dependencies, situation, weighed)
  return { decision, weighing, situation, dropped }
}

function noteIn(view: readonly Message[]): { readonly note?: string } {
  const note = usableNote(buildThreadNote(view))
  return note ? { note: noteText(note) } : {}
}

type Cut = {
  readonly prompt: string
  readonly kept: readonly Message[]
  /** `null`: the turn goes on from the last message. */
  readonly dropped: readonly Message[] | null
}

async function cutFor(
  dependencies: Dependencies,
  threadId: string,
  { prompt = '', retry, after }: PreviewOptions,
): Promise<Cut> {
  const branch = await dependencies.store.branch(threadId)
  if (retry === undefined) {
    if (after === undefined) return { prompt, kept: branch, dropped: null }
    const kept = upTo(branch, threadId, after)
    return { prompt, kept, dropped: branch.slice(kept.length) }
  }
  if (after !== undefined) {
    const what = 'a preview goes on after a message or asks one again, not both'
    throw new RepriseError('bad-input', what, 'Give `after` or `retry`.')
  }
  const unsent = await unsentPrompt(dependencies, threadId, { branch, messageId: retry })
  if (unsent) return { prompt: prompt || unsent.text, kept: branch, dropped: null }
  const asked = beforeRetried(branch, threadId, retry)
  const dropped = branch.slice(asked.kept.length)
  return { prompt: prompt || asked.prompt.text, kept: asked.kept, dropped }
}

/** A prompt that never ran is not on the branch; a retry simply sends it. */
export async function unsentPrompt(
  { store }: Dependencies,
  threadId: string,
  { branch, messageId }: { branch: readonly Message[]; messageId: string },
): Promise<Message | null> {
  if (branch.some(message => message.id === messageId)) return null
  if ((await store.threadOfMessage(messageId)) !== threadId) return null
  const message = await store.message(messageId)
  const run = message?.runId ? await store.run(message.runId) : null
  return run && run.startedAt === null ? message : null
}
