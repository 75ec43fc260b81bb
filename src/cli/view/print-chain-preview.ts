// Prints what each tier of a chain would cost, as text or JSON.
import type { ChainPreview, TierPreview } from '../../core/chain/chain-preview.ts'
import { ESTIMATE_FORMULA } from '../../core/money/estimate.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { printJson, printLine, usd } from './print.ts'
import { estimateLines, printWays } from './print-preview.ts'
import { sanitiseLine } from './sanitise.ts'

export function printChainPreview(io: Io, preview: ChainPreview, flags: JsonFlag): void {
  if (flags.json) {
    printJson(io, preview)
    return
  }
  for (const tier of preview.tiers) printTier(io, tier, preview.agent)
  printLine(io, earlierWords(preview))
  printLine(io, `\nestimate: ${ESTIMATE_FORMULA}`)
}

/** The next tier of a held chain. */
export function printTierPreview(io: Io, preview: TierPreview, flags: JsonFlag): void {
  if (flags.json) {
    printJson(io, preview)
    return
  }
  printTier(io, preview, '')
  printLine(io, `estimate: ${ESTIMATE_FORMULA}`)
}

function printTier(io: Io, preview: TierPreview, firstAgent: string): void {
  const { tier, name, agent, model, ways, estimate, upToHereUsd } = preview
  const title = paint(io, io.stdout, 'bold')(`tier ${tier} ${sanitiseLine(name)}`)
  const who = [agent === firstAgent ? null : agent, model].filter(known => known !== null)
  printLine(io, `${[title, ...who.map(sanitiseLine)].join(', ')}\n`)
  printWays(io, ways)
  for (const line of estimateLines(estimate)) printLine(io, line)
  const total = upToHereUsd === null ? 'not known' : `about ${usd(upToHereUsd)}`
  printLine(io, `up to this tier: ${total}\n`)
}

function earlierWords({ policy, earlierChains }: ChainPreview): string {
  if (earlierChains === 0) {
    return `No earlier chain of ${sanitiseLine(policy)} tells how long its outputs and notes are.`
  }
  const which = earlierChains === 1 ? 'The latest chain' : `The latest ${earlierChains} chains`
  return `${which} of ${sanitiseLine(policy)} tell how long outputs and notes are. A tier runs only if the one below asks for it.`
}
