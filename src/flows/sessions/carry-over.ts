// Brings the conversation of the tier below into the session of the next tier: whole, with long outputs cut, or as a note.
import { type CarryOver, chooseCarry, cutOutput, isLong } from '../../core/chain/carry.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { hashText } from '../../core/hash-text.ts'
import { cacheStateOf } from '../../core/money/cache-state.ts'
import { sameWholeTools } from '../../core/money/same-tools.ts'
import { forbiddenIn, type TierContext } from '../chains/tier-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Situation, waitsAtCall } from '../turn/gather.ts'
import { outputsDir } from './tier-outputs.ts'
import type { Written } from './written.ts'

export type Carrying = {
  readonly decision: Decision
  readonly tierContext: TierContext
  readonly source: Session
  readonly newSessionId: string | null
}

export type Carried = { readonly decision: Decision; readonly written: Written | null }

/** Only for a decision to continue the session below in a copy. */
export async function carryOver(
  dependencies: Dependencies,
  situation: Situation,
  carrying: Carrying,
): Promise<Carried> {
  const { decision, tierContext } = carrying
  const { carry } = tierContext.tier
  const isEntry = decision.action === 'fork' && decision.reason.code === 'tier-entered'
  if (carry === undefined || !isEntry) return { decision, written: null }
  const file = await readFile(dependencies, situation, carrying)
  const outputs = file === null ? [] : longOutputsIn(situation, file)
  const chosen = chooseCarry({
    carry,
    canWrite: file !== null,
    callWaits: waitsAtCall(situation.agent, carrying.source),
    longOutputs: outputs.length,
    isWarm: isWarm(dependencies, situation, carrying),
  })
  if (chosen.way === 'note') {
    const { reason, checks } = decision
    return { decision: { action: 'handover', reason, checks, carry: chosen }, written: null }
  }
  if (chosen.way === 'whole' || file === null) {
    return { decision: { ...decision, carry: chosen }, written: null }
  }
  try {
    const { written, cut } = await writeTrimmed(dependencies, situation, {
      carrying,
      file,
      outputs,
    })
    return { decision: { ...decision, carry: { ...chosen, cut } }, written }
  } catch {
    // The disk is full, or the agent's directory is not ours: the fork needs no file of ours.
    return { decision: { ...decision, carry: { way: 'whole', because: 'disk' } }, written: null }
  }
}

/** `null`: nobody can write a copy for this agent. */
async function readFile(
  { files, fileWriter }: Dependencies,
  { agent }: Situation,
  { source, newSessionId }: Carrying,
): Promise<Uint8Array | null> {
  const { adapter, runtime, fullEnv: env } = agent
  const { sessionFiles, writtenSessions } = adapter
  const canWrite = writtenSessions?.trim && writtenSessions.areTaken(runtime)
  if (!canWrite || !sessionFiles || !fileWriter || newSessionId === null) return null
  const place = { sessionId: source.sessionId, workDir: source.workDir, env }
  const { found } = await sessionFiles.locate(place, files)
  return found === null ? null : files.read(found)
}

function longOutputsIn({ agent }: Situation, file: Uint8Array): readonly string[] {
  const outputs = new Set<string>()
  const collect = (output: string) => {
    if (isLong(output)) outputs.add(output)
    return output
  }
  agent.adapter.writtenSessions?.trim?.(file, { sessionId: '', shorten: collect })
  return [...outputs]
}

async function writeTrimmed(
  { files, fileWriter, hiddenDir }: Dependencies,
  { agent, threadId, workDir }: Situation,
  work: {
    readonly carrying: Carrying
    readonly file: Uint8Array
    readonly outputs: readonly string[]
  },
): Promise<{ readonly written: Written; readonly cut: CarryOver['cut'] & object }> {
  const { carrying, file, outputs } = work
  const sessionId = carrying.newSessionId ?? ''
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles, writtenSessions } = agent.adapter
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  const trim = writtenSessions?.trim
  if (!sessionFiles || !fileWriter || !trim || home === null) {
    throw new TypeError('nobody can write this session')
  }
  const short = new Map<string, string>()
  for (const output of outputs) {
    const hash = hashText(output)
    const path = `${outputsDir(hiddenDir, threadId)}/${hash.slice(0, 32)}.txt`
    await fileWriter.write(path, output)
    short.set(output, cutOutput(output, { path, hash }))
  }
  const shorten = (output: string) => short.get(output) ?? output
  await fileWriter.write(home, trim(file, { sessionId, shorten }))
  const chars = [...short].reduce((sum, [all, rest]) => sum + all.length - rest.length, 0)
  const mark = await sessionFiles.mark(place, files)
  const written = { seen: carrying.source.seen, mark, undo: () => fileWriter.remove(home) }
  return { written, cut: { outputs: outputs.length, chars } }
}

/** The prompt cache holds the conversation for the same model and the same tools. */
function isWarm(
  { clock }: Dependencies,
  { agent, model }: Situation,
  { source, tierContext }: Carrying,
): boolean {
  const last = tierContext.runs.findLast(({ sessionId }) => sessionId === source.sessionId)
  if (!last) return false
  const { state } = cacheStateOf({
    ageMs: clock.now() - source.lastMessageAt,
    life: '5m',
    sameModel: model !== null && last.model === model,
    sameTools: sameWholeTools(forbiddenIn(tierContext.tier, agent), last.disallowedTools),
  })
  return state === 'warm'
}
