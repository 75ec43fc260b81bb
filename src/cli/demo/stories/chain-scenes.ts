// The chains of the full demo: one for each way in which a chain can end or wait.

import type { Scene } from '../full/scene.ts'
import type { StoryWorld } from '../full/story-world.ts'
import { type ChainStory, chainOptions, chainScript, playChain } from '../full/tell-chain.ts'
import { hangSteps, whileAgentHangs } from '../full/while-agent-hangs.ts'
import { ALL_WELL, DRY_RUN, HANDED_OVER, THREE_TIERS } from './chains-resolved.ts'
import { cancelledChain, interruptedChain } from './chains-stopped.ts'
import {
  EXHAUSTED,
  GAVE_UP,
  HELD_BY_COOLDOWN,
  HELD_FOR_APPROVAL,
  LEFT_ITS_FENCE,
} from './chains-unresolved.ts'

const scene = (ago: string, story: ChainStory): Scene => ({
  ago,
  play: world => playChain(world, story),
})

export const CHAIN_SCENES: readonly Scene[] = [
  scene('8d 2h', LEFT_ITS_FENCE),
  scene('7d 1h', ALL_WELL),
  scene('6d 3h', HANDED_OVER),
  scene('5d 20h', DRY_RUN),
  { ago: '4d 5h', play: playCancelled },
  scene('3d 2h', GAVE_UP),
  scene('2d 4h', EXHAUSTED),
  { ago: '1d 3h', play: playInterrupted },
  scene('2h 10m', THREE_TIERS),
  scene('1h 40m', HELD_BY_COOLDOWN),
  scene('1h 16m', HELD_FOR_APPROVAL),
]

async function playCancelled(world: StoryWorld): Promise<void> {
  const story = cancelledChain(hangSteps(world))
  await world.script(chainScript(story))
  let chainId = ''
  await whileAgentHangs(world, {
    begin: async ({ chains }) => {
      const chain = chains.start(chainOptions(world, story))
      chainId = (await chain.submitted).chainId
    },
    end: async ({ chains }) => void (await chains.cancel(chainId)),
  })
}

/** Reprise is stopped while tier 2 works: a person may continue the chain. */
async function playInterrupted(world: StoryWorld): Promise<void> {
  const story = interruptedChain(hangSteps(world))
  await world.script(chainScript(story))
  await whileAgentHangs(world, {
    begin: async ({ chains }) => {
      const chain = chains.start(chainOptions(world, story))
      chain.result.catch(() => {
        // Reprise closes before the chain is over.
      })
      await chain.submitted
    },
  })
}
