// Brings a conversation to a run in the way that `carry` asks for: the session as it is, a copy with long outputs cut, or a note.
import {
  type Carry,
  type CarryOver,
  chooseCarry,
  cutOutput,
  cutPreview,
  type ExpectedUsd,
  isLong,
} from '../../core/chain/carry.ts'
import type { Session } from '../../core/conversation/session.ts'
import { type CarryWish, carryWish, fitsWithout } from '../../core/decide/carry-wish.ts'
import { isNative } from '../../core/decide/continuation.ts'
import type { Decision, Facts, PromptBecause } from '../../core/decide/decision.ts'
import { estimateDecision, type Prospect } from '../../core/decide/prospect.ts'
import { hashText } from '../../core/hash-text.ts'
import { tokensOfChars } from '../../core/money/estimate.ts'
import { isStoredPart } from '../../core/run/observe.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Situation, waitsAtCall } from '../turn/gather.ts'
import { canTrim } from './can-trim.ts'
import { outputsDir } from './tier-outputs.ts'
import type { Written } from './written.ts'

export type Weighing = {
  readonly decision: Decision
  readonly facts: Facts
  readonly sessions: readonly Session[]
  /** What was asked for; absent: nothing. */
  readonly carry: Carry | undefined
  /** Looked up only where prices count. */
  readonly prospect: () => Promise<Prospect>
}

export type Weighed = {
  readonly decision: Decision
  /** What stands for the long outputs, where they are cut. */
  readonly cuts: readonly Cut[]
  /** The file that is copied; `null`: none is. */
  readonly copied: { readonly source: Session; readonly file: Uint8Array } | null
}

/** How the conversation reaches the run: as it was decided, or in the way that `carry` asks for. Nothing is written. */
export async function weighCarry(
  dependencies: Dependencies,
  situation: Situation,
  weighing: Weighing,
): Promise<Weighed> {
  const { decision, facts, carry } = weighing
  const { resume: settings, writtenWasRefused = false } = situation
  const wish = carryWish(decision, { carry, facts, settings, writtenWasRefused })
  if (wish === null) return asDecided(decision)
  if (wish.kind === 'note') return asDecided(wish.decision)
  if (wish.kind === 'replay') return weighReplay(dependencies, situation, wish)
  return weighCopy(dependencies, situation, { ...weighing, wish })
}

/** What a turn asks for. A fresh session is replayed, unless the same turn says otherwise: a standing wish for a note does not count. */
export function askedCarry({ resume, carriesNow, freshSession }: Situation): Carry | undefined {
  const isReplayed = freshSession && !carriesNow && resume.carry !== 'whole'
  return isReplayed ? undefined : resume.carry
}

function asDecided(decision: Decision): Weighed {
  return { decision, cuts: [], copied: null }
}

type Wish<Kind extends CarryWish['kind']> = Extract<CarryWish, { kind: Kind }>

/**
 * No cache holds a session that we write, so each character is paid for. But the paths of cut outputs hold on this host alone: where
 * another one may go on with the session, somebody must ask for the cut.
 */
function weighReplay(
  dependencies: Dependencies,
  situation: Situation,
  { carry, decision }: Wish<'replay'>,
): Weighed {
  const isAsked =
    [carry, situation.resume.carry].includes('trimmed') || situation.resume.carry === 'auto'
  if (dependencies.vault.isShared && !isAsked) return asDecided(decision)
  const results = situation.view.flatMap(({ tools }) => tools.map(({ result }) => result ?? ''))
  const cuts = cutsOf(dependencies, situation, [...new Set(results.filter(isLong))])
  if (cuts.length === 0) return asDecided(decision)
  const because = carry === 'auto' ? 'cache-cold' : 'set'
  const trimmed = { way: 'trimmed', because, cut: cutBy(cuts) } as const
  return { decision: { ...decision, carry: trimmed }, cuts, copied: null }
}

/** The decision as a turn would carry it out that asked for nothing else: of a session that we write, with what it leaves out. */
export function cutWritten(
  dependencies: Dependencies,
  situation: Situation,
  decision: Decision,
): Decision {
  if (!isNative(decision) || situation.resume.carry === 'whole') return decision
  return weighReplay(dependencies, situation, { kind: 'replay', carry: 'auto', decision }).decision
}

