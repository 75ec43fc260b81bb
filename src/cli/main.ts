// The entry of the CLI. It answers --version before it loads anything heavy.
import { VERSION } from '../core/version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else if (args[0] === '__complete') {
  void completeForShell(args.slice(args[1] === '--' ? 2 : 1))
} else if (args[0] === 'claude') {
  void standIn(args.slice(1))
} else {
  void start()
}

/** A shell calls it at each Tab: it is silent whatever happens, since everything printed would land in the user's line. */
async function completeForShell(words: readonly string[]): Promise<void> {
  try {
    const { useCompileCache } = await import('./start/compile-cache.ts')
    useCompileCache(process.env)
    const { completionLines } = await import('./completion/complete.ts')
    const lines = await completionLines(words, process.env)
    process.stdout.on('error', () => {}) // The shell has gone away.
    // A connection that hangs must not keep the shell waiting.
    process.stdout.write(lines.map(line => `${line}\n`).join(''), () => process.exit(0))
  } catch {
    // Nothing to propose is the only answer that a shell can use.
  }
}

/** Its arguments are those of the agent: our parser never sees them. */
async function standIn(words: readonly string[]): Promise<void> {
  const { useCompileCache } = await import('./start/compile-cache.ts')
  useCompileCache(process.env)
  const { claude } = await import('./drop-in/claude.ts')
  process.exit(await claude(words))
}

async function start(): Promise<void> {
  const { useCompileCache } = await import('./start/compile-cache.ts')
  useCompileCache(process.env)
  const { refuse, runCli } = await import('./start/run-cli.ts')
  const { processIo, written } = await import('./start/process-io.ts')
  const gone = await removedDirectory()
  const exitCode = gone ? refuse(args, processIo(), gone) : await runCli(args, processIo())
  await written()
  // Exit explicitly: an open handle must not keep a finished verb alive.
  process.exit(exitCode)
}

/** A shell may be in a directory that was removed meanwhile: `process.cwd()` throws there. */
async function removedDirectory(): Promise<Error | null> {
  try {
    process.cwd()
    return null
  } catch (error) {
    const { RepriseError } = await import('../errors.ts')
    // Reporting the error needs some directory; no verb runs there.
    process.chdir('/')
    const hint = 'Change to a directory that exists: `cd`.'
    return new RepriseError('bad-input', 'the current directory was removed', hint, error)
  }
}
