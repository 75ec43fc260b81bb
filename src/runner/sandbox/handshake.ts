// Waits until a sandbox says that it is set up. Before that, nothing runs inside.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealSandbox } from '../../core/run/sandbox.ts'
import { SANDBOX_HINT } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import { OTHER_DIRECTORY } from './contain.ts'

/** A sandbox is set up in milliseconds; a mount that hangs must not block the run for ever. */
const SET_UP_MS = 20_000
const MAX_WORDS = 2_000
const END_MS = 2_000

/** Lets the agent start. */
export const GO = 'go\n'

export type SetUp =
  | { readonly ready: true }
  /** Its processes have ended; `words` is what it wrote to stderr. */
  | { readonly ready: false; readonly code: number | null; readonly words: string }

export async function setUp(child: ChildProcess): Promise<SetUp> {
  const readyPipe = child.stdio[3]
  const stderr: Buffer[] = []
  const collect = (chunk: Buffer) => stderr.push(chunk)
  const gone = goneWith(child)
  gone.catch(() => {}) // Nobody needs it once the sandbox is ready.
  child.stderr?.on('data', collect)
  try {
    if (await saysReady(readyPipe)) return { ready: true }
    const code = await endedWith(child, gone)
    const words = Buffer.concat(stderr).toString('utf8').trim().slice(-MAX_WORDS)
    return { ready: false, code, words: words || `it ended with code ${code}` }
  } finally {
    child.stderr?.off('data', collect)
    if (readyPipe instanceof Readable) readyPipe.destroy()
  }
}

/** Throws when the sandbox was not set up. */
export async function untilReady(child: ChildProcess, sandbox: RealSandbox): Promise<void> {
  const result = await setUp(child)
  if (result.ready) return
  if (result.code === OTHER_DIRECTORY) {
    const what = 'The work dir was replaced while the sandbox was set up'
    throw new RepriseError(
      'bad-input',
      what,
      'Name an existing directory that you may read (--cwd DIR, `workDir`).',
    )
  }
  throw new RepriseError(
    'agent-unusable',
    `The sandbox \`${sandbox}\` could not be set up, so the agent was not started: ${result.words}`,
    SANDBOX_HINT,
  )
}

/** The sandbox ends by itself, with a code that says why; one that hangs is killed. */
async function endedWith(child: ChildProcess, gone: Promise<number | null>) {
  const late = Symbol('late')
  const code = await Promise.race([gone, sleep(END_MS, late, { ref: false })])
  if (typeof code !== 'symbol') return code
  endGroup(child)
  return Promise.race([gone, sleep(END_MS, null, { ref: false })])
}

/** Its exit code, once its stderr has been read as well. */
async function goneWith(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit')
  exit.catch(() => {}) // Without a pid there is no exit, and nobody waits for it.
  if (child.stderr) await once(child.stderr, 'close')
  const [code] = await exit
  return code
}

function saysReady(signal: unknown): Promise<boolean> {
  if (!(signal instanceof Readable)) return Promise.resolve(false)
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), SET_UP_MS)
    const answer = (isReady: boolean) => {
      clearTimeout(timer)
      resolve(isReady)
    }
    signal.once('data', () => answer(true))
    signal.once('close', () => answer(false))
    signal.once('error', () => answer(false))
  })
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
