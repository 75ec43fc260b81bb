// Work that survives: kill this program in the middle and start it again, the job goes on. Needs `claude` on PATH.
import { claudeCode, createReprise, sqlite } from 'reprise'

const reprise = createReprise({ store: sqlite('example.db'), agents: [claudeCode()] })

// The same key is the same job, however often this program is started.
const request = {
  prompt: 'List the files here and say what this project is about.',
  workDir: process.cwd(),
  timeoutMs: 10 * 60_000,
  maxAttempts: 3,
}
const key = { key: 'about-this-project', request: JSON.stringify(request), note: '' }
const { id } = await reprise.jobs.submit({ ...request, key })

const job = await reprise.jobs.wait(id)
console.log(`${job.status} after ${job.attempts.length} attempt(s): ${job.words}`)
const { messages } = await (await reprise.threads.get(job.threadId)).show()
console.log(messages.at(-1)?.text)

await reprise.close()
