// What reading an agent's output costs: events per second against the naive way, and a line of 50 MB.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createParser } from '../src/adapters/claude-code/stream/parser.ts'
import { createLineSplitter } from '../src/runner/lines.ts'
import { DEFAULT_LIMITS } from '../src/runner/runner.ts'
import { createRunner } from '../src/runner/start.ts'

const EVENTS = 100_000
const ANSWER_EVENTS = 100
const ROUNDS = 15
const CHUNK_BYTES = 64 * 1024
const LINE_BYTES = 50_000_000
const TARGETS = { ratio: 0.7, lineSeconds: 1, lineMegabytes: 150 }

type LongLine = {
  readonly bytes: number
  readonly seconds: number
  /** Peak of the process, and what it was before the line: Node and our modules. */
  readonly megabytes: number
  readonly megabytesBefore: number
}

if (process.argv[2] === '--long-line') process.stdout.write(JSON.stringify(await readLongLine()))
else main()

function main(): void {
  // First, in a small process of its own: a child's peak starts at what its parent held.
  const line = measureLongLine()
  const flood = compareFlood()
  const { ratio } = flood
  print('naive split + JSON.parse', `${perSecond(flood.naiveSeconds)} events/s`)
  print('splitter + parser', `${perSecond(flood.ourSeconds)} events/s`)
  print('ratio', `${ratio.toFixed(2)} (at least ${TARGETS.ratio})`)
  print('one line of 50 MB', `${line.seconds.toFixed(2)} s (under ${TARGETS.lineSeconds})`)
  print('  peak memory', `${line.megabytes.toFixed(0)} MB (under ${TARGETS.lineMegabytes})`)
  print('  memory before it', `${line.megabytesBefore.toFixed(0)} MB`)
  const isMet =
    ratio >= TARGETS.ratio &&
    line.seconds < TARGETS.lineSeconds &&
    line.megabytes < TARGETS.lineMegabytes &&
    line.bytes === LINE_BYTES
  process.exitCode = isMet ? 0 : 1
}

/** Medians over rounds of pairs on the same bytes; who goes first changes, so that both pay for the other's garbage. */
function compareFlood() {
  const chunks = floodChunks()
  const naive = () => secondsOf(() => readNaively(chunks))
  const ours = () => secondsOf(() => readOurWay(chunks))
  naive()
  ours()
  const pairs = Array.from({ length: ROUNDS }, (_, round) => {
    if (round % 2 === 0) return { naiveSeconds: naive(), ourSeconds: ours() }
    const ourSeconds = ours()
    return { naiveSeconds: naive(), ourSeconds }
  })
  return {
    naiveSeconds: median(pairs.map(pair => pair.naiveSeconds)),
    ourSeconds: median(pairs.map(pair => pair.ourSeconds)),
    ratio: median(pairs.map(pair => pair.naiveSeconds / pair.ourSeconds)),
  }
}

function readNaively(chunks: readonly Buffer[]): number {
  let count = 0
  let rest = ''
  for (const chunk of chunks) {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (JSON.parse(line) !== null) count += 1
  }
  return count
}

function readOurWay(chunks: readonly Buffer[]): number {
  let count = 0
  let parsed = 0
  const splitter = createLineSplitter(DEFAULT_LIMITS)
  const parser = createParser()
  for (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      if (line.kind !== 'line') continue
      count += 1
      parsed += parser.parse(line.text).length
    }
  }
  if (parsed < count * 0.9) throw new Error('The parser did not understand the events.')
  return count
}

/** Answers while they are written, piece by piece, some 230 bytes each, in the chunks of a pipe. */
function floodChunks(): readonly Buffer[] {
  const lines = Array.from({ length: EVENTS / ANSWER_EVENTS }, (_, i) => answerLines(i)).flat()
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  const count = Math.ceil(bytes.length / CHUNK_BYTES)
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  )
}

function answerLines(answer: number): readonly string[] {
  const envelope = {
    session_id: '3f0d6a52-6f0c-4a53-9a53-0c7a3d1b2e4f',
    parent_tool_use_id: null,
    uuid: '8d3c1f60-52b1-4f0e-8a55-6a1f7f0e9b21',
  }
  const stream = (event: object) => JSON.stringify({ type: 'stream_event', event, ...envelope })
  const texts = Array.from({ length: ANSWER_EVENTS - 3 }, (_, i) => `step ${i}: ok, `)
  const head = { id: `msg_${answer}`, role: 'assistant', model: 'claude-sonnet-4-5' }
  const usage = { input_tokens: 9, output_tokens: 1 }
  const content = [{ type: 'text', text: texts.join('') }]
  return [
    stream({ type: 'message_start', message: { ...head, content: [], usage } }),
    ...texts.map(text =>
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    JSON.stringify({ type: 'assistant', message: { ...head, content, usage }, ...envelope }),
    stream({ type: 'message_stop' }),
  ]
}

function measureLongLine(): LongLine {
  const file = fileURLToPath(import.meta.url)
  const output = execFileSync(process.execPath, [file, '--long-line'], { encoding: 'utf8' })
  return JSON.parse(output)
}

/** Through the whole runner, from a real process. */
async function readLongLine(): Promise<LongLine> {
  const script = `head -c ${LINE_BYTES} /dev/zero | tr '\\0' x; echo`
  const megabytesBefore = peakMegabytes()
  const before = performance.now()
  const agent = await createRunner().start(
    {
      file: '/bin/sh',
      args: ['-c', script],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      workDir: '/',
      stdin: new Uint8Array(),
    },
    'bench_stream',
    DEFAULT_LIMITS,
  )
  let bytes = 0
  for await (const line of agent.lines) bytes += line.kind === 'oversized' ? line.bytes : 0
  await agent.exit
  const seconds = (performance.now() - before) / 1000
  return { bytes, seconds, megabytes: peakMegabytes(), megabytesBefore }
}

function peakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024
}

function secondsOf(work: () => number): number {
  const before = performance.now()
  if (work() !== EVENTS) throw new Error('Not every event was read.')
  return (performance.now() - before) / 1000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function perSecond(seconds: number): string {
  return Math.round(EVENTS / seconds).toLocaleString('en')
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(28)} ${figure}\n`)
}
