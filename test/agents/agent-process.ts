// One process of a real agent: its lines as they come, what it said on stderr, how it ended. It is the head of its own group.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type AgentPlace, type AgentProgram, commandOf, environmentOf } from './agent-programs.ts'

export type ProcessEnd = {
  readonly code: number | null
  readonly signal: string | null
  readonly stderr: string
}

export type AgentProcess = {
  readonly pid: number
  /** Every line of stdout so far. */
  readonly lines: readonly string[]
  readonly ended: Promise<ProcessEnd>
  /** Resolves with the first line, past or future, that matches. Rejects when the process ends without one. */
  waitFor(matches: (line: string) => boolean): Promise<string>
  write(line: string): void
  /** Writes a last text as it is, and ends the input. */
  closeInput(text?: string): void
  /** Kills the whole group at once. */
  kill(): void
}

export type StartedWith = {
  readonly program: AgentProgram
  readonly place: AgentPlace
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Called for each line when it comes. */
  readonly onLine?: (line: string) => void
}

type Waiter = {
  readonly matches: (line: string) => boolean
  readonly found: PromiseWithResolvers<string>
}

export function startAgent({ program, place, args, cwd, env, onLine }: StartedWith): AgentProcess {
  const [file, ...first] = commandOf(program)
  const child = spawn(file, [...first, ...args], {
    cwd,
    env: { ...environmentOf(program, place), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  // A program that has ended does not read what is written to it.
  child.stdin.on('error', () => {})
  const waiters = new Set<Waiter>()
  const lines: string[] = []
  readLines(child.stdout, line => {
    lines.push(line)
    onLine?.(line)
    for (const waiter of waiters) if (waiter.matches(line)) waiter.found.resolve(line)
  })
  const ended = endOf(child)
  void ended.then(({ code, stderr }) => {
    const reason = new Error(`${program.name} ended with ${code}: ${stderr.slice(-500)}`)
    for (const { found } of waiters) found.reject(reason)
  })
  const pid = child.pid ?? 0
  return {
    pid,
    lines,
    ended,
    waitFor(matches) {
      const past = lines.find(matches)
      if (past !== undefined) return Promise.resolve(past)
      const found = Promise.withResolvers<string>()
      waiters.add({ matches, found })
      return found.promise
    },
    write: line => void child.stdin.write(`${line}\n`),
    closeInput: text => void child.stdin.end(text),
    kill: () => killGroup(pid),
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function endOf(child: Child): Promise<ProcessEnd> {
  const said: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>()
  child.on('error', reject)
  child.on('close', (code, signal) =>
    resolve({ code, signal, stderr: Buffer.concat(said).toString('utf8') }),
  )
  return promise
}

/** Splits at line feeds only: other programs put other separators into their JSON. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part.trim() !== '') onLine(part)
  })
  stream.on('end', () => {
    if (rest.trim() !== '') onLine(rest)
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
