// Session files as Claude Code keeps them: where they are, and what a resume reads from one.
import { join } from 'node:path'
import type { Usage } from '../../core/run/events.ts'
import type { Files } from '../../core/world.ts'
import type { SaidLine } from './journal.ts'

export type FileBlock = Readonly<Record<string, unknown>> & { readonly type: string }

/** A line that is part of the tree of messages. */
export type ChainLine = Readonly<Record<string, unknown>> & {
  readonly type: 'user' | 'assistant' | 'attachment'
  readonly uuid: string
  readonly parentUuid: string | null
}

export type SavedCosts = {
  readonly totalUsd: number
  readonly models: Readonly<Record<string, { usage: Usage; costUsd: number }>>
}

export type SavedSession = {
  readonly path: string
  /** From the root to the last leaf, or to the cut. */
  readonly chain: readonly ChainLine[]
  readonly costs: SavedCosts
}

export type Loaded =
  | { readonly kind: 'loaded'; readonly session: SavedSession }
  | { readonly kind: 'refused'; readonly words: string }
  /** A known fault of the real program: it waits for ever. */
  | { readonly kind: 'hangs' }

export const NO_COSTS: SavedCosts = { totalUsd: 0, models: {} }

export type FakeSessionPlace = {
  readonly files: Files
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Also looks below the directories of other work dirs. */
  readonly everywhere: boolean
}

export async function fakeSessionPath(place: FakeSessionPlace, sessionId: string): Promise<string> {
  const real = (await place.files.realpath(place.cwd)) ?? place.cwd
  return join(projectsDirectory(place.env), encodeWorkDir(real), `${sessionId}.jsonl`)
}

export async function loadSession(
  place: FakeSessionPlace,
  sessionId: string,
  at: string | null,
): Promise<Loaded> {
  const unknown = refused(`No conversation found with session ID: ${sessionId}`)
  const path = await findSession(place, sessionId)
  if (path === null) return unknown
  if ((await place.files.stat(path))?.kind === 'directory')
    return refused('Failed to resume session: EISDIR: illegal operation on a directory, read')
  const bytes = await place.files.read(path)
  const lines = new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')
  const values = lines.map(parseLine)
  if (values.includes(null))
    return refused("Failed to resume session: null is not an object (evaluating 'e.type')")
  const tree = values.filter(isChainLine)
  if (!tree.some(line => line.type !== 'attachment')) return unknown
  if (tree.some(line => line.type === 'assistant' && fileMessageOf(line).model === undefined))
    return { kind: 'hangs' }
  const chain = chainTo(tree, tree.at(-1)?.uuid ?? null)
  const end = at === null ? chain.length - 1 : chain.findIndex(line => line.uuid === at)
  if (end === -1) return refused(`No message found with message.uuid of: ${at}`)
  const costs = costsOf(values)
  return { kind: 'loaded', session: { path, chain: chain.slice(0, end + 1), costs } }
}

/** What the model would see of a chain of messages; failed requests of the agent are left out. */
export function historyOf(chain: readonly ChainLine[]): readonly SaidLine[] {
  return (
    chain
      .filter(line => line.type !== 'attachment' && line.isApiErrorMessage !== true)
      .flatMap(line => blocksOf(line).map(block => said(line.type, block)))
      // The API takes no blank text; the real program leaves it out.
      .filter(({ role, text }) => role === 'tool' || text.trim() !== '')
  )
}

export function fileMessageOf(line: ChainLine): Readonly<Record<string, unknown>> {
  return (line.message ?? {}) as Readonly<Record<string, unknown>>
}

export function blocksOf(line: ChainLine): readonly FileBlock[] {
  const { content } = fileMessageOf(line)
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as readonly FileBlock[]) : []
}

/** Calls of the chain that never got their result. */
export function danglingCalls(chain: readonly ChainLine[]): readonly ChainLine[] {
  const answered = new Set(chain.flatMap(blocksOf).map(block => block.tool_use_id))
  return chain.filter(line =>
    blocksOf(line).some(block => block.type === 'tool_use' && !answered.has(block.id)),
  )
}

