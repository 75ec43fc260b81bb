// What a killed chain must have booked, known from outside of Reprise: what the script bills, and how much of it the agent had saved.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from '../../src/core/run/events.ts'
import type { JournalEntry } from '../../src/testing/index.ts'
import { DEFAULT_PRICES } from '../../src/testing/index.ts'
import { apiPriceOf, costUsd } from '../../src/testing/model-api/prices.ts'

/** Of the two requests of a run in this tier: its first one, or one that goes on. No sum of some is the sum of others. */
export function billedIn(tier: number, how: 'first' | 'continued'): readonly [Usage, Usage] {
  const place = how === 'first' ? tier : tier + 3
  const usage = (request: number): Usage => ({
    inputTokens: 101 * place + 7 * request,
    cacheReadTokens: 1_009 * place * request,
    cacheWriteTokens: 503 * place + 31 * request,
    outputTokens: 2_003 * request + 211 * place,
  })
  return [usage(1), usage(2)]
}

/** Dollars that a run may have booked: of what is saved, and perhaps of a request that had begun when all was killed. */
export function possibleCosts(
  entry: JournalEntry | undefined,
  { tier, home }: { readonly tier: number; readonly home: string },
): { readonly requests: number; readonly usd: readonly number[] } {
  if (!entry) return { requests: 0, usd: [0] }
  const saved = savedRequests(entry, home)
  const how = entry.prompt.includes('still operate as tier') ? 'continued' : 'first'
  const bills = billedIn(tier, how)
  const model = entry.args[entry.args.indexOf('--model') + 1] ?? ''
  saved.forEach((usage, at) => {
    if (JSON.stringify(usage) === JSON.stringify(bills[at])) return
    throw new Error(`request ${at + 1} of tier ${tier} is saved as ${JSON.stringify(usage)}`)
  })
  const whole = bills.slice(0, saved.length).reduce((sum, usage) => sum + price(model, usage), 0)
  // The stream tells at the start of a request what it was given, and one token of what it says.
  const begun = bills[saved.length]
  return {
    requests: saved.length,
    usd: [whole, ...(begun ? [whole + price(model, { ...begun, outputTokens: 1 })] : [])],
  }
}

/** Requests that came after the prompt of this very run: the others in its file were paid by others. */
function savedRequests({ sessionId, prompt }: JournalEntry, home: string): readonly Usage[] {
  const path = readdirSync(home, { recursive: true, encoding: 'utf8' }).find(
    name => sessionId !== null && name.endsWith(`/${sessionId}.jsonl`),
  )
  if (path === undefined) return []
  const requests = new Map<string, Usage>()
  let isOwn = false
  for (const { type, isMeta, message } of readFileSync(join(home, path), 'utf8')
    .split('\n')
    .flatMap(parsed)) {
    const said = type === 'user' && !isMeta ? textIn(message.content) : ''
    // A later run quotes the prompt when the session did not get it: only the whole message tells.
    if (said !== '') isOwn = said === prompt
    if (type !== 'assistant' || !isOwn || message.model === '<synthetic>') continue
    requests.set(message.id, usageOf(message.usage))
  }
  return [...requests.values()]
}

function parsed(line: string) {
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // The kill has cut it: it is not saved.
  }
}

/** As the journal has it. */
function textIn(content: string | readonly { readonly text?: string }[]): string {
  if (typeof content === 'string') return content
  const texts = content.map(({ text }) => text ?? '')
  return texts.filter(text => text.trim() !== '').join('\n')
}

function usageOf(usage: Readonly<Record<string, number>>): Usage {
  return {
    inputTokens: usage.input_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
  }
}

function price(model: string, usage: Usage): number {
  return costUsd({ ...usage, cacheWriteHourTokens: 0 }, apiPriceOf(model, DEFAULT_PRICES))
}
