// The entry of the CLI. Answers --version before anything heavy is loaded.
import { VERSION } from './version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  void start()
}

async function start(): Promise<void> {
  const { useCompileCache } = await import('./compile-cache.ts')
  useCompileCache(process.env)
  const { runCli } = await import('./run-cli.ts')
  const { processIo, written } = await import('./process-io.ts')
  const exitCode = await runCli(args, processIo())
  await written()
  // Not by itself at the end of the event loop: nothing that is left open may keep a finished verb alive.
  process.exit(exitCode)
}
