// What a killed chain must have booked, known from outside of Reprise: what the script bills, and how much of it the agent had saved.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_USAGE, type Usage } from '../../src/core/events.ts'
import type { JournalEntry } from '../../src/testing/index.ts'
import { DEFAULT_PRICES } from '../../src/testing/index.ts'
import { costUsd, priceOf } from '../../src/testing/model-api/prices.ts'

/** Of the two requests of each tier, by its number. No sum of some of them is the sum of others. */
export function billedIn(tier: number): readonly [Usage, Usage] {
  const usage = (request: number): Usage => ({
    inputTokens: 101 * tier + 7 * request,
    cacheReadTokens: 1_009 * tier * request,
    cacheWriteTokens: 503 * tier + 31 * request,
    outputTokens: 2_003 * request + 211 * tier,
  })
  return [usage(1), usage(2)]
}

type Saved = { readonly id: string; readonly model: string; readonly usage: Usage }

/** Dollars that a run may have booked: of what is saved, and perhaps of a request that had begun when all was killed. */
export function possibleCosts(
  entry: JournalEntry | undefined,
  { tier, home }: { readonly tier: number; readonly home: string },
): { readonly requests: number; readonly usd: readonly number[] } {
  const saved = entry ? ownRequests(entry, home) : []
  const bills = billedIn(tier)
  const model = entry?.args[entry.args.indexOf('--model') + 1] ?? ''
  saved.forEach(({ usage }, at) => {
    if (JSON.stringify(usage) === JSON.stringify(bills[at])) return
    throw new Error(`request ${at + 1} of tier ${tier} is saved as ${JSON.stringify(usage)}`)
  })
  const whole = bills.slice(0, saved.length).reduce((sum, usage) => sum + price(model, usage), 0)
  // The stream tells at the start of a request what it was given, and one token of what it says.
  const begun = entry && bills[saved.length]
  return {
    requests: saved.length,
    usd: [whole, ...(begun ? [whole + price(model, { ...begun, outputTokens: 1 })] : [])],
  }
}

export function wholeBill(tier: number, model: string): number {
  return billedIn(tier).reduce((sum, usage) => sum + price(model, usage), 0)
}

/** A copy of a session begins with the requests of the one it was copied from: those were paid by others. */
function ownRequests({ sessionId, args }: JournalEntry, home: string): readonly Saved[] {
  const parent = args.includes('--resume') ? (args[args.indexOf('--resume') + 1] ?? '') : ''
  const inherited = new Set(savedIn(home, parent).map(({ id }) => id))
  return savedIn(home, sessionId ?? '').filter(({ id }) => !inherited.has(id))
}

function savedIn(home: string, sessionId: string): readonly Saved[] {
  const path = readdirSync(home, { recursive: true, encoding: 'utf8' }).find(
    name => sessionId !== '' && name.endsWith(`/${sessionId}.jsonl`),
  )
  if (path === undefined) return []
  const lines = readFileSync(join(home, path), 'utf8').split('\n')
  const requests = lines.flatMap(requestOn)
  return [...new Map(requests.map(request => [request.id, request])).values()]
}

/** A line that the kill has cut is not saved. */
function requestOn(line: string): readonly Saved[] {
  try {
    const { type, message } = JSON.parse(line)
    if (type !== 'assistant' || message.model === '<synthetic>') return []
    const { id, model, usage } = message
    return [{ id, model, usage: { ...NO_USAGE, ...tokensIn(usage) } }]
  } catch {
    return []
  }
}

function tokensIn(usage: Readonly<Record<string, number>>): Partial<Usage> {
  return {
    inputTokens: usage.input_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
  }
}

function price(model: string, usage: Usage): number {
  return costUsd({ ...usage, cacheWriteHourTokens: 0 }, priceOf(model, DEFAULT_PRICES))
}
