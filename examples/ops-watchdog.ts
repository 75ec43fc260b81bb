// A watchdog: looks every 15 minutes with a cheap model, repairs with a better one when that asks for it, and reports.
// Run: node examples/ops-watchdog.ts '*/15 * * * *' (needs `claude` on PATH); a number alone is seconds
import { setInterval } from 'node:timers/promises'
import { claudeCode, createReprise, type Policy, sqlite, type Tier } from 'reprise'

const [when = '*/15 * * * *'] = process.argv.slice(2)
const recurrence = /^\d+$/.test(when) ? { everyMs: Number(when) * 1_000 } : when
const noLimit = { usd: null, tokens: null, runs: null, wallClockMs: null }
const tier: Omit<Tier, 'name' | 'role' | 'model' | 'allowedTools'> = {
  permissionMode: 'dontAsk',
  disallowedTools: [],
  actions: [],
  cooldownMs: 0,
  dryRun: false,
  budget: noLimit,
  contextThreshold: null,
  approval: 'auto',
}
const policy: Policy = {
  name: 'watchdog',
  agent: null,
  maxTier: 2,
  contextThreshold: 0.8,
  budget: { ...noLimit, usd: 2 },
  tiers: [
    {
      ...tier,
      name: 'observe',
      role: 'Look, measure, change nothing.',
      model: 'claude-haiku-4-5',
      allowedTools: ['Read', 'Grep', 'Glob', 'Bash(docker ps:*)', 'Bash(docker logs:*)'],
    },
    {
      ...tier,
      name: 'repair',
      role: 'Repair what can be undone.',
      model: 'claude-sonnet-4-5',
      allowedTools: ['Read', 'Grep', 'Glob', 'Bash(docker ps:*)', 'Bash(docker restart:*)'],
      actions: ['restart a container'],
      cooldownMs: 15 * 60_000,
    },
  ],
}

// keepQueue: this process starts what is due. Schedules are stored, so a restarted watchdog finds its own.
const options = { store: sqlite('watchdog.db'), agents: [claudeCode()], dataDir: 'watchdog' }
const reprise = createReprise({ ...options, keepQueue: true })
const known = (await reprise.schedules.list()).some(one => one.policy.name === policy.name)
if (!known) {
  const prompt = 'Are all services healthy?'
  await reprise.schedules.create({ policy, prompt, workDir: process.cwd(), recurrence })
}

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
const reported = new Set((await endedChains()).map(({ id }) => id))
try {
  for await (const _ of setInterval(1_000, null, { signal: stopped.signal })) await report()
} catch (error) {
  if (!stopped.signal.aborted) throw error
} finally {
  await reprise.close()
}

async function report(): Promise<void> {
  for (const chain of await endedChains()) {
    if (reported.has(chain.id)) continue
    reported.add(chain.id)
    const tiers = chain.byTier.map(({ name, costUsd }) => {
      return `${name} ${costUsd === null ? 'not reported' : `$${costUsd.toFixed(4)}`}`
    })
    console.log(`${chain.status}: ${chain.words} (${tiers.join(', ')})`)
  }
}

/** Oldest first. */
async function endedChains() {
  const chains = await reprise.chains.list({ policy: policy.name })
  return chains.filter(({ status }) => status !== 'running').toReversed()
}
