// Brings a conversation into the session of the next tier, or of a turn that no cache helps: whole, with long outputs cut, or as a note.
import {
  type Carry,
  type CarryOver,
  chooseCarry,
  cutOutput,
  type ExpectedUsd,
  isLong,
} from '../../core/chain/carry.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import { estimateDecision, type Prospect } from '../../core/decide/prospect.ts'
import { hashText } from '../../core/hash-text.ts'
import type { TierContext } from '../chains/tier-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Situation, waitsAtCall } from '../turn/gather.ts'
import { prospectOf } from '../turn/prospect-of.ts'
import { outputsDir } from './tier-outputs.ts'
import type { Written } from './written.ts'

export type Carrying = {
  readonly decision: Decision
  /** `null`: the run is not part of a chain. */
  readonly tierContext: TierContext | null
  /** The tools that the run may not use. */
  readonly disallowedTools: readonly string[]
  readonly source: Session
  readonly newSessionId: string | null
  readonly facts: Facts
  readonly sessions: readonly Session[]
}

export type Carried = { readonly decision: Decision; readonly written: Written | null }

/** For a tier that continues the session below in a copy, and for a turn whose session can go on. */
export async function carryOver(
  dependencies: Dependencies,
  situation: Situation,
  carrying: Carrying,
): Promise<Carried> {
  const wish = wishOf(situation, carrying)
  if (wish === null) return { decision: carrying.decision, written: null }
  const { carry, decision } = wish
  const file = await readFile(dependencies, situation, carrying)
  const outputs = file === null ? [] : longOutputsIn(situation, file)
  const cuts = cutsOf(dependencies, situation, outputs)
  const prospect = await prospectFor(dependencies, situation, carrying)
  const isTurn = carrying.tierContext === null
  const isWarm = estimateDecision(decision, prospect)?.cache.state === 'warm'
  const chosen = chooseCarry({
    carry,
    canWrite: file !== null,
    callWaits: waitsAtCall(situation.agent, carrying.source),
    longOutputs: outputs.length,
    isWarm,
    expectedUsd: expectedUsd(decision, prospect, cutBy(cuts)),
  })
  // A cache that holds the session makes it cheaper than any copy.
  if (isTurn && (isWarm || chosen.way === 'whole'))
    return { decision: carrying.decision, written: null }
  if (chosen.way === 'note') {
    const { reason, checks } = decision
    return { decision: { action: 'handover', reason, checks, carry: chosen }, written: null }
  }
  if (chosen.way === 'whole' || file === null) {
    return { decision: { ...decision, carry: chosen }, written: null }
  }
  try {
    const written = await writeTrimmed(dependencies, situation, {
      carrying,
      file,
      cuts,
    })
    return { decision: { ...decision, carry: { ...chosen, cut: cutBy(cuts) } }, written }
  } catch {
    // The disk is full, or the agent's directory is not ours: the session itself needs no file of ours.
    if (isTurn) return { decision: carrying.decision, written: null }
    return { decision: { ...decision, carry: { way: 'whole', because: 'disk' } }, written: null }
  }
}

type Fork = Extract<Decision, { action: 'fork' }>

/** What was asked for, and the copy that would go on; `null`: the decision stays as it is. */
function wishOf(
  { resume, writtenWasRefused }: Situation,
  { decision, tierContext }: Carrying,
): { readonly carry: Carry; readonly decision: Fork } | null {
  if (tierContext !== null) {
    const { carry } = tierContext.tier
    const isEntry = decision.action === 'fork' && decision.reason.code === 'tier-entered'
    return carry !== undefined && isEntry ? { carry, decision } : null
  }
  const { carry = 'whole' } = resume
  if (carry === 'whole' || decision.action !== 'resume' || writtenWasRefused) return null
  const reason = { code: 'carried-over', way: 'trimmed' } as const
  return { carry, decision: { ...decision, action: 'fork', at: null, reason } }
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

/** An output and what stands for it; the path is where all of it can be read. */
type Cut = { readonly output: string; readonly path: string; readonly short: string }

function cutsOf(
  { hiddenDir }: Dependencies,
  { threadId }: Situation,
  outputs: readonly string[],
): readonly Cut[] {
  return outputs.map(output => {
    const hash = hashText(output)
    const path = `${outputsDir(hiddenDir, threadId)}/${hash.slice(0, 32)}.txt`
    return { output, path, short: cutOutput(output, { path, hash }) }
  })
}

function cutBy(cuts: readonly Cut[]): CarryOver['cut'] & object {
  const chars = cuts.reduce((sum, { output, short }) => sum + output.length - short.length, 0)
  return { outputs: cuts.length, chars }
}

async function writeTrimmed(
  { files, fileWriter }: Dependencies,
  { agent, workDir }: Situation,
  { carrying, file, cuts }: { carrying: Carrying; file: Uint8Array; cuts: readonly Cut[] },
): Promise<Written> {
  const sessionId = carrying.newSessionId ?? ''
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles, writtenSessions } = agent.adapter
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  const trim = writtenSessions?.trim
  if (!sessionFiles || !fileWriter || !trim || home === null) {
    throw new TypeError('nobody can write this session')
  }
  for (const { path, output } of cuts) await fileWriter.write(path, output)
  const short = new Map(cuts.map(cut => [cut.output, cut.short]))
  const shorten = (output: string) => short.get(output) ?? output
  await fileWriter.write(home, trim(file, { sessionId, shorten }))
  const mark = await sessionFiles.mark(place, files)
  return { seen: carrying.source.seen, mark, undo: () => fileWriter.remove(home) }
}

/** All ways get the same prompt, so that its length does not matter. */
function prospectFor(
  dependencies: Dependencies,
  situation: Situation,
  { facts, sessions, disallowedTools }: Carrying,
): Promise<Prospect> {
  return prospectOf(dependencies, {
    ...situation,
    facts,
    prompt: '',
    sessions,
    disallowedTools,
    adapter: situation.agent.adapter,
  })
}

/** `null`: the ledger knows too little, or nobody knows the price of the model. */
function expectedUsd(
  decision: Fork,
  prospect: Prospect,
  cut: CarryOver['cut'] & object,
): ExpectedUsd | null {
  const whole = estimateDecision(decision, prospect)?.costUsd ?? null
  const carry = { way: 'trimmed', because: 'cheaper', cut } as const
  const trimmed = estimateDecision({ ...decision, carry }, prospect)?.costUsd ?? null
  return whole === null || trimmed === null ? null : { whole, trimmed }
}
