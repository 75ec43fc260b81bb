// Chains of the full demo that somebody or something stopped in the middle of their work.
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { bashCall } from '../full/steps.ts'
import type { ChainStory } from '../full/tell-chain.ts'

const SMALL = {
  inputTokens: 9,
  cacheReadTokens: 24_000,
  cacheWriteTokens: 7_600,
  outputTokens: 810,
}

type Hangs = readonly ScriptStep[]

export const cancelledChain = (hangs: Hangs): ChainStory => ({
  title: 'Restart every container',
  prompt: 'Restart every container, one after the other, and look at each.',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [bashCall('docker ps -q | wc -l', '12'), ...hangs],
      usage: SMALL,
      minutes: 1,
    },
  ],
})

export const interruptedChain = (hangs: Hangs): ChainStory => ({
  title: 'Move the queue to the new host',
  prompt: 'The queue shall move to the new host. Check both hosts, then move it.',
  policy: 'ops',
  workDir: 'fleet',
  tiers: [
    {
      work: [bashCall('ssh queue-2 redis-cli ping', 'PONG')],
      verdict: {
        verdict: 'escalate',
        summary: 'Both hosts are ready; the queue holds 41 messages.',
        reason: 'moving it stops the old one for a moment',
      },
      usage: SMALL,
      minutes: 1,
    },
    {
      work: [
        bashCall('ssh queue-1 redis-cli --rdb /tmp/queue.rdb', 'Transfer finished with success.'),
        bashCall('scp queue-1:/tmp/queue.rdb queue-2:/var/lib/redis/dump.rdb', 'queue.rdb  100%'),
        ...hangs,
      ],
      usage: {
        inputTokens: 18,
        cacheReadTokens: 164_000,
        cacheWriteTokens: 21_000,
        outputTokens: 2_700,
      },
      minutes: 4,
    },
  ],
})
