// Defines every verb with its flags. The code of a verb is loaded when it is called; docs/cli.md is made from this file.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { SCOPE_MEANINGS, SCOPES } from '../../daemon/contract/scope.ts'
import { RepriseError } from '../../errors.ts'
import {
  addChoice,
  addJsonFlag,
  addTurnFlags,
  parseCount,
  parseLimit,
  parsePort,
  parseScopes,
  parseSequence,
} from '../flags/flags.ts'
import { addJobFlags } from '../flags/job-flags.ts'
import type { Verb, VerbCall } from './call.ts'
import { addChainVerbs, addEscalateVerb, addPolicyVerbs, addScheduleVerbs } from './chain-verbs.ts'
import type { Io } from './io.ts'
import { VERSION } from './version.ts'

/** Verbs with verbs of their own; the default is `ls`. */
export const GROUPS: readonly string[] = [
  'threads',
  'runs',
  'chains',
  'jobs',
  'sessions',
  'policies',
  'schedules',
  'token',
]

/** Without `io` the program can only be described, not run. */
export function buildProgram(io?: Io, setExitCode: (code: number) => void = () => {}): Command {
  /** Loads a verb when it is called, and passes its exit code on. */
  const call =
    <Input extends readonly unknown[]>(load: () => Promise<Verb<Input>>) =>
    async (...input: Input): Promise<void> => {
      if (io) setExitCode(await (await load())(surroundings(io, program.opts()), ...input))
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
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => io?.stdout.write(text),
      writeErr: text => io?.stderr.write(text),
      // run-cli.ts prints errors, as text or JSON.
      outputError: () => {},
    })

  addTurnFlags(program.command('send'))
    .description('send a prompt and print the answer; starts a new thread unless -t names one')
    .argument('[prompt]', 'the prompt; `-`, or nothing in a pipe, reads it from stdin')
    .option('-t, --thread <id>', 'the thread to continue')
    .option('--title <text>', 'title of a new thread')
    .action(call(async () => (await import('../verbs/send.ts')).send))

  addTurnFlags(program.command('chat'))
    .description('talk to the agent in the terminal; type /help there for the commands')
    .option('-t, --thread <id>', 'the thread to continue')
    .action(call(async () => (await import('../chat/chat.ts')).chat))
  addThreadVerbs(program, call)
  addRunVerbs(program, call)
  addEscalateVerb(program, call)
  addChainVerbs(program, call)
  addJobVerbs(program, call)
  addSessionVerbs(program, call)
  addPolicyVerbs(program, call)
  addScheduleVerbs(program, call)

  addJsonFlag(program.command('why'))
    .description('explain why a run continued the way it did: every guard with the fact it saw')
    .argument('<run>', 'id of the run')
    .option(
      '--settings <file>',
      'decide again with the resume settings in this file (YAML or JSON)',
    )
    .action(call(async () => (await import('../verbs/why.ts')).why))

  addJsonFlag(program.command('agents'))
    .description('list the agents of the config with version, abilities and quirks in force')
    .action(call(async () => (await import('../verbs/agents.ts')).agents))

  addJsonFlag(program.command('savings'))
    .description('compare measured tokens and cost with the estimate of cold starts')
    .addOption(
      new Option('--by <what>', 'what each row sums up')
        .choices(['day', 'thread', 'agent'])
        .default('day'),
    )
    .action(call(async () => (await import('../verbs/savings.ts')).savings))

  addJsonFlag(program.command('verify'))
    .description('check the invariants of the store; exit 70 when one is broken')
    .action(call(async () => (await import('../verbs/verify.ts')).verify))

  addJsonFlag(program.command('serve'))
    .description(
      'run the daemon: jobs, HTTP API and live events, for the user of this machine only',
    )
    .option('--port <number>', 'the port; 0 takes a free port', parsePort, 4747)
    .option('--host <address>', 'a loopback address (default: 127.0.0.1)')
    .option('--listen <address>', 'any address; dangerous, because other machines can reach it')
    .option('--workers <count>', 'how many jobs run at the same time', parseSequence, 4)
    .option(
      '--drain <ms>',
      'how long running turns may continue when the daemon stops',
      parseSequence,
      0,
    )
    .addOption(
      new Option('--log <where>', 'where the log goes; file: logs/daemon.log in the data directory')
        .choices(['file', 'stderr'])
        .default('file'),
    )
    .action(call(async () => (await import('../verbs/serve.ts')).serve))

  addTokenVerbs(program, call)

  addJsonFlag(program.command('login'))
    .description('print an address that signs one browser in, once, within a minute')
    .action(call(async () => (await import('../verbs/login.ts')).login))

  addJsonFlag(program.command('doctor'))
    .description(
      'check the installation: Node, data directory, store, agents, daemon; exit 2 or 70 when something is wrong',
    )
    .action(call(async () => (await import('../doctor/doctor.ts')).doctor))

  addJsonFlag(program.command('demo'))
    .description(
      'show a tour of one minute with a built-in fake agent: no key, no network, nothing kept',
    )
    .action(call(async () => (await import('../demo/demo.ts')).demo))
  return program
}