async function weighCopy(
  dependencies: Dependencies,
  situation: Situation,
  { wish, facts, sessions, ...weighing }: Weighing & { wish: Wish<'copy'> },
): Promise<Weighed> {
  const { carry, decision, isTooFull } = wish
  const source = sessions.find(({ id }) => id === decision.session.id)
  if (!source) return asDecided(weighing.decision)
  const prospect = await weighing.prospect()
  const isWarm = estimateDecision(decision, prospect)?.cache.state === 'warm'
  const isTurn = facts.purpose === undefined
  // A cache that holds the session makes it cheaper than any copy, so nobody reads the file, which may be long.
  if (isTurn && isWarm && !isTooFull && !situation.carriesNow && carry !== 'note')
    return asDecided(weighing.decision)
  const file = await readFile(dependencies, situation, source)
  const cuts = cutsOf(dependencies, situation, file ? longOutputsIn(situation, file) : [])
  const callWaits = waitsAtCall(situation.agent, source)
  const copied = file && { source, file }
  if (isTooFull) {
    const tokens = tokensOfChars(cutBy(cuts).chars)
    const room = { facts, settings: situation.resume, sessionId: source.id }
    if (!copied || callWaits || !fitsWithout(tokens, room)) return asDecided(weighing.decision)
    const fits = { way: 'trimmed', because: 'fits', cut: cutBy(cuts) } as const
    return { decision: { ...decision, carry: fits }, cuts, copied }
  }
  const chosen = chooseCarry({
    carry,
    canWrite: copied !== null,
    callWaits,
    longOutputs: cuts.length,
    isWarm,
    expectedUsd: expectedUsd(decision, prospect, cutBy(cuts)),
  })
  if (chosen.way === 'note') {
    const { reason, checks } = decision
    return asDecided({ action: 'handover', reason, checks, carry: chosen })
  }
  if (isTurn && chosen.way === 'whole') return asDecided(weighing.decision)
  if (chosen.way === 'whole') return asDecided({ ...decision, carry: chosen })
  return { decision: { ...decision, carry: { ...chosen, cut: cutBy(cuts) } }, cuts, copied }
}

/** Writes the copy of a session that was weighed. */
export async function writeCopy(
  dependencies: Dependencies,
  situation: Situation,
  weighed: Weighed & { readonly decided: Decision; readonly newSessionId: string },
): Promise<{ readonly decision: Decision; readonly written: Written | null }> {
  const { decision, decided } = weighed
  try {
    return { decision, written: await writeTrimmed(dependencies, situation, weighed) }
  } catch {
    // The disk is full, or the agent's directory is not ours.
    return { decision: withoutFile(decided), written: null }
  }
}

/** What goes on without a file of ours. */
export function withoutFile(
  decided: Decision,
  formBecause: Extract<PromptBecause, 'disk' | 'unsound'> = 'disk',
): Decision {
  if (decided.action === 'fork') return { ...decided, carry: { way: 'whole', because: 'disk' } }
  if (!isNative(decided)) return decided
  const { carry: _, ...replay } = decided
  return { ...replay, form: 'prompt', formBecause }
}

/** `null`: nobody can write a copy for this agent, or there is no file. */
async function readFile(
  dependencies: Dependencies,
  { agent }: Situation,
  source: Session,
): Promise<Uint8Array | null> {
  if (!canTrim(dependencies, agent)) return null
  const { files } = dependencies
  const place = { sessionId: source.sessionId, workDir: source.workDir, env: agent.fullEnv }
  const found = (await agent.adapter.sessionFiles?.locate(place, files))?.found ?? null
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

/** An output and what stands for it; the path is where all that we have of it can be read. */
export type Cut = { readonly output: string; readonly path: string; readonly short: string }

function cutsOf(
  { hiddenDir }: Dependencies,
  { threadId, agent }: Situation,
  outputs: readonly string[],
): readonly Cut[] {
  return outputs.map(output => {
    const hash = hashText(output)
    const path = `${outputsDir(hiddenDir, threadId)}/${hash.slice(0, 32)}.txt`
    const head = agent.adapter.writtenSessions?.previewHead?.(output) ?? null
    const kept = { path, hash, isPart: isStoredPart(output) }
    const short = head === null ? cutOutput(output, kept) : cutPreview({ head, path })
    return { output, path, short }
  })
}

function cutBy(cuts: readonly Cut[]): CarryOver['cut'] & object {
  const chars = cuts.reduce((sum, { output, short }) => sum + output.length - short.length, 0)
  return { outputs: cuts.length, chars }
}

async function writeTrimmed(
  dependencies: Dependencies,
  { agent, workDir }: Situation,
  {
    copied,
    cuts,
    newSessionId: sessionId,
  }: Pick<Weighed, 'copied' | 'cuts'> & { newSessionId: string },
): Promise<Written> {
  const { files, fileWriter } = dependencies
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles, writtenSessions } = agent.adapter
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  const trim = writtenSessions?.trim
  if (!copied || !sessionFiles || !fileWriter || !trim || home === null) {
    throw new TypeError('nobody can write this session')
  }
  const shorten = await keepOutputs(dependencies, cuts)
  await fileWriter.write(home, trim(copied.file, { sessionId, shorten }))
  const mark = await sessionFiles.mark(place, files)
  return { seen: copied.source.seen, model: null, mark, undo: () => fileWriter.remove(home) }
}

/** Keeps the outputs where an agent can read them again; gives what stands for an output. */
export async function keepOutputs(
  { fileWriter }: Dependencies,
  cuts: readonly Cut[],
): Promise<(output: string) => string> {
  for (const { path, output } of cuts) await fileWriter?.write(path, output)
  const short = new Map(cuts.map(cut => [cut.output, cut.short]))
  return output => short.get(output) ?? output
}

/** `null`: the ledger knows too little, or nobody knows the price of the model. */
function expectedUsd(
  decision: Wish<'copy'>['decision'],
  prospect: Prospect,
  cut: CarryOver['cut'] & object,
): ExpectedUsd | null {
  const whole = estimateDecision(decision, prospect)?.costUsd ?? null
  const carry = { way: 'trimmed', because: 'cheaper', cut } as const
  const trimmed = estimateDecision({ ...decision, carry }, prospect)?.costUsd ?? null
  return whole === null || trimmed === null ? null : { whole, trimmed }
}
