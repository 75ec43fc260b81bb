// What a kept process saves: the same turn on a warm process, on a new `--resume` process, and on a bare process that stays.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../src/index.ts'
import {
  compare,
  interleave,
  type Lane,
  milliseconds,
  numberFlag,
  print,
  report,
} from './measure.ts'
import { startApiProcess } from './model-api-process.ts'
import { type AgentWorld, createWorld, REAL_AGENTS } from './real-agents.ts'

const ROUNDS = numberFlag('rounds', 20)
const PROMPT = 'Look at the file again and say in a sentence whether it is all right.'
/** A warm turn takes at most this share of one on a new process, and at most so many times that of the bare process. */
const TARGETS = { new: 1 / 15, bare: 1.5 }

const isMet: boolean[] = []
for (const agent of REAL_AGENTS) isMet.push(await compareTurns(agent))
process.exitCode = isMet.every(Boolean) ? 0 : 1

async function compareTurns(agent: (typeof REAL_AGENTS)[number]): Promise<boolean> {
  const api = await startApiProcess()
  const world = createWorld(agent.executable, api.url)
  const bare = bareLane(world, agent.executable)
  const [warm, cold] = [openLibrary(world, 'warm'), openLibrary(world, 'new')]
  try {
    const lanes = [
      bare.lane,
      await libraryLane(world, { reprise: warm, process: 'warm' }),
      await libraryLane(world, { reprise: cold, process: 'new' }),
    ]
    const samples = await interleave(lanes, ROUNDS)
    process.stdout.write(`\none turn of Claude Code ${agent.version}, ${ROUNDS} rounds\n`)
    for (const [name, values] of samples) print(`  ${name}`, milliseconds(values))
    const toNew = report('  warm / new', compare(samples, 'warm', 'new'), TARGETS.new)
    return report('  warm / bare', compare(samples, 'warm', 'bare'), TARGETS.bare) && toNew
  } finally {
    bare.end()
    await warm.close()
    await cold.close()
    world.remove()
    api.stop()
  }
}

function openLibrary({ directory, env }: AgentWorld, process: 'warm' | 'new'): LocalReprise {
  return createReprise({
    store: sqlite(join(directory, `${process}.db`)),
    agents: [claudeCode()],
    dataDir: join(directory, `data-${process}`),
    environment: env,
    warm: process === 'warm',
  })
}

async function libraryLane(
  { workDir }: AgentWorld,
  { reprise, process }: { readonly reprise: LocalReprise; readonly process: 'warm' | 'new' },
): Promise<Lane> {
  const thread = await reprise.threads.create({ workDir })
  // The first turn starts the session.
  await thread.send(PROMPT).result
  return {
    name: process,
    async run() {
      const { run } = await thread.send(PROMPT).result
      if (run.status !== 'completed' || run.process !== process) {
        throw new Error(`${run.id}: ${run.status}, ${run.process}`)
      }
    },
  }
}

/** A process that stays, and a program that only counts its results. */
function bareLane({ workDir, env }: AgentWorld, executable: string) {
  const args = [
    ...['--print', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--input-format', 'stream-json', '--permission-mode', 'default'],
    ...['--session-id', randomUUID()],
  ]
  const child = spawn(executable, args, { cwd: workDir, env, stdio: ['pipe', 'pipe', 'ignore'] })
  let onResult = () => {}
  createInterface({ input: child.stdout }).on('line', line => {
    if (JSON.parse(line).type === 'result') onResult()
  })
  const lane: Lane = {
    name: 'bare',
    run: () =>
      new Promise(resolve => {
        onResult = resolve
        const message = { role: 'user', content: PROMPT }
        child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`)
      }),
  }
  return { lane, end: () => child.stdin.end() }
}
