// What a turn would do if it were sent now, and what it would cost. Nothing runs and nothing is stored.
import type { PreviewOptions } from '../../api.ts'
import type { Carry } from '../../core/chain/carry.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { explain } from '../../core/decide/explain.ts'
import type { Preview } from '../../core/decide/preview.ts'
import { previewNotes } from '../../core/decide/preview-notes.ts'
import { estimateDecision } from '../../core/decide/prospect.ts'
import { type Possible, waysOf } from '../../core/decide/ways.ts'
import { changesOf } from '../../core/decide/what-would-change.ts'
import { OPEN_STATUSES } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import { cutWritten, type Weighing, weighCarry } from '../sessions/carry-over.ts'
import { replayFormOf } from '../sessions/replay-form.ts'
import type { Situation } from '../turn/gather.ts'
import { foreseeTurn } from './foresee-turn.ts'

export async function previewTurn(
  dependencies: Dependencies,
  thread: ThreadRecord,
  options: PreviewOptions,
): Promise<Preview> {
  const { decision, weighing, situation, dropped } = await foreseeTurn(
    dependencies,
    thread,
    options,
  )
  const { decision: decided, facts, sessions } = weighing
  const { agent, workDir, resume, carriesNow = false } = situation
  const prospect = await weighing.prospect()
  const estimate = (other: Decision) => estimateDecision(other, prospect)
  const asked = { facts, settings: resume, carriesNow }
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

const RUNS_ASKED = 10

/** The newest runs are enough: older ones have ended before these could start. */
async function isBusy({ store }: Dependencies, threadId: string): Promise<boolean> {
  const runs = await store.listRuns({ threadId, limit: RUNS_ASKED })
  return runs.some(({ status }) => OPEN_STATUSES.includes(status))
}
