// A CI job that survives a timeout: the next start continues in the agent's session. Run: node examples/ci-job.ts 'PROMPT'
// Keep .reprise/ between the runs of the CI job (a cache or an artifact). Exit codes: 0 done, 1 failed, 75 start again.
import { claudeCode, createReprise, sqlite } from 'reprise'

const [prompt = 'Update the dependencies and make the tests pass'] = process.argv.slice(2)
const reprise = createReprise({
  store: sqlite('.reprise/reprise.db'),
  agents: [claudeCode()],
  // Copies of the agent's session files are kept here: a fresh machine has none of its own.
  dataDir: '.reprise',
})

// CI systems send SIGTERM some seconds before they kill. Without it the job survives as well, as it was last stored.
const timeUp = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => timeUp.abort())

// The same key is the same job, however often this program is started. Here: one job per commit and prompt.
const request = { prompt, workDir: process.cwd(), timeoutMs: 30 * 60_000, maxAttempts: 5 }
const key = `${process.env.GITHUB_SHA ?? 'local'} ${prompt}`
const { id } = await reprise.jobs.submit({
  ...request,
  key: { key, request: JSON.stringify(request), note: '' },
})

const job = await reprise.jobs.wait(id, timeUp.signal)
await reprise.close()

const isOver = ['completed', 'failed', 'cancelled', 'dead'].includes(job.status)
if (!isOver) {
  console.log('time is up; start this job again to continue')
  process.exitCode = 75
} else {
  console.log(`${job.status} after ${job.attempts.length} attempt(s): ${job.words}`)
  if (job.text !== null) console.log(job.text)
  process.exitCode = job.status === 'completed' ? 0 : 1
}