type GlobalFlags = { readonly daemon?: boolean; readonly tokenFile?: string }

function surroundings(io: Io, { daemon, tokenFile }: GlobalFlags): Io {
  const more = {
    ...(daemon === false && { REPRISE_NO_DAEMON: '1' }),
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

function addThreadVerbs(program: Command, call: VerbCall): void {
  const threads = program
    .command('threads')
    .description('the conversations: list, show, change their history')
  const verbs = () => import('../verbs/threads.ts')

  addJsonFlag(threads.command('ls'))
    .description('list threads, latest first (what `reprise threads` does)')
    .option('-q, --query <text>', 'only threads whose title or messages hold this text')
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the threads after this one')
    .action(call(async () => (await verbs()).listThreads))

  addJsonFlag(threads.command('show'))
    .description('show the messages of a thread with positions, ids and decisions')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).showThread))

  addJsonFlag(threads.command('edit'))
    .description('change a message in place; later messages stay')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'the new text; `-`, or nothing in a pipe, reads it from stdin')
    .action(call(async () => (await verbs()).editMessage))

  addTurnFlags(threads.command('retry'))
    .description('drop a message and all later ones, and ask again, perhaps with a new text')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'the new text; `-` reads it from stdin')
    .action(call(async () => (await import('../verbs/retry.ts')).retryMessage))

  addJsonFlag(threads.command('truncate'))
    .description('drop a message and all later ones')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .action(call(async () => (await verbs()).truncateThread))

  addJsonFlag(threads.command('fork'))
    .description('create a thread with the messages up to one of them')
    .argument('<thread>', 'id of the thread')
    .option('--at <message>', `the last message to copy (default: all); ${MESSAGE}`)
    .option('--title <text>', 'title of the new thread')
    .action(call(async () => (await verbs()).forkThread))

  addJsonFlag(threads.command('rm'))
    .description('remove a thread and everything stored about it, with the checkpoints of its job')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).threadsRemove))
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

const MESSAGE = 'id of the message, a unique beginning of the id, or its position (3)'
const STATUSES = 'queued running waiting completed failed interrupted cancelled'.split(' ')

function addRunVerbs(program: Command, call: VerbCall): void {
  const runs = program.command('runs').description('the executions of agents: list, show, cancel')
  const verbs = () => import('../verbs/runs.ts')

  addJsonFlag(runs.command('ls'))
    .description('list runs, latest first (what `reprise runs` does)')
    .option('-t, --thread <id>', 'only runs of this thread')
    .addOption(new Option('--status <status>', 'only runs in this state').choices(STATUSES))
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the runs after this one')
    .action(call(async () => (await verbs()).listRuns))

  addJsonFlag(runs.command('show'))
    .description('show a run: decision, usage, cost, how it ended')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).showRun))

  addJsonFlag(runs.command('events'))
    .description('print the events of a run')
    .argument('<run>', 'id of the run')
    .option('--after <sequence>', 'only events after this one', parseSequence, 0)
    .action(call(async () => (await verbs()).showEvents))

  addJsonFlag(runs.command('answer'))
    .description('answer a question of a run, and show how its turn continues')
    .argument('<run>', 'id of the run')
    .argument('<call>', 'id of the call that asks (see `reprise runs show`)')
    .argument('[answer]', 'the answer to a single question')
    .option('--choose <question=answer>', 'the answer to one of several questions', addChoice)
    .addOption(new Option('--allow', 'allow the call').conflicts(['deny', 'choose']))
    .addOption(new Option('--deny', 'refuse the call').conflicts('choose'))
    .option('--message <text>', 'with --deny: the reason, for the agent')
    .action(call(async () => (await import('../verbs/answer.ts')).answer))

  addJsonFlag(runs.command('cancel'))
    .description('cancel a run and end its whole process tree')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).cancelRun))
}

