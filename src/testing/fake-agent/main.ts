// The fake agent as a program: the behaviour over the real files, clock and processes.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { behave } from './behaviour.ts'
import { diskFiles } from './disk-files.ts'
import { takesLines } from './input/arguments.ts'
import type { AgentWorld, FakeOutput, Invocation } from './world.ts'

/** As the real program ends on a signal: an interrupted request leaves no result and exit code 0. */
const CODES = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const

for (const [signal, code] of Object.entries(CODES)) process.on(signal, () => process.exit(code))

const world: AgentWorld = {
  files: diskFiles(),
  clock: { now: Date.now, sleep: ms => sleep(ms) },
  pid: process.pid,
  script: [],
  uuid: randomUUID,
  nextLine: createLineReader(),
  hang: keepAlive,
  die(signal) {
    if (signal in CODES) process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    return keepAlive()
  },
  ignoreSignals() {
    for (const signal of Object.keys(CODES)) {
      process.removeAllListeners(signal)
      process.on(signal, () => undefined)
    }
  },
  leaveOrphan({ seconds, ownSession }) {
    const stdio = ['ignore', 'inherit', 'ignore'] as const
    const child = spawn('sleep', [String(seconds)], { stdio: [...stdio], detached: ownSession })
    child.unref()
    return child.pid ?? 0
  },
  async journal(line) {
    const path = process.env.FAKE_AGENT_JOURNAL
    if (path !== undefined) await appendFile(path, `${JSON.stringify(line)}\n`)
  },
}

void main()

async function main(): Promise<never> {
  const code = await run({
    args: process.argv.slice(2),
    env: Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [name, value ?? '']),
    ),
    cwd: process.cwd(),
    stdin: await readStdin(),
  })
  // An orphan or a signal handler must not keep the program alive: it ends when its output is written.
  process.exit(code)
}

async function run(invocation: Invocation): Promise<number> {
  const outputs = behave(invocation, world)
  for (;;) {
    const next = await outputs.next()
    if (next.done === true) return next.value
    await put(next.value)
  }
}

function put(output: FakeOutput): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const content = 'line' in output ? `${output.line}\n` : output.bytes
  // A reader that left does not stop the real program either.
  process[output.to].write(content, () => resolve())
  return promise
}

/** Probes run without a prompt, perhaps on an open terminal, so the program does not read stdin. Lines of JSON are read one by one. */
async function readStdin(): Promise<Uint8Array> {
  const probe = process.argv.some(word => word === '--version' || word === '--help')
  if (probe || takesLines(process.argv) || process.stdin.isTTY) return new Uint8Array()
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Reads nothing before the first line is requested. */
function createLineReader(): () => Promise<string | null> {
  const lines = linesOfInput()
  return async () => {
    const next = await lines.next()
    return next.done === true ? null : next.value
  }
}

/** By newlines alone. `node:readline` also ends lines at U+2028 and U+2029, which a text in JSON may hold. */
async function* linesOfInput(): AsyncGenerator<string, void> {
  let begun: string[] = []
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) {
    const [first = '', ...others] = String(chunk).split('\n')
    begun.push(first)
    for (const next of others) {
      yield begun.join('')
      begun = [next]
    }
  }
  const last = begun.join('')
  if (last !== '') yield last
}

function keepAlive(): Promise<never> {
  setInterval(() => undefined, 1 << 30)
  return new Promise<never>(() => undefined)
}
