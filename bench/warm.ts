// What a kept process saves: the same turn on a warm process, in the library and through a daemon, on a new `--resume` process, and on a bare process that stays.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Reprise } from '../src/api.ts'
import { connectReprise } from '../src/client/connect.ts'
import { processWords } from '../src/core/warm/process-words.ts'
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

const CLI = fileURLToPath(new URL('../bin/reprise.js', import.meta.url))
const ROUNDS = numberFlag('rounds', 20)
const PROMPT = 'Look at the file again and say in a sentence whether it is all right.'
/** How many times that of the bare process a turn takes at most. What a new process takes shows what is saved. */
const MOST_OF_BARE = 1.5

const isMet: boolean[] = []
for (const agent of REAL_AGENTS) isMet.push(await compareTurns(agent))
process.exitCode = isMet.every(Boolean) ? 0 : 1

async function compareTurns(agent: (typeof REAL_AGENTS)[number]): Promise<boolean> {
  const api = await startApiProcess()
  const world = createWorld(agent.executable, api.url)
  const bare = bareLane(world, agent.executable)
  const [warm, cold] = [openLibrary(world, 'warm'), openLibrary(world, 'new')]
  const daemon = await startDaemon(world)
  try {
    const lanes = [
      bare.lane,
      await repriseLane(world, { reprise: warm, name: 'warm', process: 'warm' }),
      await repriseLane(world, { reprise: daemon.reprise, name: 'daemon', process: 'warm' }),
      await repriseLane(world, { reprise: cold, name: 'new', process: 'new' }),
    ]
    const samples = await interleave(lanes, ROUNDS)
    process.stdout.write(`\none turn of Claude Code ${agent.version}, ${ROUNDS} rounds\n`)
    for (const [name, values] of samples) print(`  ${name}`, milliseconds(values))
    for (const lane of ['bare', 'warm', 'daemon']) {
      print(`  ${lane} / new`, `${compare(samples, lane, 'new').ratio.toFixed(3)}×`)
    }
    const met = ['warm', 'daemon'].map(lane =>
      report(`  ${lane} / bare`, compare(samples, lane, 'bare'), MOST_OF_BARE),
    )
    return met.every(Boolean)
  } finally {
    bare.end()
    await daemon.stop()
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

/** A daemon of its own, and a client over its socket. */
async function startDaemon({ directory, env }: AgentWorld) {
  const home = join(directory, 'daemon')
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--json'], {
    env: { ...env, REPRISE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const end = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(String(line)) as { readonly url: string }
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const reprise = connectReprise({ url, token })
  const stop = async () => {
    await reprise.close()
    child.kill('SIGTERM')
    await end
  }
  return { reprise, stop }
}

type RepriseLane = {
  readonly reprise: Reprise
  readonly name: string
  readonly process: 'warm' | 'new'
}

async function repriseLane(
  { workDir }: AgentWorld,
  { reprise, name, process }: RepriseLane,
): Promise<Lane> {
  const thread = await reprise.threads.create({ workDir })
  // The first turn starts the session.
  await thread.send(PROMPT).result
  return {
    name,
    async run() {
      const { run } = await thread.send(PROMPT).result
      if (run.status !== 'completed' || run.process !== process) {
        const why = processWords(run, await reprise.runs.events(run.id))
        throw new Error(`${run.id}: ${run.status}, process ${why}`)
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
