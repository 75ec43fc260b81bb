// reprise why: prints the stored decision in words, guard by guard, or decides again with other settings.
import { type Explanation, inWords } from '../../core/decide/explain.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import { trustWords } from '../../core/run/trust.ts'
import { processWords } from '../../core/warm/process-words.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import { type Io, paint } from '../start/io.ts'
import { beside, printJson, printLine, printTable, usd } from '../view/print.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type WhyFlags = JsonFlag & { readonly settings?: string }

/** A run begins with what is special about its start. */
const FIRST_EVENTS = 10

export async function why(io: Io, runId: string, flags: WhyFlags): Promise<number> {
  const settings = flags.settings === undefined ? undefined : await readSettings(io, flags.settings)
  return withReprise(io, async reprise => {
    const explanation = await reprise.runs.why(runId, settings)
    if (flags.json) printJson(io, inWords(explanation))
    else {
      const { trust, sandbox, ...run } = await reprise.runs.get(runId)
      printExplanation(io, explanation)
      printLine(io, `\n${'trust'.padEnd(9)}${beside(io.stdout, 9, trustWords(trust))}`)
      if (sandbox !== null) printLine(io, `${'sandbox'.padEnd(9)}${sandbox}`)
      const words = processWords(run, await reprise.runs.events(runId, 0, FIRST_EVENTS))
      if (words !== null)
        printLine(io, `${'process'.padEnd(9)}${beside(io.stdout, 9, sanitise(words))}`)
    }
    return 0
  })
}

async function readSettings(io: Io, file: string): Promise<Partial<ResumeSettings>> {
  const { resolve } = await import('node:path')
  const { readResumeFile } = await import('../../config/read-file.ts')
  return readResumeFile(resolve(io.cwd, file))
}

const MARKS = { pass: '✓', block: '✗', unknown: '?' } as const
/** Readable on light and on dark terminals; yellow is not. */
const COLOURS = { pass: 'green', block: 'red', unknown: 'magenta' } as const

export function printExplanation(io: Io, { decision, words, checks, changes }: Explanation): void {
  const bold = paint(io, io.stdout, 'bold')
  const reason = beside(io.stdout, decision.action.length + 2, sanitise(words))
  printLine(io, `${bold(decision.action)}: ${reason}\n`)
  for (const { check, words, cause } of checks) {
    const mark = paint(io, io.stdout, COLOURS[check.result])(MARKS[check.result])
    const said = `${sanitiseLine(words)}${cause ? '  ← this decided' : ''}`
    const line = `${check.guard.padEnd(20)} ${beside(io.stdout, 23, said)}`
    printLine(io, `${mark} ${cause ? bold(line) : line}`)
  }
  if (changes.length === 0) return
  printLine(io, '')
  printTable(io, changes, [
    { title: 'what would change this', text: ({ words }) => words },
    { title: 'to', cell: ({ action }) => action },
    {
      title: 'estimate',
      cell: ({ estimate }) => (estimate === null ? '–' : usd(estimate.costUsd)),
      align: 'right',
    },
  ])
}
