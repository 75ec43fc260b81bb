// reprise escalate: runs a chain to its end and prints the chain on stdout and its progress on stderr.

import type { Chain, ChainOptions, ChainRun, Reprise } from '../../api.ts'
import { isBrokenOff } from '../../core/chain/supervise.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import type { SandboxMode } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type PlaceFlags, workPlaceOf } from '../flags/place-flags.ts'
import { promptWithInput } from '../flags/prompt-input.ts'
import { type RecurrenceFlags, recurrenceOf } from '../flags/recurrence-flags.ts'
import { withReprise } from '../open/open.ts'
import { exitCodeOfChain } from '../start/exit-code.ts'
import { type Io, paint } from '../start/io.ts'
import { createProgressLine } from '../terminal/progress-line.ts'
import { printJson, usd } from '../view/print.ts'
import { printChain } from '../view/print-chain.ts'
import { safeJson, sanitiseLine } from '../view/sanitise.ts'
import { cancelOnRequest } from '../view/stream-turn.ts'
import { createTurnView } from '../view/turn-view.ts'
import { policyFor } from './policies.ts'

export type EscalateFlags = JsonFlag &
  PlaceFlags &
  RecurrenceFlags & {
    readonly policy: string
    readonly agent?: string
    readonly maxTier?: number
    readonly dryRun?: true
    readonly sandbox?: SandboxMode
    readonly budget?: number
    readonly streamJson?: true
    readonly preview?: true
  }

type Output = Pick<EscalateFlags, 'json' | 'streamJson'>

export async function escalate(io: Io, argument: string | undefined, flags: EscalateFlags) {
  const prompt = await promptWithInput(io, argument)
  const options = await optionsOf(io, prompt, flags)
  if (flags.preview) {
    const { printChainPreview } = await import('../view/print-chain-preview.ts')
    const show = async (reprise: Reprise) => {
      printChainPreview(io, await reprise.chains.preview(options), flags)
      return 0
    }
    return withReprise(io, show, { cwd: flags.cwd })
  }
  const recurrence = recurrenceOf(flags)
  if (recurrence !== undefined) {
    const { schedulesCreate: createSchedule } = await import('./schedules.ts')
    return createSchedule(io, { ...options, recurrence }, flags)
  }
  return withReprise(
    io,
    reprise => toItsEnd(io, reprise, { chain: reprise.chains.start(options), flags }),
    {
      cwd: flags.cwd,
    },
  )
}

const DECIDES = { decides: 'must' } as const

export function chainsApprove(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(
    io,
    async reprise => {
      await confirmed(io, await reprise.chains.get(id), 'approve it')
      return toItsEnd(io, reprise, { chain: reprise.chains.approve(id), flags })
    },
    DECIDES,
  )
}

export function chainsContinue(io: Io, id: string, flags: JsonFlag): Promise<number> {
  return withReprise(
    io,
    async reprise => {
      await confirmed(io, await reprise.chains.get(id), 'continue it')
      return toItsEnd(io, reprise, { chain: reprise.chains.continue(id), flags })
    },
    DECIDES,
  )
}

/** Shows a person what to decide and asks; a caller with a token has decided already. */
async function confirmed(io: Io, chain: Chain, what: string): Promise<void> {
  const { approverOf } = await import('../open/approver.ts')
  const isOpen = chain.status === 'held' || isBrokenOff(chain)
  if (!isOpen || approverOf(io)?.kind !== 'terminal') return
  io.stderr.write(`${chain.id} ${chain.policy}, tier ${chain.tier}: ${sanitiseLine(chain.words)}\n`)
  const { openTerminal } = await import('../chat/terminal.ts')
  const typed = await openTerminal(io).ask(`${what}? y ▸ `)
  if (typed.kind === 'line' && /^(y|yes)$/i.test(typed.text.trim())) return
  throw new RepriseError(
    'cancelled',
    `${chain.id} stays ${chain.status}`,
    'Run the same command again and answer y to go on.',
  )
}

type Watched = { readonly chain: ChainRun; readonly flags: Output }

async function toItsEnd(io: Io, reprise: Reprise, watching: Watched): Promise<number> {
  const { flags } = watching
  const done = await watched(io, reprise, watching)
  if (flags.json) printJson(io, done)
  else if (!flags.streamJson) printChain(io, done)
  return exitCodeOfChain(done)
}

async function optionsOf(io: Io, prompt: string, flags: EscalateFlags): Promise<ChainOptions> {
  return {
    policy: await policyFor(io, flags.policy, flags.cwd),
    prompt,
    ...workPlaceOf(io, flags),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...(flags.maxTier !== undefined && { maxTier: flags.maxTier }),
    ...(flags.dryRun && { dryRun: true }),
    ...(flags.sandbox !== undefined && { sandbox: flags.sandbox }),
    ...(flags.budget !== undefined && { budgetUsd: flags.budget }),
  }
}

async function watched(io: Io, reprise: Reprise, { chain, flags }: Watched) {
  const stopListening = cancelOnRequest(io, chain)
  const isForPrograms = flags.json === true || flags.streamJson === true
  const progress = createProgressLine(isForPrograms ? {} : io)
  const view = createTurnView(io)
  try {
    for await (const event of chain) {
      // The words of the agents are for the next tier; the chain at the end has what they found.
      if (event.type !== 'text') progress.see(event)
      if (flags.streamJson) io.stdout.write(`${safeJson(event)}\n`)
      else if (!flags.json && event.type === 'supervised') await printStep(io, reprise, event)
      else if (!flags.json && io.stderr.isTTY && event.type !== 'text') view.show(event)
    }
    return await chain.result
  } finally {
    progress.end()
    stopListening()
  }
}

type Supervised = Extract<RunEvent, { type: 'supervised' }>

/** Prints a step from tier to tier, also without a terminal. */
async function printStep(io: Io, reprise: Reprise, event: Supervised): Promise<void> {
  const dim = paint(io, io.stderr, 'dim')
  io.stderr.write(`${dim(`▸ ${sanitiseLine(await stepOf(reprise, event))}`)}\n`)
}

/** The words of the step, with the cost of the run. */
async function stepOf(reprise: Reprise, event: Supervised): Promise<string> {
  const { costUsd } = await reprise.runs.get(event.runId)
  return costUsd === null ? event.words : `${event.words} (${usd(costUsd)})`
}
