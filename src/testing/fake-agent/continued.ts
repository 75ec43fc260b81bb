// What a continued session of the fake agent starts with: its completed history, its instructions, its model.
import type { Arguments } from './input/arguments.ts'
import type { Opened } from './open-session.ts'
import { blocksOf, type ChainLine, danglingCalls, fileMessageOf } from './session-file.ts'
import { type TurnState, writeLine, writeMessage } from './turn.ts'
import type { Habits } from './versions.ts'
import type { AgentWorld } from './world.ts'

export type OpenedSession = Extract<Opened, { kind: 'opened' }>

export async function instructionsGiven(
  args: Arguments,
  world: AgentWorld,
): Promise<string | null> {
  if (args.instructionsFile === null) return args.instructions
  const bytes = await world.files.read(args.instructionsFile)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

/** For an agent that keeps to the instructions of a session's first run. */
export function instructionsInForce({ saved }: OpenedSession, given: string | null): string | null {
  if (saved === null) return given
  const snapshot = saved.chain.findLast(line => snapshotOf(line) !== undefined)
  return snapshot === undefined ? given : (snapshotOf(snapshot)?.instructions ?? null)
}

function snapshotOf(line: ChainLine): { instructions: string | null } | undefined {
  const attachment = line.attachment as { type?: string; instructions?: string | null } | undefined
  if (attachment?.type !== 'prompt_snapshot') return undefined
  return { instructions: attachment.instructions ?? null }
}

/** Closes the open calls of an interrupted turn, as the real program does before it continues. */
export function healedChain(
  { saved, sessionId }: OpenedSession,
  habits: Habits,
  world: AgentWorld,
): readonly ChainLine[] {
  if (saved === null) return []
  const [dangling] = danglingCalls(saved.chain)
  const line = (parentUuid: string | null) => ({
    uuid: world.uuid(),
    parentUuid,
    isSidechain: false,
    sessionId,
    timestamp: new Date(world.clock.now()).toISOString(),
    version: habits.version,
  })
  if (dangling !== undefined && habits.tellsInterruptedCalls) {
    const call = blocksOf(dangling).find(block => block.type === 'tool_use')
    const words =
      "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"
    const result = { type: 'tool_result', tool_use_id: call?.id, content: words, is_error: true }
    const message = { role: 'user', content: [result] }
    return [...saved.chain, { ...line(saved.chain.at(-1)?.uuid ?? null), type: 'user', message }]
  }
  const kept =
    dangling === undefined ? saved.chain : saved.chain.slice(0, saved.chain.indexOf(dangling))
  const leaf = kept.findLast(item => item.type !== 'attachment')
  if (leaf === undefined || leaf.type === 'assistant') return kept
  const message = {
    id: world.uuid(),
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text: 'No response requested.' }],
  }
  return [...kept, { ...line(kept.at(-1)?.uuid ?? null), type: 'assistant', message }]
}

/** Copies what a fork continues, closes what was left open, keeps the instructions of a first run. */
export async function writeBefore(
  turn: TurnState,
  {
    opened,
    chain,
    instructions,
  }: { opened: OpenedSession; chain: readonly ChainLine[]; instructions: string | null },
): Promise<void> {
  const known = new Set(opened.copies ? [] : opened.saved?.chain.map(line => line.uuid))
  for (const line of chain)
    if (!known.has(line.uuid)) await writeLine(turn, { ...line, sessionId: turn.sessionId })
  if (opened.saved !== null || !turn.habits.keepsInstructions) return
  const attachment = { type: 'prompt_snapshot', instructions }
  await writeMessage(turn, { type: 'attachment', attachment })
}

export function modelOf(chain: readonly ChainLine[]): string | null {
  const models = chain
    .filter(line => line.type === 'assistant')
    .map(line => String(fileMessageOf(line).model))
  return models.findLast(model => model !== '<synthetic>') ?? null
}
