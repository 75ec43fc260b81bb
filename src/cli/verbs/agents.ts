// reprise agents: all agents that Reprise knows, and what was found of them on this machine.
import type { AgentReport } from '../../api.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { ExitCode } from '../start/exit-code.ts'
import { type Io, paint } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'

const NO_USABLE_AGENT: ExitCode = 2

export async function agents(io: Io, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const reports = await reprise.agents()
    if (flags.json) printJson(io, { items: reports, nextCursor: null })
    else for (const report of reports) printReport(io, report)
    // One that works is enough: the config may name agents of other machines.
    const usable = reports.some(({ configured, problem }) => configured && problem === null)
    return usable ? 0 : NO_USABLE_AGENT
  })
}

function printReport(io: Io, report: AgentReport): void {
  const bold = paint(io, io.stdout, 'bold')
  const isBroken = !report.found && report.install === null
  const missing = isBroken ? 'not usable' : 'not found'
  const state = report.found ? (report.version ?? 'version unknown') : missing
  const place = report.configured ? report.executable : `${report.executable} (not configured)`
  printLine(io, `${bold(report.name)}  ${sanitiseLine(state)}  ${sanitiseLine(place)}`)
  if (report.configured || report.found || isBroken) printDetails(io, report)
  if (report.hint !== null) printLine(io, `  hint       ${sanitiseLine(report.hint)}`)
}

function printDetails(io: Io, report: AgentReport): void {
  const abilities = Object.entries(report.abilities)
    .map(([ability, can]) => `${can ? '✓' : '✗'} ${ability}`)
    .join('  ')
  if (abilities !== '') printLine(io, `  abilities  ${abilities}`)
  if (report.quirks.length > 0) printLine(io, `  quirks     ${report.quirks.join(', ')}`)
  for (const [whose, names] of ENVIRONMENTS) {
    printLine(io, `  ${whose.padEnd(10)} ${sanitiseLine(report.env[names].join(' ')) || '–'}`)
  }
  if (report.login.state !== 'unknown') {
    printLine(io, `  login      ${sanitiseLine(report.login.how ?? 'none')}`)
  }
  if (report.problem !== null) printLine(io, `  problem    ${sanitiseLine(report.problem)}`)
}

/** Prints only the names of variables, because their values may be secret. */
const ENVIRONMENTS = [
  ['passed', 'trusted'],
  ['untrusted', 'untrusted'],
  ['withheld', 'withheld'],
] as const