function addSessionVerbs(program: Command, call: VerbCall): void {
  const sessions = program
    .command('sessions')
    .description("the agents' own conversations, as Reprise knows them: list, show, archive, check")
  const verbs = () => import('../verbs/sessions.ts')

  addJsonFlag(sessions.command('ls'))
    .description('list sessions, latest first (what `reprise sessions` does)')
    .option('-t, --thread <id>', 'only sessions of this thread')
    .option('-a, --agent <name>', 'only sessions of this agent')
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the sessions after this one')
    .action(call(async () => (await verbs()).listSessions))

  addJsonFlag(sessions.command('show'))
    .description(
      'show a session: pointer, state, file, our copy, what the next turn pays for a cold cache',
    )
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).showSession))

  addJsonFlag(sessions.command('archive'))
    .description('write a session to files in `agent-sessions` of the data directory')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).sessionsArchive))

  addJsonFlag(sessions.command('doctor'))
    .description('check the files of all sessions in use; exit 1 when one is lost and has no copy')
    .action(call(async () => (await verbs()).checkSessions))
}

const JOB = 'id of the job'
const JOB_STATUSES = 'queued running waiting parked completed failed cancelled dead'.split(' ')

function addJobVerbs(program: Command, call: VerbCall): void {
  const jobs = program
    .command('jobs')
    .description('durable work, which continues after crashes, limits and restarts')
  const verbs = () => import('../verbs/jobs.ts')

  addJsonFlag(jobs.command('ls'))
    .description('list jobs, latest first (what `reprise jobs` does)')
    .addOption(new Option('--status <status>', 'only jobs in this state').choices(JOB_STATUSES))
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'list the jobs after this one')
    .action(call(async () => (await verbs()).listJobs))

  addJobFlags(jobs.command('submit'))
    .description('store a job for the daemon; with --wait and no daemon, this process works on it')
    .argument('[prompt]', 'the task; `-`, or nothing in a pipe, reads it from stdin')
    .action(call(async () => (await verbs()).jobsSubmit))

  addJsonFlag(jobs.command('show'))
    .description('show a job: why it waits or how it ended, and its attempts')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).showJob))

  addJsonFlag(jobs.command('logs'))
    .description('print the prompts and the answers of all attempts')
    .argument('<job>', JOB)
    .addOption(
      new Option('-f, --follow', 'print new output as it comes, until the job is over').conflicts(
        'json',
      ),
    )
    .addOption(
      new Option('--stream-json', 'follow, and print one event per line').conflicts('json'),
    )
    .action(call(async () => (await import('../verbs/job-logs.ts')).jobLogs))

  addJsonFlag(jobs.command('retry'))
    .description('try a job once more, also when it is dead, failed or done')
    .argument('<job>', JOB)
    .option('--resume', 'resume the same session if possible (default)', true)
    .option('--no-resume', 'start a new session, with a list of what is already done')
    .option('--wait', 'wait until the job is over; without a daemon, this process works on it')
    .action(call(async () => (await verbs()).jobsRetry))

  addJsonFlag(jobs.command('cancel'))
    .description('cancel a job and end the whole process tree of its attempt')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCancel))

  addJsonFlag(jobs.command('rm'))
    .description('remove a job that is not running, with its thread and its checkpoints')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).removeJob))

  addJsonFlag(jobs.command('prune'))
    .description(
      'remove checkpoints that are older than `checkpoints.keepDays`, or whose job is gone',
    )
    .action(call(async () => (await verbs()).jobsPrune))

  addJsonFlag(jobs.command('checkpoints'))
    .description('list the checkpoints of a job: stored states of its git work dir')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCheckpoints))

  addJsonFlag(jobs.command('restore'))
    .description('restore files and thread to a checkpoint; branches and index stay')
    .argument('<job>', JOB)
    .argument('<number>', 'number of the checkpoint', parseCount)
    .action(call(async () => (await verbs()).jobsRestore))
}
