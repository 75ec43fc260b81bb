// How far off the prices are that turns have before they are sent: 500 turns of mixed kinds on the real program, billed by the fake
// model API. Turns differ in the calls they make, in what the calls return and in how long answers are; sessions are resumed, forked after
// an edit, replayed as a session and in the prompt, and change their model. ESTIMATES_TURNS runs fewer.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wayName } from '../src/core/decide/ways.ts'
import { type EstimateErrors, estimateQuality } from '../src/core/money/estimate-error.ts'
import type { Run } from '../src/core/run/run.ts'
import { claudeCode, createReprise, sqlite, type Thread } from '../src/index.ts'
import {
  lastTextOf,
  type ModelApi,
  startModelApi,
  textReply,
  toolReply,
} from '../src/testing/index.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const TURNS = Number(process.env.ESTIMATES_TURNS ?? 500)
const TURNS_PER_THREAD = 10
const MODELS = ['claude-sonnet-4-5', 'claude-haiku-4-5'] as const

/** The same chances in every run of the program. */
function createChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

type Turn = { readonly calls: number; readonly toolChars: number; readonly answerChars: number }

const chance = createChance(7)
const between = (least: number, most: number) => Math.floor(least + chance() * (most - least))

const [agent] = REAL_AGENTS
if (agent === undefined) throw new Error('no agent')
const api = await startModelApi()
const { directory, workDir, env, remove } = createWorld(agent.executable, api.url)
const turns: Turn[] = []
answerBy(api)
const open = (replay: 'native' | 'prompt') =>
  createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode()],
    dataDir: join(directory, 'data'),
    environment: env,
    resume: { replay },
    warm: true,
  })
const [native, prompt] = [open('native'), open('prompt')]
const runs: Run[] = []
try {
  while (runs.length < TURNS) await talk()
  report()
} finally {
  await native.close()
  await prompt.close()
  await api.close()
  remove()
}

/** Each thread has a habit of its own, and its turns differ around it. */
async function talk(): Promise<void> {
  const thread = await native.threads.create({ workDir })
  const other = await prompt.threads.get(thread.id)
  const usual = {
    calls: between(0, 4),
    toolChars: between(100, 8_000),
    answer: between(100, 4_000),
  }
  for (let turn = 0; turn < TURNS_PER_THREAD && runs.length < TURNS; turn += 1) {
    const toolChars = Math.round(usual.toolChars * (0.5 + chance()))
    const answerChars = Math.round(usual.answer * (0.5 + chance()))
    turns.push({ calls: usual.calls + between(0, 2), toolChars, answerChars })
    writeFileSync(join(workDir, `notes-${turns.length - 1}.txt`), words('noted', toolChars))
    runs.push(await sendOne({ thread, other, isFirst: turn === 0 }))
    if (runs.length % 50 === 0) process.stderr.write(`${runs.length} turns\n`)
  }
}

type Talk = { readonly thread: Thread; readonly other: Thread; readonly isFirst: boolean }

/** Seven of ten turns go on; the others are a replay of each form, an edit, and another model. */
async function sendOne({ thread, other, isFirst }: Talk): Promise<Run> {
  const text = `Question ${turns.length - 1}: what do the notes say? ${words('why', between(0, 600))}`
  const allowedTools = ['Bash']
  const kind = isFirst ? 0 : between(0, 20)
  if (kind === 14 || kind === 15) {
    const asked = (await thread.show()).messages.filter(({ role }) => role === 'user')
    const last = asked.at(-1)
    if (last) return ended(thread.retry(last.id, { text, allowedTools }))
  }
  if (kind === 16 || kind === 17)
    return ended(thread.send(text, { allowedTools, freshSession: true }))
  if (kind === 18) return ended(other.send(text, { allowedTools, freshSession: true }))
  const model = kind === 19 ? MODELS[1] : MODELS[0]
  return ended(thread.send(text, { allowedTools, model }))
}

async function ended(turn: ReturnType<Thread['send']>): Promise<Run> {
  const { run } = await turn.result
  if (run.status !== 'completed') throw new Error(run.failure?.message)
  return run
}

/** Makes the calls of the turn one after the other, then answers. */
function answerBy(model: ModelApi): void {
  let made = 0
  model.respond(request => {
    const turn = turns.length - 1
    const { calls = 0, answerChars = 1 } = turns[turn] ?? {}
    if (!lastTextOf(request).startsWith('noted')) made = 0
    if (made >= calls) return textReply(words(`answer ${turn}`, answerChars))
    made += 1
    return toolReply('Bash', { command: `cat notes-${turn}.txt`, description: 'read' })
  })
}

function words(word: string, chars: number): string {
  return Array.from({ length: chars }, (_, i) => `${word} ${i}\n`)
    .join('')
    .slice(0, chars)
}

function report(): void {
  const wayOf = (run: Run) => (run.decision && wayName(run.decision)) ?? 'none'
  const row = (name: string, some: readonly Run[]) => {
    const known = some.flatMap(({ estimate, usage, costUsd }) =>
      estimate ? [{ estimate, usage, costUsd }] : [],
    )
    const { costUsd, tokens } = estimateQuality(known)
    const cells = [String(some.length), String(known.length), ...errors(costUsd), ...errors(tokens)]
    process.stdout.write(`${name.padEnd(16)}${cells.map(cell => cell.padStart(12)).join('')}\n`)
  }
  const titles = ['turns', 'estimated', '$ median', '$ p90', 'tok. median', 'tok. p90']
  process.stdout.write(`${''.padEnd(16)}${titles.map(title => title.padStart(12)).join('')}\n`)
  row('all', runs)
  for (const way of new Set(runs.map(wayOf)))
    row(
      way,
      runs.filter(run => wayOf(run) === way),
    )
}

function errors({ median, p90 }: EstimateErrors): readonly string[] {
  return [median, p90].map(share => (share === null ? '–' : `${(share * 100).toFixed(1)} %`))
}
