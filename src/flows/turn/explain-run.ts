// Explains the stored decision of a run, or decides again with other settings.
import { viewOf } from '../../core/conversation/messages.ts'
import { decide } from '../../core/decide/decide.ts'
import { type Explanation, explain } from '../../core/decide/explain.ts'
import { estimateDecision, type Prospect } from '../../core/decide/prospect.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import { DEFAULT_RESUME } from '../../core/decide/settings.ts'
import { changesOf } from '../../core/decide/what-would-change.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { prospectOf } from './prospect-of.ts'

export async function explainRun(
  dependencies: Dependencies,
  run: Run,
  settings: Partial<ResumeSettings> | undefined,
): Promise<Explanation> {
  const { facts } = run
  if (!run.decision || !facts) {
    const what = `run ${run.id} is ${run.status}: nothing has been decided for it`
    throw new RepriseError(
      'conflict',
      what,
      `Run \`reprise runs show ${run.id}\` to see when it has started, then ask again.`,
    )
  }
  const asked = { facts, settings: { ...DEFAULT_RESUME, ...run.resumeSettings, ...settings } }
  const decision = settings ? decide(facts, asked.settings) : run.decision
  const prospect = await prospectAtStart(dependencies, run)
  const changes = changesOf(decision, asked, other => prospect && estimateDecision(other, prospect))
  return explain(decision, { changes })
}

/** `null`: the thread has changed since, so that nobody knows what the agent would have read. */
async function prospectAtStart(dependencies: Dependencies, run: Run): Promise<Prospect | null> {
  const { store, agents } = dependencies
  const { facts, threadId, agent } = run
  const adapter = agents.get(agent)?.adapter
  const thread = threadId === null ? null : await store.thread(threadId)
  if (!facts || !thread || !adapter) return null
  const branch = await store.branch(thread.id)
  const at = branch.findIndex(({ id }) => id === run.promptMessageId)
  const prompt = branch[at]
  const view = viewOf(branch.slice(0, Math.max(0, at)), thread.view, agent)
  if (!prompt || view.length !== facts.viewLength) return null
  const sessions = await store.sessions({ threadId: thread.id, agent })
  const { model, disallowedTools } = run
  const turn = { threadId: thread.id, facts, view, prompt: prompt.text, sessions, model }
  return prospectOf(dependencies, { ...turn, disallowedTools, adapter })
}
