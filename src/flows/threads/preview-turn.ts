// What a turn would do if it were sent now, and what it would cost. Nothing runs and nothing is stored.
import type { PreviewOptions } from '../../api.ts'
import type { Carry } from '../../core/chain/carry.ts'
import { noteText, usableNote } from '../../core/chain/handover-note.ts'
import { buildThreadNote } from '../../core/chain/thread-note.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { decide } from '../../core/decide/decide.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { explain } from '../../core/decide/explain.ts'
import type { Preview } from '../../core/decide/preview.ts'
import { previewNotes } from '../../core/decide/preview-notes.ts'
import { estimateDecision } from '../../core/decide/prospect.ts'
import { type Possible, waysOf } from '../../core/decide/ways.ts'
import { changesOf } from '../../core/decide/what-would-change.ts'
import { OPEN_STATUSES } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent, inProject } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { askedCarry, cutWritten, type Weighing, weighCarry } from '../sessions/carry-over.ts'
import { replayFormOf } from '../sessions/replay-form.ts'
import { gather, type Situation } from '../turn/gather.ts'
import { prospectOf } from '../turn/prospect-of.ts'
import { workDirFor } from '../turn/send-turn.ts'
import { beforeRetried, upTo } from './branch-cuts.ts'

export async function previewTurn(
  dependencies: Dependencies,
  thread: ThreadRecord,
  options: PreviewOptions,
): Promise<Preview> {
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
  const note = usableNote(buildThreadNote(view))
  const prospect = await prospectOf(dependencies, {
    ...{ threadId: thread.id, facts, view, prompt, sessions, model, disallowedTools },
    ...(note && { note: noteText(note) }),
    adapter: agent.adapter,
  })
  const estimate = (other: Decision) => estimateDecision(other, prospect)
  const weighing = { decision: decided, facts, sessions, prospect: async () => prospect }
  const weighed = { ...weighing, carry: askedCarry(situation) }
  const { decision } = await weighCarry(dependencies, situation, weighed)
  const asked = { facts, settings: resume }
  const replayed = { ...situation, resume: { ...resume, replay: 'native' as const } }
  const written = await replayFormOf(dependencies, replayed, sessions)
  const carried = await carriedWays(dependencies, situation, weighing)
  const canWrite = written.form === 'native'
  const withCuts = (other: Decision) => cutWritten(dependencies, situation, other)
  const changes =
    decision.action === decided.action
      ? changesOf(decision, asked, estimate)
      : [{ action: decided.action, words: withCarry('whole'), estimate: estimate(decided) }]
  return {
    ...explain(decision, { tense: 'future', changes }),
    estimate: estimate(decision),
    ways: waysOf(decision, { ...asked, canWrite, decided, carried, withCuts }, estimate),
    notes: previewNotes({
      isBusy: await isBusy(dependencies, thread.id),
      dropped,
      workDir,
      writingTools: agent.adapter.tools.writing,
      shellTools: agent.adapter.tools.shells,
    }),
  }
}

/** What each `carry` of the turn itself would lead to. */
export async function carriedWays(
  dependencies: Dependencies,
  situation: Situation,
  weighing: Omit<Weighing, 'carry'>,
): Promise<readonly Possible[]> {
  const ways: Possible[] = []
  for (const carry of ['whole', 'trimmed', 'note'] as const) {
    const asking = { ...situation, carriesNow: true }
    const { decision } = await weighCarry(dependencies, asking, { ...weighing, carry })
    ways.push({ decision, words: withCarry(carry) })
  }
  return ways
}

function withCarry(carry: Carry): string {
  return `with carry: ${carry}`
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

const RUNS_ASKED = 10

/** The newest runs are enough: older ones have ended before these could start. */
async function isBusy({ store }: Dependencies, threadId: string): Promise<boolean> {
  const runs = await store.listRuns({ threadId, limit: RUNS_ASKED })
  return runs.some(({ status }) => OPEN_STATUSES.includes(status))
}
