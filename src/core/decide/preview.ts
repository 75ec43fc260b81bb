// What a turn would do, before it is sent: the decision, its price, what else could happen, and what to know about it.
import type { Estimate } from '../money/estimate.ts'
import { type DecisionInWords, type Explanation, explanationOf, inWords } from './explain.ts'
import type { PricedWay } from './ways.ts'

export type { Alternative } from './explain.ts'
export type { PricedWay, WayName } from './ways.ts'

/** What Reprise says about a turn before it is sent. */
export type Preview = Explanation & {
  /** What the whole turn is expected to use; `null` where that is not known. */
  readonly estimate: Estimate | null
  /** Every way in which the turn can go on, with its price; the chosen one first. */
  readonly ways: readonly PricedWay[]
  /** Sentences about the thread and its files. */
  readonly notes: readonly string[]
}

export type PreviewInWords = DecisionInWords & Pick<Preview, 'estimate' | 'ways' | 'notes'>

export function previewInWords(preview: Preview): PreviewInWords {
  const { estimate, ways, notes } = preview
  return { ...inWords(preview), estimate, ways, notes }
}

export function previewOf({ estimate, ways, notes, ...decision }: PreviewInWords): Preview {
  return { ...explanationOf(decision), estimate, ways, notes }
}
