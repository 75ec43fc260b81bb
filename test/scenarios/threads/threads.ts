// Every scenario of threads that runs on all kinds of agents, as one suite.
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { brokenChainScenarios } from '../chains/broken-chains.ts'
import { chainDecisionScenarios } from '../chains/chain-decisions.ts'
import { chainLimitScenarios } from '../chains/chain-limits.ts'
import { chainScenarios } from '../chains/chains.ts'
import { brokenDeferralScenarios, deferralScenarios } from '../chains/deferral.ts'
import { createHarness, type Harness, type HarnessOptions } from '../harness/harness.ts'
import { isReal, type Kind } from '../harness/program.ts'
import { captureScenarios } from './capture.ts'
import {
  continuingScenarios,
  newSessionScenarios,
  otherProcessScenarios,
  startingOverScenarios,
} from './continuing.ts'
import { provenCopyScenarios } from './doctored-sessions.ts'
import { foreignFileScenarios, foreignTurnScenarios, ownGrowthScenarios } from './foreign-turns.ts'
import {
  editedBeginningScenarios,
  forkScenarios,
  historyScenarios,
  otherForkScenarios,
} from './history.ts'
import { hygieneScenarios, settingScenarios } from './hygiene.ts'
import { instructionScenarios, storedInstructionScenarios } from './instructions.ts'
import { billScenarios, moneyScenarios } from './money.ts'
import { keptAnswerScenarios, openQuestionScenarios, questionScenarios } from './questions.ts'
import { refusalScenarios, retiredSessionScenarios } from './refusals.ts'
import { runPermissionScenarios } from './run-permissions.ts'
import { stoppingScenarios, waitingScenarios } from './stopping.ts'
import { discardedCopyScenarios, vaultScenarios } from './vault.ts'

export function threadScenarios(kind: Kind): void {
  describe(`threads on ${kind}`, () => {
    const world = useHarness(kind)
    sessionScenarios(world)
    turnScenarios(world, kind)
  })
}

/** The way out of a written session, for every cause of a replay: a transcript in the prompt. */
export function transcriptScenarios(kind: Kind): void {
  describe(`replays in the prompt on ${kind}`, () => {
    const world = useHarness(kind, { replay: 'prompt' })
    refusalScenarios(world)
    if (isReal(kind)) return
    startingOverScenarios(world)
    historyScenarios(world)
    discardedCopyScenarios(world)
    moneyScenarios(world)
  })
}

/** A few causes of a replay in the prompt, for a real agent in `npm run test:storms`: an agent switch, a fresh session, an edit. */
export function transcriptSampleScenarios(kind: Kind): void {
  describe(`samples of replays in the prompt on ${kind}`, () => {
    const world = useHarness(kind, { replay: 'prompt' })
    newSessionScenarios(world)
    editedBeginningScenarios(world)
  })
}

function sessionScenarios(world: () => Harness): void {
  captureScenarios(world)
  continuingScenarios(world)
  forkScenarios(world)
  refusalScenarios(world)
}

function turnScenarios(world: () => Harness, kind: Kind): void {
  foreignTurnScenarios(world)
  hygieneScenarios(world)
  instructionScenarios(world)
  moneyScenarios(world)
  if (isReal(kind)) billScenarios(world, kind)
  if (isReal(kind)) ownGrowthScenarios(world)
}

export function interruptionScenarios(kind: Kind): void {
  describe(`interrupted turns on ${kind}`, () => {
    const world = useHarness(kind)
    stoppingScenarios(world)
    questionScenarios(world)
  })
}

/**
 * In each of these the agent does what it also does in a scenario above, and Reprise decides the difference. `npm test` runs them on
 * the fake agent inside the process, `npm run test:storms` on both real versions.
 */
export function variantScenarios(kind: Kind): void {
  describe(`variants of threads on ${kind}`, () => {
    const world = useHarness(kind)
    otherProcessScenarios(world)
    otherForkScenarios(world)
    retiredSessionScenarios(world)
    foreignFileScenarios(world)
    keptAnswerScenarios(world)
  })
}

/**
 * Reprise alone decides the outcome of these: the agent gets a prompt, in a new session or in one of its own, as in all other
 * scenarios. `npm test` runs them on the fake agent inside the process, `npm run test:storms` on the newest real version.
 */
export function decisionScenarios(kind: Kind): void {
  describe(`decisions about threads on ${kind}`, () => {
    const world = useHarness(kind)
    startingOverScenarios(world)
    historyScenarios(world)
    settingScenarios(world)
    storedInstructionScenarios(world)
    waitingScenarios(world)
    vaultScenarios(world)
    discardedCopyScenarios(world)
    provenCopyScenarios(world)
    openQuestionScenarios(world)
    runPermissionScenarios(world)
  })
}

export function escalationScenarios(kind: Kind): void {
  describe(`chains on ${kind}`, () => {
    const world = useHarness(kind)
    tierScenarios(world)
    chainDecisionScenarios(world)
    if (isReal(kind)) return
    brokenDeferralScenarios(world)
    chainLimitScenarios(world)
  })
}

/** The agent's own program has a part in each of these: what it saves, forks, refuses, asks before it does it and reports. */
export function agentChainScenarios(kind: Kind): void {
  describe(`tiers on ${kind}`, () => tierScenarios(useHarness(kind)))
}

/** As `decisionScenarios`, for chains. */
export function escalationDecisionScenarios(kind: Kind): void {
  describe(`decisions about chains on ${kind}`, () => chainDecisionScenarios(useHarness(kind)))
}

function tierScenarios(world: () => Harness): void {
  chainScenarios(world)
  brokenChainScenarios(world)
  deferralScenarios(world)
}

/** One world for all tests of a `describe`: each of them has threads of its own. */
export function useHarness(kind: Kind, options: HarnessOptions = {}): () => Harness {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness(kind, options)
  })
  afterEach(() => harness.model.reset())
  afterAll(() => harness.close())
  return () => harness
}
