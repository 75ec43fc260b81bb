// Runs a program in our place: its caller's streams, signals and exit are its own, and Reprise reads along.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { MARKER_VARIABLE, readStartTime } from './proc.ts'
import type { Forward, ForwardedCommand, StreamLook } from './runner.ts'
import { startError } from './start-errors.ts'
import { createWatcher } from './watcher.ts'

/** All that a caller may send to end or to steer a program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const
/** The terminal itself sends these to all that run in its foreground. */
const OF_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT']
/** How long something that the program started may hold its output open after its end. */
const DRAIN_MS = 500

export const forward: Forward = command => {
  const watch = createWatcher().watch(command.marker)
  // Before the program starts: a signal that comes at once must reach it, and not end us alone.
  const stopListening = listen(command, signal => send(signal))
  const child = start(command)
  const send = (signal: NodeJS.Signals) => void child.kill(signal)
  const { pid } = child
  if (pid === undefined) {
    stopListening()
    watch.release()
    throw startError(command.file, new Error('it did not start'))
  }
  watch.follow({ pid, startTime: readStartTime(pid) })
  const { stdin, stdout, stderr } = command.look
  if (stdin && child.stdin) passIn(child.stdin, stdin)
  const passing = [
    ...(stdout && child.stdout ? [passOn(child.stdout, process.stdout, stdout)] : []),
    ...(stderr && child.stderr ? [passOn(child.stderr, process.stderr, stderr)] : []),
  ]
  const ended = new Promise<{ code: number | null; signal: string | null }>(resolve => {
    child.on('exit', (code, signal) => {
      const drained = new Promise(over => setTimeout(over, DRAIN_MS).unref())
      void Promise.race([Promise.all(passing), drained]).then(() => {
        stopListening()
        watch.release()
        resolve({ code, signal })
      })
    })
  })
  return { pid, ended, signal: send }
}

/**
 * A group of its own, unless it has a terminal: a signal to our group would reach it twice, from the sender and from us.
 */
function start({ file, args, env, marker, onTerminal, look }: ForwardedCommand): ChildProcess {
  const child = spawn(file, args, {
    env: { ...env, [MARKER_VARIABLE]: marker },
    detached: !onTerminal,
    shell: false,
    stdio: [
      look.stdin ? 'pipe' : 'inherit',
      look.stdout ? 'pipe' : 'inherit',
      look.stderr ? 'pipe' : 'inherit',
    ],
  })
  child.on('error', () => {}) // Without a pid the caller gets an error; later ones are about signals to a process that has ended.
  return child
}

function listen(
  { onTerminal }: ForwardedCommand,
  send: (signal: NodeJS.Signals) => void,
): () => void {
  const listeners = SIGNALS.map(signal => {
    const listener = () => {
      if (!onTerminal || !OF_TERMINAL.includes(signal)) send(signal)
    }
    process.on(signal, listener)
    return () => void process.off(signal, listener)
  })
  return () => {
    for (const remove of listeners) remove()
  }
}

/** Resolves when everything is written. A caller that reads no more breaks the pipe of the program, as its own would break. */
function passOn(from: Readable, to: Writable, look: StreamLook): Promise<void> {
  return new Promise(resolve => {
    const over = () => {
      look.end()
      if (to.writableLength === 0 || to.destroyed) resolve()
      else to.once('drain', resolve)
    }
    to.on('error', () => from.destroy())
    from.on('data', (chunk: Buffer) => {
      if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      look.bytes(chunk)
    })
    from.on('error', () => {}) // `close` follows.
    from.on('close', over)
  })
}

function passIn(to: Writable, look: StreamLook): void {
  const from = process.stdin
  to.on('error', () => from.pause()) // The program reads no more.
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) {
      from.pause()
      to.once('drain', () => from.resume())
    }
    look.bytes(chunk)
  })
  from.on('end', () => {
    look.end()
    to.end()
  })
  from.on('error', () => to.end())
}

/** Ends this process as the program has ended: with its exit code, or by its signal. */
export function endAs(end: {
  readonly code: number | null
  readonly signal: string | null
}): never {
  const { code, signal } = end
  if (isSignal(signal)) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  // A signal that does not end a process by itself, or one that this system does not know.
  const number = isSignal(signal) ? constants.signals[signal] : 0
  return process.exit(code ?? 128 + number)
}

function isSignal(signal: string | null): signal is NodeJS.Signals {
  return signal !== null && Object.hasOwn(constants.signals, signal)
}
