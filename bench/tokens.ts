// What ten turns of a thread are billed in four ways: sessions resumed, our transcript replayed in a new session every
// turn (it shortens what tools gave), the conversation replayed as a session that we write, and the full transcript pasted into a new session, as one does without Reprise.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCode, createReprise, type Reprise, sqlite } from '../src/index.ts'
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

type Weight = {
  readonly name: string
  readonly toolChars: number
  readonly answerChars: number
  /** How much dearer pasting was when it was measured by hand. */
  readonly expected: number
}

const WEIGHTS: readonly Weight[] = [
  { name: 'light', toolChars: 200, answerChars: 2_000, expected: 1.6 },
  { name: 'heavy', toolChars: 19_000, answerChars: 8_000, expected: 2.1 },
]

const WAYS = ['resume', 'replay', 'native', 'paste'] as const
type Way = (typeof WAYS)[number]

let isMet = true
for (const { version, executable } of REAL_AGENTS) {
  for (const weight of WEIGHTS) {
    const bills = new Map<Way, Billed>()
    for (const way of WAYS) bills.set(way, await bill(executable, weight, way))
    isMet = report(`Claude Code ${version}`, weight, bills) && isMet
  }
}
process.exitCode = isMet ? 0 : 1

/** Every turn is a tool call and an answer. */
async function bill(executable: string, weight: Weight, way: Way): Promise<Billed> {
  const api = await startModelApi()
  answerBy(api, weight)
  const { directory, workDir, env, remove } = createWorld(executable, api.url)
  for (let turn = 0; turn < TURNS; turn += 1) {
    writeFileSync(join(workDir, fileOf(turn)), toolOutput(turn, weight))
  }
  const reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode()],
    dataDir: join(directory, 'data'),
    environment: env,
    resume: { replay: way === 'native' ? 'native' : 'prompt' },
  })
  try {
    await (way === 'paste' ? paste(reprise, workDir, weight) : converse(reprise, workDir, way))
    return api.billed
  } finally {
    await reprise.close()
    await api.close()
    remove()
  }
}

async function converse(reprise: Reprise, workDir: string, way: Exclude<Way, 'paste'>) {
  const thread = await reprise.threads.create({ workDir })
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { run } = await thread.send(question(turn), {
      allowedTools: ['Bash'],
      freshSession: way !== 'resume',
    }).result
    const expected = turn === 0 ? 'start' : way === 'native' ? 'replay' : way
    const isNative = run.decision?.action === 'replay' && run.decision.form === 'native'
    const isExpected =
      run.decision?.action === expected && isNative === (way === 'native' && turn > 0)
    if (run.status === 'completed' && isExpected) continue
    throw new Error(`turn ${turn} was ${run.decision?.action}: ${run.failure?.message}`)
  }
}

async function paste(reprise: Reprise, workDir: string, weight: Weight) {
  let transcript = ''
  for (let turn = 0; turn < TURNS; turn += 1) {
    const thread = await reprise.threads.create({ workDir })
    const prompt = `${transcript}${question(turn)}`
    const { run, text } = await thread.send(prompt, { allowedTools: ['Bash'] }).result
    if (run.status !== 'completed') throw new Error(run.failure?.message)
    const tool = `Bash cat ${fileOf(turn)}:\n${toolOutput(turn, weight)}`
    transcript += `User: ${question(turn)}\n\n${tool}\n\nAssistant: ${text}\n\n`
  }
}

function answerBy(api: ModelApi, { answerChars }: Weight): void {
  api.respond(request => {
    const said = lastTextOf(request)
    const turn = Number(/^noted (\d+)/.exec(said)?.[1] ?? Number.NaN)
    if (!Number.isNaN(turn)) return textReply(words(`answer ${turn}`, answerChars))
    const asked = Number([...said.matchAll(/Question (\d+)/g)].at(-1)?.[1])
    return toolReply('Bash', { command: `cat ${fileOf(asked)}` })
  })
}

function question(turn: number): string {
  return `Question ${turn}: what do the notes say?`
}

function fileOf(turn: number): string {
  return `notes-${turn}.txt`
}

function toolOutput(turn: number, { toolChars }: Weight): string {
  return words(`noted ${turn}`, toolChars)
}

function words(word: string, chars: number): string {
  return Array.from({ length: chars }, (_, i) => `${word} ${i}\n`)
    .join('')
    .slice(0, chars)
}

/** False when resuming was not the cheapest way. */
function report(agent: string, weight: Weight, bills: ReadonlyMap<Way, Billed>): boolean {
  const base = bills.get('resume')?.costUsd ?? Number.NaN
  process.stdout.write(`\n${agent}, ${TURNS} ${weight.name} turns\n`)
  const titles = ['uncached', 'cache write', 'cache read', 'output', 'dollars', 'ratio']
  process.stdout.write(row('', titles))
  for (const [way, billed] of bills) {
    process.stdout.write(row(way, [...figures(billed), (billed.costUsd / base).toFixed(2)]))
  }
  const ratio = (bills.get('paste')?.costUsd ?? Number.NaN) / base
  process.stdout.write(`  paste / resume ${ratio.toFixed(2)} (expected about ${weight.expected})\n`)
  return ratio > 1
}

function figures(billed: Billed): readonly string[] {
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens, costUsd } = billed
  const counts = [inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens]
  return [...counts.map(count => count.toLocaleString('en-US')), costUsd.toFixed(3)]
}

function row(title: string, cells: readonly string[]): string {
  return `  ${title.padEnd(8)}${cells.map(cell => cell.padStart(13)).join('')}\n`
}
