// What a turn would do, before it is sent: the decision, its price, what else could happen, and what to know about it.
import type { Estimate } from '../money/estimate.ts'
import {
  type Alternative,
  type DecisionInWords,
  type Explanation,
  explanationOf,
  inWords,
} from './explain.ts'

export type { Alternative } from './explain.ts'

/** What Reprise says about a turn before it is sent. */
export type Preview = Explanation & {
  /** What the turn reads before its first answer; `null` where that is not known. */
  readonly estimate: Estimate | null
  readonly alternatives: readonly Alternative[]
  /** Sentences about the thread and its files. */
  readonly notes: readonly string[]
}

export type PreviewInWords = DecisionInWords & Pick<Preview, 'estimate' | 'alternatives' | 'notes'>

export function previewInWords(preview: Preview): PreviewInWords {
  const { estimate, alternatives, notes } = preview
  return { ...inWords(preview), estimate, alternatives, notes }
}

export function previewOf({ estimate, alternatives, notes, ...decision }: PreviewInWords): Preview {
  return { ...explanationOf(decision), estimate, alternatives, notes }
}
