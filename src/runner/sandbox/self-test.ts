// Tests on this machine that a sandbox holds: a small program inside tries to read hidden files, to write, and to survive.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RealSandbox, SANDBOX_HINT, type SandboxTest } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import { contain, type Offer } from './contain.ts'
import { GO, setUp } from './handshake.ts'

const MAX_TEST_MS = 10_000
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/** Arguments: a hidden file, a readable file, a file to write. The program leaves a process outside its tree. */
const TRY = `[ ! -e "$1" ] || exit 91
[ -r "$2" ] || exit 92
: > "$3" || exit 93
set -- /proc/[0-9]*
[ $# -lt 20 ] || exit 94
setsid env -i sleep 30 >/dev/null 2>&1 </dev/null &
exit 0`

const FAILURES: Readonly<Record<number, string>> = {
  91: 'the data directory is not hidden',
  92: 'a file for the agent cannot be read',
  93: 'the work dir cannot be written',
  94: 'processes outside are visible',
}

/** `hidden`: the data directory, by its real path. */
export async function testSandbox(
  sandbox: RealSandbox,
  hidden: string,
  offer: Offer,
): Promise<SandboxTest> {
  const kept = mkdtempSync(join(hidden, '.sandbox-test-'))
  const workDir = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-sandbox-')))
  const [secret, readable] = [join(kept, 'secret'), join(kept, 'readable')]
  try {
    for (const path of [secret, readable]) writeFileSync(path, '', { mode: 0o600 })
    const args = ['-c', TRY, 'sh', secret, readable, join(workDir, 'written')]
    const containment = { sandbox, hidden, readable: [readable] }
    const command = contain({ file: '/bin/sh', args }, workDir, containment, offer)
    const problem = await tryInside(command, workDir)
    return problem === null ? { works: true } : failed(problem)
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), error)
  } finally {
    rmSync(kept, { recursive: true, force: true })
    rmSync(workDir, { recursive: true, force: true })
  }
}

type Command = { readonly file: string; readonly args: readonly string[] }

/** What is wrong with it, or `null`. */
async function tryInside({ file, args }: Command, workDir: string): Promise<string | null> {
  const directory = openSync(workDir, 'r')
  const child = spawn(file, args, {
    cwd: workDir,
    env: { PATH: SYSTEM_PATH },
    detached: true,
    // All living processes inside hold the last descriptor, and nothing else does.
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', directory, 'pipe'],
  })
  closeSync(directory)
  child.on('error', () => {}) // Without a pid there is no `ready` either.
  child.stdin?.on('error', () => {}) // It ended before `go`; its exit says why.
  const exit = once(child, 'exit')
  exit.catch(() => {}) // `setUp` reports it.
  const streams: readonly unknown[] = child.stdio
  const lifeline = streams[5]
  const allGone = lifeline instanceof Readable ? once(lifeline.resume(), 'close') : exit
  const result = await setUp(child)
  if (!result.ready) return result.words
  child.stdin?.end(GO)
  const late = sleep(MAX_TEST_MS, 'late' as const, { ref: false })
  const ended = await Promise.race([exit, late])
  if (ended === 'late') return endLate(child.pid, 'it did not end')
  const [code] = ended
  if (code !== 0) return FAILURES[code] ?? `a program inside ended with code ${code}`
  if ((await Promise.race([allGone, late])) === 'late') return 'a process outlived it'
  return null
}

function endLate(pid: number | undefined, problem: string): string {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  return problem
}

function failed(reason: string, cause?: unknown): SandboxTest {
  const hint = cause instanceof RepriseError ? cause.hint : SANDBOX_HINT
  return { works: false, reason, hint }
}
