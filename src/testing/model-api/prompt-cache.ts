// Simulates the prompt cache of the real API: what of a request was read from it, written to it, or neither.
import { createHash } from 'node:crypto'
import type { RequestBlock } from './request.ts'
import type { PromptSection, Wire } from './wire.ts'

export type PromptUsage = {
  readonly inputTokens: number
  readonly cacheWriteTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteHourTokens: number
}

export type PromptCache = {
  /** Counts a request and remembers what of it is in the cache from now on. */
  bill(prompt: CachedPrompt): PromptUsage
}

export type CachedPrompt = {
  readonly model: string
  readonly caching: Wire['caching']
  readonly sections: readonly PromptSection[]
}

/** How many blocks before a breakpoint an earlier write is still found. */
const LOOK_BACK_BLOCKS = 20
const CHARS_PER_TOKEN = 4
/** An automatic cache keeps no shorter beginning than this, and counts in steps. */
const AUTOMATIC_LEAST_TOKENS = 1024
const AUTOMATIC_STEP_TOKENS = 128

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
    bill({ model, caching, sections }) {
      const written = writtenByModel.get(model) ?? new Set()
      writtenByModel.set(model, written)
      const prefixes = prefixesOf(sections)
      if (caching === 'automatic') {
        const usage = automaticUsage(prefixes, written)
        for (const { hash } of prefixes) written.add(hash)
        return usage
      }
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

/** Every beginning of every earlier request counts, and what is written costs nothing. */
function automaticUsage(prefixes: readonly Prefix[], written: ReadonlySet<string>): PromptUsage {
  const total = tokensOf(prefixes.at(-1)?.chars ?? 0)
  const known = tokensOf(prefixes.findLast(prefix => written.has(prefix.hash))?.chars ?? 0)
  const cacheReadTokens =
    known < AUTOMATIC_LEAST_TOKENS ? 0 : known - (known % AUTOMATIC_STEP_TOKENS)
  return {
    inputTokens: total - cacheReadTokens,
    cacheWriteTokens: 0,
    cacheReadTokens,
    cacheWriteHourTokens: 0,
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

function prefixesOf(sections: readonly PromptSection[]): readonly Prefix[] {
  let hash = ''
  let chars = 0
  return sections.map(({ section, block }) => {
    const { cache_control: control, ...content } = block
    const text = JSON.stringify(content)
    hash = createHash('sha256').update(`${hash}\n${section}\n${text}`).digest('base64')
    chars += contentLength(content, text)
    return { hash, chars, breakpoint: breakpointOf(control) }
  })
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