/** Every character but letters and digits becomes `-`; long paths end in a hash of themselves. */
export function encodeWorkDir(path: string): string {
  const encoded = path.replaceAll(/[^A-Za-z0-9]/g, '-')
  if (encoded.length <= 200) return encoded
  let hash = 0
  for (let at = 0; at < path.length; at++) hash = (hash * 31 + path.charCodeAt(at)) | 0
  return `${encoded.slice(0, 200)}-${Math.abs(hash).toString(36)}`
}

async function findSession(place: FakeSessionPlace, sessionId: string): Promise<string | null> {
  const own = await fakeSessionPath(place, sessionId)
  if ((await place.files.stat(own)) !== null) return own
  if (!place.everywhere) return null
  const projects = projectsDirectory(place.env)
  for (const name of (await place.files.list(projects)) ?? []) {
    const path = join(projects, name, `${sessionId}.jsonl`)
    if ((await place.files.stat(path)) !== null) return path
  }
  return null
}

function projectsDirectory(env: Readonly<Record<string, string>>): string {
  return join(env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? '/', '.claude'), 'projects')
}

function chainTo(tree: readonly ChainLine[], leaf: string | null): readonly ChainLine[] {
  const byUuid = new Map(tree.map(line => [line.uuid, line]))
  const chain: ChainLine[] = []
  for (let uuid = leaf; uuid !== null; ) {
    const line = byUuid.get(uuid)
    if (line === undefined) break
    byUuid.delete(uuid)
    chain.unshift(line)
    uuid = line.parentUuid
  }
  return chain
}

function costsOf(values: readonly unknown[]): SavedCosts {
  const saved = values.findLast(
    (value): value is { totalCostUSD: number; modelUsage: Record<string, WireModelUsage> } =>
      typeof value === 'object' && value !== null && 'type' in value && value.type === 'cost-state',
  )
  if (saved === undefined) return NO_COSTS
  const models = Object.entries(saved.modelUsage).map(([model, wire]) => [
    model,
    { usage: usageOf(wire), costUsd: wire.costUSD },
  ])
  return { totalUsd: saved.totalCostUSD, models: Object.fromEntries(models) }
}

type WireModelUsage = {
  readonly inputTokens: number
  readonly cacheReadInputTokens: number
  readonly cacheCreationInputTokens: number
  readonly outputTokens: number
  readonly costUSD: number
}

function usageOf(wire: WireModelUsage): Usage {
  return {
    inputTokens: wire.inputTokens,
    cacheReadTokens: wire.cacheReadInputTokens,
    cacheWriteTokens: wire.cacheCreationInputTokens,
    outputTokens: wire.outputTokens,
  }
}

function said(type: string, block: FileBlock): SaidLine {
  if (block.type === 'tool_use')
    return { role: 'tool', text: `${block.name} ${JSON.stringify(block.input)}` }
  if (block.type === 'tool_result') return { role: 'tool', text: String(block.content) }
  const text = String(block.text ?? block.thinking ?? '')
  return { role: type === 'assistant' ? 'assistant' : 'user', text }
}

/** Skips lines that are not JSON, as the real program does. */
function parseLine(line: string): unknown {
  try {
    return line === '' ? undefined : JSON.parse(line)
  } catch {
    return undefined
  }
}

function isChainLine(value: unknown): value is ChainLine {
  if (typeof value !== 'object' || value === null) return false
  const line = value as Readonly<Record<string, unknown>>
  const inTree = line.type === 'user' || line.type === 'assistant' || line.type === 'attachment'
  return (
    inTree &&
    line.isSidechain !== true &&
    typeof line.uuid === 'string' &&
    typeof line.timestamp === 'string'
  )
}

function refused(words: string): Loaded {
  return { kind: 'refused', words }
}
