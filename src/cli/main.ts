// The entry of the CLI. Answers --version before anything heavy is loaded.
import { VERSION } from './start/version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  void start()
}

async function start(): Promise<void> {
  const { useCompileCache } = await import('./start/compile-cache.ts')
  useCompileCache(process.env)
  const { refuse, runCli } = await import('./start/run-cli.ts')
  const { processIo, written } = await import('./start/process-io.ts')
  const gone = await removedDirectory()
  const exitCode = gone ? refuse(args, processIo(), gone) : await runCli(args, processIo())
  await written()
  // Not by itself at the end of the event loop: nothing that is left open may keep a finished verb alive.
  process.exit(exitCode)
}

/** A shell may stand in a directory that was removed meanwhile: Node throws at every look at it. */
async function removedDirectory(): Promise<Error | null> {
  try {
    process.cwd()
    return null
  } catch (error) {
    const { RepriseError } = await import('../errors.ts')
    // Any directory does to tell it from; no verb is run there.
    process.chdir('/')
    const hint = 'Change to a directory that exists.'
    return new RepriseError('bad-input', 'the current directory was removed', hint, error)
  }
}
