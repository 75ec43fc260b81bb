// Messages of pi, as its stream and its session file have them.
import type { Usage } from '../../core/run/events.ts'
import { type Fields, fieldsIn, fieldsOf, numberIn, textIn } from '../fields.ts'

export function textOf({ content }: Fields): string {
  if (typeof content === 'string') return content
  return partsOf(content, 'text')
    .map(part => textIn(part.text) ?? '')
    .join('')
}

export function callsOf({ content }: Fields): readonly Fields[] {
  return partsOf(content, 'toolCall')
}

export function usageOf({ usage }: Fields): Usage | null {
  const used = fieldsIn(usage)
  if (used === null) return null
  const count = (value: unknown) => numberIn(value) ?? 0
  const whole = {
    inputTokens: count(used.input),
    cacheReadTokens: count(used.cacheRead),
    cacheWriteTokens: count(used.cacheWrite),
    outputTokens: count(used.output),
  }
  // A request that failed has used nothing that pi knows of.
  return Object.values(whole).some(tokens => tokens > 0) ? whole : null
}

/** Dollars; `null`: pi knows no price of the model. */
export function dollarsIn({ usage }: Fields): number | null {
  const total = numberIn(fieldsIn(fieldsIn(usage)?.cost)?.total) ?? 0
  return total > 0 ? total : null
}

function partsOf(content: unknown, type: string): readonly Fields[] {
  return fieldsOf(content).filter(part => part.type === type)
}
