// The verbs of the daemon and of the programs that call it, with their flags: serve, status, stop, logs, token, login.
import { type Command, Option } from 'commander'
import { LOG_LEVELS } from '../../core/daemon-settings.ts'
import { BROWSER_SCOPES, SCOPE_MEANINGS, SCOPES } from '../../daemon/contract/scope.ts'
import {
  addJsonFlag,
  parseBrowserScopes,
  parseCount,
  parsePort,
  parseScopes,
  parseSequence,
} from '../flags/flags.ts'
import { parseDrain } from '../flags/recurrence-flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addDaemonVerbs(program: Command, call: VerbCall): void {
  addJsonFlag(program.command('serve'))
    .description(
      'run the daemon: jobs, HTTP API and live events, for the user of this machine only',
    )
    .option('--port <number>', 'the port; 0 takes a free port', parsePort, 4747)
    .option('--host <address>', 'a loopback address (default: 127.0.0.1)')
    .option('--listen <address>', 'any address; dangerous, because other machines can reach it')
    .option('--workers <count>', 'how many jobs run at the same time', parseSequence, 4)
    .option(
      '--drain <time>',
      'how long running turns may continue when the daemon stops: 30s, 5m (default: `daemon.drainMs` of the config, else 0)',
      parseDrain,
    )
    .addOption(
      new Option('--log <where>', 'where the log goes; file: logs/daemon.log in the data directory')
        .choices(['file', 'stderr'])
        .default('file'),
    )
    .addOption(
      new Option(
        '--log-level <level>',
        'how much it logs (default: REPRISE_LOG_LEVEL, `daemon.logLevel` of the config, else info)',
      ).choices(LOG_LEVELS),
    )
    .action(call(async () => (await import('../verbs/serve.ts')).serve))

  addJsonFlag(program.command('status'))
    .description('say whether the daemon runs and what it does; exit 3 when none runs')
    .action(call(async () => (await import('../operate/status.ts')).status))

  addJsonFlag(program.command('stop'))
    .description('stop the daemon and wait until it is gone; what it interrupts can be resumed')
    .option(
      '--drain <time>',
      'take no new work, and let running turns continue for this long: 30s, 5m (default: what `reprise serve --drain` says)',
      parseDrain,
    )
    .addOption(
      new Option(
        '--now',
        'interrupt running turns at once, also those that are draining',
      ).conflicts('drain'),
    )
    .action(call(async () => (await import('../operate/stop.ts')).stop))

  addJsonFlag(program.command('logs'))
    .description("print the daemon's log, the newest lines last")
    .option('-n, --lines <count>', 'how many lines', parseCount, 50)
    .addOption(
      new Option('--level <level>', 'only lines of this level or worse').choices(LOG_LEVELS),
    )
    .addOption(
      new Option('-f, --follow', 'print new lines as they come, until Ctrl-C').conflicts('json'),
    )
    .addOption(
      new Option('--stream-json', 'print each line as it is in the log: JSON').conflicts('json'),
    )
    .action(call(async () => (await import('../operate/logs.ts')).logs))

  addTokenVerbs(program, call)

  addJsonFlag(program.command('login'))
    .description('print an address that signs one browser in, once, within a minute')
    .option('--open', 'open the address in the browser')
    .option(
      '--scope <list>',
      `what the browser may do: ${BROWSER_SCOPES.join(',')} (default: all of them)`,
      parseBrowserScopes,
    )
    .action(call(async () => (await import('../verbs/login.ts')).login))
}

function addTokenVerbs(program: Command, call: VerbCall): void {
  const token = program
    .command('token')
    .description('tokens for other programs, with only the scopes they need')
  const verbs = () => import('../verbs/token.ts')

  addJsonFlag(token.command('ls'))
    .description('list the records of tokens, not their secrets (what `reprise token` does)')
    .action(call(async () => (await verbs()).listRecords))

  addJsonFlag(token.command('create'))
    .description('create a token and print it; it cannot be printed again')
    .requiredOption(
      '--scope <list>',
      `what the token may do: ${SCOPES.map(scope => `${scope} (${SCOPE_MEANINGS[scope]})`).join('; ')}`,
      parseScopes,
    )
    .option('--label <text>', 'what the token is for')
    .action(call(async () => (await verbs()).createRecord))

  addJsonFlag(token.command('revoke'))
    .description('revoke a token: the daemon refuses it from the next request on')
    .argument('<token>', 'id of the token')
    .action(call(async () => (await verbs()).revokeRecord))

  addJsonFlag(token.command('rotate'))
    .description('replace the main token, which is in the data directory')
    .action(call(async () => (await verbs()).rotateMain))
}
