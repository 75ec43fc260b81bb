// What ten turns of a thread are billed when sessions are resumed, and when every turn replays the transcript in a new one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCode, createReprise, sqlite } from '../src/index.ts'
import {
  type Billed,
  lastTextOf,
  type ModelApi,
  startModelApi,
  textReply,
  toolReply,
} from '../src/testing/index.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const TURNS = 10
const FILE = 'notes.txt'
const COMMAND = `cat ${FILE}`

type Weight = {
  readonly name: string
  readonly toolChars: number
  readonly answerChars: number
  /** How much dearer replaying has to be at least. */
  readonly atLeast: number
}

const WEIGHTS: readonly Weight[] = [
  { name: 'light', toolChars: 200, answerChars: 2_000, atLeast: 1.6 },
  { name: 'heavy', toolChars: 19_000, answerChars: 8_000, atLeast: 2.1 },
]

let isMet = true
for (const agent of REAL_AGENTS) {
  for (const weight of WEIGHTS) {
    const resuming = await bill(agent.executable, weight, 'resume')
    const replaying = await bill(agent.executable, weight, 'replay')
    const ratio = replaying.costUsd / resuming.costUsd
    process.stdout.write(`\nClaude Code ${agent.version}, ${TURNS} ${weight.name} turns\n`)
    process.stdout.write(row('', ['uncached', 'cache write', 'cache read', 'output', 'dollars']))
    process.stdout.write(row('resume', figures(resuming)))
    process.stdout.write(row('replay', figures(replaying)))
    const verdict = ratio >= weight.atLeast ? '' : '  MISSED'
    process.stdout.write(
      `  ratio of dollars ${ratio.toFixed(2)} (at least ${weight.atLeast})${verdict}\n`,
    )
    isMet &&= ratio >= weight.atLeast
  }
}
process.exitCode = isMet ? 0 : 1

/** Every turn is a tool call and an answer. */
async function bill(executable: string, weight: Weight, way: 'resume' | 'replay'): Promise<Billed> {
  const api = await startModelApi()
  answerBy(api, weight)
  const world = createWorld(executable, api.url)
  const { directory, workDir, env } = world
  writeFileSync(join(workDir, FILE), words('noted', weight.toolChars))
  const reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode()],
    dataDir: directory,
    environment: env,
  })
  try {
    const thread = await reprise.threads.create({ workDir })
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { run } = await thread.send(`Question ${turn}: what do the notes say?`, {
        allowedTools: ['Bash'],
        freshSession: way === 'replay',
      }).result
      const expected = turn === 0 ? 'start' : way
      if (run.status === 'completed' && run.decision?.action === expected) continue
      throw new Error(`turn ${turn} was ${run.decision?.action}: ${run.failure?.message}`)
    }
    return api.billed
  } finally {
    await reprise.close()
    await api.close()
    world.remove()
  }
}

function answerBy(api: ModelApi, { answerChars }: Weight): void {
  let answers = 0
  api.respond(request => {
    if (!lastTextOf(request).startsWith('noted')) return toolReply('Bash', { command: COMMAND })
    answers += 1
    return textReply(words(`answer${answers}`, answerChars))
  })
}

function words(word: string, chars: number): string {
  return Array.from({ length: chars }, (_, i) => `${word} ${i}\n`)
    .join('')
    .slice(0, chars)
}

function figures(billed: Billed): readonly string[] {
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens, costUsd } = billed
  const counts = [inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens]
  return [...counts.map(count => count.toLocaleString('en-US')), costUsd.toFixed(3)]
}

function row(title: string, cells: readonly string[]): string {
  return `  ${title.padEnd(8)}${cells.map(cell => cell.padStart(13)).join('')}\n`
}
