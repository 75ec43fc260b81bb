// Runs git for checkpoints and workspaces. Git executes nothing that a repository has configured, and reaches other hosts only when asked to.
import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RepriseError } from '../errors.ts'

export type GitCall = {
  readonly cwd: string
  readonly args: readonly string[]
  readonly stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** Git works there instead of in the repository around `cwd`. */
  readonly privateDir?: PrivateDir
  /** Git reads no config of the user and of the machine. */
  readonly plain?: true
  /** Git may reach a repository by these transports, with the user's own config, keys and credential helpers. */
  readonly reach?: readonly string[]
  readonly maxMs?: number
  readonly signal?: AbortSignal
}

/** A git directory of our own, with the user's work tree and objects. Git reads its config, and no other. */
export type PrivateDir = {
  readonly gitDir: string
  readonly workTree: string
  readonly objects: string
}

export type GitAnswer = {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Rejects when git cannot be run, takes too long or prints too much. An exit code other than 0 resolves. */
export type Git = (call: GitCall) => Promise<GitAnswer>

const MAX_MS = 120_000
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024
const MAX_STDERR_CHARS = 4_000

/** Overrides every config file. Plumbing runs no filters, aliases or external diffs; these settings turn off the rest. */
const NOTHING_RUNS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'core.splitIndex=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  // A partial clone would fetch missing objects with whatever program its remote names.
  'protocol.allow=never',
].flatMap(setting => ['-c', setting])

const PASSED = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'] as const

/** What git, ssh and credential helpers need to reach another host. */
const PASSED_TO_REACH = [
  'USER',
  'LOGNAME',
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap(name => [
    name,
    name.toUpperCase(),
  ]),
] as const

export function createGit(environment: Readonly<Record<string, string | undefined>>): Git {
  const env: Record<string, string> = {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    // An empty name is no program, so nothing asks for a password in a window.
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    // Pointers of Git LFS stay pointers.
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ADVICE: '0',
    GIT_AUTHOR_NAME: 'Reprise',
    GIT_AUTHOR_EMAIL: 'reprise@localhost',
    GIT_COMMITTER_NAME: 'Reprise',
    GIT_COMMITTER_EMAIL: 'reprise@localhost',
  }
  const taken = (names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap(name => {
        const value = environment[name]
        return value === undefined ? [] : [[name, value]]
      }),
    )
  const always = { ...env, ...taken(PASSED) }
  const reaching = { ...always, ...taken(PASSED_TO_REACH) }
  return call => run(call, call.reach ? reaching : always)
}

function run(call: GitCall, base: Readonly<Record<string, string>>): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
  const env = {
    ...base,
    ...(call.plain && NO_CONFIG),
    ...(call.privateDir && privateEnv(call.privateDir)),
    ...(call.reach && reachEnv(call.reach, call.cwd)),
  }
  // What reaches another host starts ssh and helpers; in a session of its own none of them finds a terminal to ask on.
  const detached = call.reach !== undefined
  const child = spawn('git', [...NOTHING_RUNS, ...call.args], {
    cwd: call.cwd,
    env,
    shell: false,
    detached,
  })
  const chunks: Buffer[] = []
  let bytes = 0
  let stderr = ''
  let trouble: string | null = null
  const give = (why: string) => {
    trouble ??= why
    endAll(child, detached)
  }
  const { signal, maxMs = MAX_MS } = call
  const timer = setTimeout(() => give(`took longer than ${maxMs / 1000} s`), maxMs)
  const cancel = () => give('was cancelled')
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_OUTPUT_BYTES) give('said too much')
    else chunks.push(chunk)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS)
  })
  child.stdin.on('error', () => {}) // Git ended before it had read everything; its exit code says why.
  child.on('error', error => {
    clearTimeout(timer)
    reject(unusable(`git could not be started: ${error.message}`, error))
  })
  child.on('close', code => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    if (signal?.aborted) reject(cancelled(call))
    else if (trouble) reject(unusable(`git ${call.args[0]} ${trouble}`, undefined))
    else resolve({ code: code ?? 128, stdout: Buffer.concat(chunks), stderr: stderr.trim() })
  })
  const { stdin = '' } = call
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) child.stdin.end(stdin)
  else {
    pipeline(Readable.from(stdin), child.stdin).catch(error => {
      if (!hasEnded(error)) give(`got no input: ${error}`)
    })
  }
  return promise
}

/** Git ended before it had read everything; its exit code says why. */
function hasEnded(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

const NO_CONFIG = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

function privateEnv({ gitDir, workTree, objects }: PrivateDir): Readonly<Record<string, string>> {
  return {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_OBJECT_DIRECTORY: objects,
    ...NO_CONFIG,
  }
}

/** Git takes the list over every config. It looks for no repository above the directory, which may be the user's. */
function reachEnv(transports: readonly string[], cwd: string): Readonly<Record<string, string>> {
  return { GIT_ALLOW_PROTOCOL: transports.join(':'), GIT_CEILING_DIRECTORIES: dirname(cwd) }
}

/** A process that leads a session is the leader of its group. */
function endAll(child: ChildProcess, leadsGroup: boolean): void {
  if (leadsGroup && child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL')
      return
    } catch {
      // The group is gone already.
    }
  }
  child.kill('SIGKILL')
}

function cancelled({ args }: GitCall): RepriseError {
  const hint = 'Send the prompt again: `reprise send -t`.'
  return new RepriseError('cancelled', `git ${args[0]} was cancelled`, hint)
}

function unusable(what: string, cause: unknown): RepriseError {
  const hint = 'Install git and put it on PATH, or submit the job with `--no-checkpoints`.'
  return new RepriseError('agent-unusable', what, hint, cause)
}
