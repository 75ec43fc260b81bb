// Puts the program together from the verbs in commands/. The code of a verb is loaded when it is called; docs/cli.md is made from it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { VERSION } from '../../core/version.ts'
import { RepriseError } from '../../errors.ts'
import {
  addChainVerbs,
  addEscalateVerb,
  addPolicyVerbs,
  addScheduleVerbs,
} from '../commands/chains.ts'
import { addConfigVerbs } from '../commands/config.ts'
import { addDaemonVerbs } from '../commands/daemon.ts'
import { addInstallationVerbs } from '../commands/installation.ts'
import { addJobVerbs } from '../commands/jobs.ts'
import { addReportVerbs } from '../commands/reports.ts'
import { addRunVerbs } from '../commands/runs.ts'
import { addSessionVerbs } from '../commands/sessions.ts'
import { addThreadVerbs } from '../commands/threads.ts'
import { addTurnVerbs } from '../commands/turns.ts'
import { addWorkerVerbs } from '../commands/workers.ts'
import { addJsonFlag, type JsonFlag } from '../flags/flags.ts'
import type { Verb } from './call.ts'
import { addHelp, printHelp } from './help.ts'
import type { Io } from './io.ts'
import { withWholeIds } from './typed-ids.ts'

/** Verbs with verbs of their own, and the one that is meant when none is named. */
export const GROUPS: Readonly<Record<string, string>> = {
  threads: 'ls',
  runs: 'ls',
  chains: 'ls',
  jobs: 'ls',
  sessions: 'ls',
  policies: 'ls',
  schedules: 'ls',
  token: 'ls',
  config: 'show',
}

/** Without `io` the program can only be described, not run. */
export function buildProgram(io?: Io, setExitCode: (code: number) => void = () => {}): Command {
  /** Loads a verb when it is called, and passes its exit code on. */
  const call =
    <Input extends readonly unknown[]>(load: () => Promise<Verb<Input>>) =>
    async (...input: Input): Promise<void> => {
      if (!io) return
      const own = surroundings(io, program.opts())
      const verb = await load()
      setExitCode(await verb(own, ...(await withWholeIds(own, calledIn(input), input))))
    }

  const program = new Command('reprise')
    .description('Pick up coding-agent sessions where they left off: safely, and with a reason.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--no-daemon', 'open the store directly, even if a daemon runs (REPRISE_NO_DAEMON=1)')
    .option(
      '--token-file <file>',
      'approve with the token in this file instead of at a terminal (REPRISE_TOKEN)',
    )
    .option('--utc', 'print times in UTC instead of local time (REPRISE_UTC=1)')
    .option('--no-color', 'print no colours (NO_COLOR=1)')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => io?.stdout.write(text),
      writeErr: text => io?.stderr.write(text),
      // run-cli.ts prints errors, as text or JSON.
      outputError: () => {},
    })

  addTurnVerbs(program, call)
  addThreadVerbs(program, call)
  addRunVerbs(program, call)
  addEscalateVerb(program, call)
  addChainVerbs(program, call)
  addJobVerbs(program, call)
  addSessionVerbs(program, call)
  addPolicyVerbs(program, call)
  addScheduleVerbs(program, call)
  addReportVerbs(program, call)
  addDaemonVerbs(program, call)
  addWorkerVerbs(program, call)
  addConfigVerbs(program, call)
  addInstallationVerbs(program, call)
  addJsonFlag(program.command('help'))
    .description('print the help of a verb, or of all')
    .argument('[verb...]', 'the verb, such as `jobs submit`')
    .action((words: readonly string[], flags: JsonFlag) => {
      if (io) printHelp(io, program, { words, ...flags })
    })
  addHelp(program)
  return program
}

/** Commander calls an action with the arguments, the flags and the command. */
function calledIn(input: readonly unknown[]): Command {
  const command = input.at(-1)
  if (command instanceof Command) return command
  throw new RepriseError('internal', 'a verb was called without its command', 'Please report it.')
}

type GlobalFlags = {
  readonly daemon?: boolean
  readonly tokenFile?: string
  readonly utc?: true
  /** False with `--no-color`. */
  readonly color?: boolean
}

function surroundings(io: Io, { daemon, tokenFile, utc, color }: GlobalFlags): Io {
  const more = {
    // The name of the flag, so that `reprise config show` can say where it comes from.
    ...(daemon === false && { REPRISE_NO_DAEMON: '--no-daemon' }),
    ...(utc && { REPRISE_UTC: '1' }),
    ...(color === false && { NO_COLOR: '1' }),
    ...(tokenFile !== undefined && { REPRISE_TOKEN: tokenIn(resolve(io.cwd, tokenFile)) }),
  }
  return Object.keys(more).length === 0 ? io : { ...io, env: { ...io.env, ...more } }
}

function tokenIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const what = `the token file ${path} cannot be read`
    throw new RepriseError('bad-input', what, 'Name a file that holds a token.', error)
  }
}
