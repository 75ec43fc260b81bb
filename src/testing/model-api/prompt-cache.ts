// Simulates the prompt cache of the real API: what of a request was read from it, written to it, or neither.
import { createHash } from 'node:crypto'
import { type ModelRequest, messagesOf, type RequestBlock, requestBlocks } from './request.ts'

export type PromptUsage = {
  readonly inputTokens: number
  readonly cacheWriteTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteHourTokens: number
}

export type PromptCache = {
  /** Counts a request and remembers its breakpoints. */
  bill(request: ModelRequest): PromptUsage
}

/** How many blocks before a breakpoint an earlier write is still found. */
const LOOK_BACK_BLOCKS = 20
const CHARS_PER_TOKEN = 4

type Prefix = {
  /** Of everything up to and including this block. */
  readonly hash: string
  readonly chars: number
  readonly breakpoint: 'none' | '5m' | '1h'
}

/** Entries never expire: a test is shorter than the lifetime of a cache. */
export function createPromptCache(): PromptCache {
  const writtenByModel = new Map<string, Set<string>>()
  return {
    bill(request) {
      const written = writtenByModel.get(request.model) ?? new Set()
      writtenByModel.set(request.model, written)
      const prefixes = prefixesOf(request)
      const usage = usageOf(prefixes, written)
      for (const prefix of prefixes) if (prefix.breakpoint !== 'none') written.add(prefix.hash)
      return usage
    },
  }
}

export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

function usageOf(prefixes: readonly Prefix[], written: ReadonlySet<string>): PromptUsage {
  const total = tokensOf(prefixes.at(-1)?.chars ?? 0)
  const lastBreakpoint = prefixes.findLast(prefix => prefix.breakpoint !== 'none')
  const asked = tokensOf(lastBreakpoint?.chars ?? 0)
  const cacheReadTokens = tokensOf(longestCached(prefixes, written)?.chars ?? 0)
  const cacheWriteTokens = asked - cacheReadTokens
  return {
    inputTokens: total - asked,
    cacheWriteTokens,
    cacheReadTokens,
    cacheWriteHourTokens: lastBreakpoint?.breakpoint === '1h' ? cacheWriteTokens : 0,
  }
}

function longestCached(
  prefixes: readonly Prefix[],
  written: ReadonlySet<string>,
): Prefix | undefined {
  for (let end = prefixes.length - 1; end >= 0; end--) {
    if (prefixes[end]?.breakpoint === 'none') continue
    const near = prefixes.slice(Math.max(0, end - LOOK_BACK_BLOCKS), end + 1)
    const found = near.findLast(prefix => written.has(prefix.hash))
    if (found !== undefined) return found
  }
  return undefined
}

function prefixesOf(request: ModelRequest): readonly Prefix[] {
  let hash = ''
  let chars = 0
  return sectionsOf(request).map(({ section, block }) => {
    const { cache_control: control, ...content } = block
    const text = JSON.stringify(content)
    hash = createHash('sha256').update(`${hash}\n${section}\n${text}`).digest('base64')
    chars += contentLength(content, text)
    return { hash, chars, breakpoint: breakpointOf(control) }
  })
}

/** In the order the real API caches them: tools, system, messages. */
function sectionsOf(request: ModelRequest): readonly { section: string; block: RequestBlock }[] {
  const system = requestBlocks(request.body.system).filter(block => !isBillingNote(block))
  return [
    ...requestBlocks(request.body.tools).map(block => ({ section: 'tools', block })),
    ...system.map(block => ({ section: 'system', block })),
    ...messagesOf(request.body).flatMap(({ role, content }) =>
      content.map(block => ({ section: role, block })),
    ),
  ]
}

/** Claude Code puts a note about itself before its system prompt. The note differs per session and does not count as prompt. */
function isBillingNote(block: RequestBlock): boolean {
  return String(block.text ?? '').startsWith('x-anthropic-billing-header:')
}

function contentLength(content: RequestBlock, text: string): number {
  return content.type === 'text' && typeof content.text === 'string'
    ? content.text.length
    : text.length
}

function breakpointOf(control: unknown): Prefix['breakpoint'] {
  if (typeof control !== 'object' || control === null) return 'none'
  return 'ttl' in control && control.ttl === '1h' ? '1h' : '5m'
}
