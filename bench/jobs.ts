// What jobs cost: submitting and completing them without any work, waiting ones in memory, and work that is lost by a kill.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../src/index.ts'
import {
  createFakeRunner,
  memoryExecutable,
  memoryFiles,
  startModelApi,
  textReply,
  toolReply,
} from '../src/testing/index.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const SUBMITS = Number(process.env.BENCH_SUBMITS ?? 2_000)
const COMPLETED = Number(process.env.BENCH_COMPLETED ?? 300)
const WAITING = Number(process.env.BENCH_WAITING ?? 10_000)
const STEPS = 10

await engineFigures()
for (const { version, executable } of REAL_AGENTS) await lostWork(version, executable)

/** Agents that answer at once, in this process: what is left is ours. */
async function engineFigures(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'reprise-bench-jobs-'))
  const idle = openInMemory(directory, 'submit.db', 0)
  const submitted = performance.now()
  for (let i = 0; i < SUBMITS; i += 1) await submit(idle, i)
  const submitMs = performance.now() - submitted
  print(
    `submit: ${Math.round(SUBMITS / (submitMs / 1000))} jobs/s, one after the other, each on disk`,
  )
  const before = process.memoryUsage.rss()
  for (let i = SUBMITS; i < WAITING; i += 1) await submit(idle, i)
  const grownMb = (process.memoryUsage.rss() - before) / 1024 / 1024
  print(`${WAITING} waiting jobs: ${Math.round(grownMb)} MB more than with ${SUBMITS}`)
  await idle.close()

  const working = openInMemory(directory, 'complete.db', 4)
  const completed = performance.now()
  for (let i = 0; i < COMPLETED; i += 1) await submit(working, i)
  while ((await countCompleted(working)) < COMPLETED) await sleep(20)
  const completeMs = performance.now() - completed
  print(`complete: ${Math.round(COMPLETED / (completeMs / 1000))} jobs/s with 4 workers`)

  const latencies: number[] = []
  for (let i = 0; i < 50; i += 1) {
    const { id, createdAt } = await working.jobs.get(await submit(working, COMPLETED + i))
    const { attempts } = await working.jobs.wait(id)
    latencies.push((attempts[0]?.startedAt ?? 0) - createdAt)
  }
  latencies.sort((a, b) => a - b)
  print(`start latency: p50 ${latencies[25]} ms, p99 ${latencies[49]} ms`)
  await working.close()
  rmSync(directory, { recursive: true })
}

function openInMemory(directory: string, name: string, workers: number): LocalReprise {
  const files = memoryFiles()
  void files.write('/bin/agent', memoryExecutable())
  void files.makeDirectory('/work')
  return createReprise({
    store: sqlite(join(directory, name)),
    agents: [claudeCode({ executable: '/bin/agent', env: { HOME: '/home' } })],
    dataDir: join(directory, 'data'),
    workers,
    dependencies: { files, runner: createFakeRunner({ files }) },
  })
}

async function countCompleted(reprise: LocalReprise): Promise<number> {
  const counts = await reprise.countJobs()
  return counts.find(({ status }) => status === 'completed')?.jobs ?? 0
}

async function submit(reprise: LocalReprise, number: number): Promise<string> {
  const job = { prompt: `job ${number}`, workDir: '/work', checkpoints: 'off' } as const
  return (await reprise.jobs.submit(job)).id
}

/** Ten steps, killed in the middle; then in the same session, or afresh as one would without a session. */
async function lostWork(version: string, executable: string): Promise<void> {
  const bills = new Map<string, { calls: number; tokens: number; costUsd: number }>()
  for (const way of ['resume', 'fresh'] as const) {
    const api = await startModelApi()
    // The next step follows from what the model is shown: what it does not know it does again.
    api.respond(request => {
      const done = JSON.stringify(request.body).split('"type":"tool_result"').length - 1
      return done < STEPS
        ? toolReply('Bash', { command: `echo step ${done}`, description: 'a step' })
        : textReply('all steps are done')
    })
    const { directory, workDir, env, remove } = createWorld(executable, api.url)
    const reprise = createReprise({
      store: sqlite(join(directory, 'reprise.db')),
      agents: [claudeCode()],
      dataDir: join(directory, 'data'),
      environment: env,
    })
    const backoff = { firstMs: 1 }
    const task = { prompt: 'do ten steps', workDir, allowedTools: ['Bash'], backoff }
    const { id } = await reprise.jobs.submit({
      ...task,
      resume: way === 'resume' ? 'auto' : 'never',
    })
    while (api.turns.length <= STEPS / 2) await sleep(5)
    const [run] = (await reprise.jobs.get(id)).attempts
    await reprise.runs.cancel(run?.id ?? '')
    await reprise.jobs.wait(id)
    await reprise.jobs.retry(id, { resume: way === 'resume' })
    const job = await reprise.jobs.wait(id)
    if (job.status !== 'completed') throw new Error(`the job is ${job.status}: ${job.words}`)
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = api.billed
    const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
    bills.set(way, { calls: api.turns.length, tokens, costUsd })
    await reprise.close()
    await api.close()
    remove()
  }
  const [resumed, afresh] = [bills.get('resume'), bills.get('fresh')]
  if (!resumed || !afresh) throw new Error('both ways are measured')
  print(
    `Claude Code ${version}, ${STEPS} steps, killed after ${STEPS / 2}: resumed ${resumed.calls} model calls, ${resumed.tokens} tokens, $${resumed.costUsd.toFixed(3)}; afresh ${afresh.calls}, ${afresh.tokens}, $${afresh.costUsd.toFixed(3)}; afresh / resumed: ${(afresh.calls / resumed.calls).toFixed(2)} calls, ${(afresh.costUsd / resumed.costUsd).toFixed(2)} dollars`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
