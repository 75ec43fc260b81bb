// Every verb with its flags. What a verb does is loaded only when it is called; docs/cli.md is made from here.
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

/** Verbs that have verbs of their own; `ls` is what they do without one. */
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

/** Without its surroundings the program can only be described, not run. */
export function buildProgram(io?: Io, setExitCode: (code: number) => void = () => {}): Command {
  /** Loads a verb when it is called, and keeps its exit code. */
  const call =
    <Input extends readonly unknown[]>(load: () => Promise<Verb<Input>>) =>
    async (...input: Input): Promise<void> => {
      if (io) setExitCode(await (await load())(surroundings(io, program.opts()), ...input))
    }

  const program = new Command('reprise')
    .description('Pick up coding-agent sessions where they left off: safely, and with a reason.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--no-daemon', 'open the store here, also when a daemon runs (REPRISE_NO_DAEMON=1)')
    .option(
      '--token-file <file>',
      'decide with the token in this file, not at a terminal (REPRISE_TOKEN)',
    )
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => io?.stdout.write(text),
      writeErr: text => io?.stderr.write(text),
      // Told by run-cli.ts, in our form and in JSON where asked.
      outputError: () => {},
    })

  addTurnFlags(program.command('send'))
    .description('run one turn: prompt in, answer out; in a new thread unless -t names one')
    .argument('[prompt]', 'the prompt; `-`, or nothing in a pipe, reads it from stdin')
    .option('-t, --thread <id>', 'the thread to continue')
    .option('--title <text>', 'title of a new thread')
    .action(call(async () => (await import('../verbs/send.ts')).send))

  addTurnFlags(program.command('chat'))
    .description('talk in the terminal: questions asked in place; /help tells the rest')
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
    .description('why a run continued the way it did: every guard with the fact it saw')
    .argument('<run>', 'id of the run')
    .option('--settings <file>', 'ask again under other resume settings (YAML or JSON)')
    .action(call(async () => (await import('../verbs/why.ts')).why))

  addJsonFlag(program.command('agents'))
    .description('the agents of the config: found, version, abilities, quirks in force')
    .action(call(async () => (await import('../verbs/agents.ts')).agents))

  addJsonFlag(program.command('savings'))
    .description('measured tokens and cost against the estimate of starting cold')
    .addOption(
      new Option('--by <what>', 'one row for each')
        .choices(['day', 'thread', 'agent'])
        .default('day'),
    )
    .action(call(async () => (await import('../verbs/savings.ts')).savings))

  addJsonFlag(program.command('verify'))
    .description('check the invariants of the store; exit 70 when one is broken')
    .action(call(async () => (await import('../verbs/verify.ts')).verify))

  addJsonFlag(program.command('serve'))
    .description('run the daemon: HTTP API and live events, for this machine and its user alone')
    .option('--port <number>', 'the port; 0 takes a free one', parsePort, 4747)
    .option('--host <address>', 'an address of this machine alone (default: 127.0.0.1)')
    .option('--listen <address>', 'another address, which other machines can reach: dangerous')
    .option('--workers <count>', 'how many jobs are worked on at a time', parseSequence, 4)
    .option('--drain <ms>', 'how long running turns may go on at a stop', parseSequence, 0)
    .addOption(
      new Option('--log <where>', 'where the log goes: logs/daemon.log in the data directory, or')
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
    .description('a tour in a minute with a built-in fake agent: no key, no network, nothing kept')
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
    .option('--cursor <id>', 'go on after this thread')
    .action(call(async () => (await verbs()).listThreads))

  addJsonFlag(threads.command('show'))
    .description('the branch with positions, message ids and decisions')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).showThread))

  addJsonFlag(threads.command('edit'))
    .description('change a message in place; later messages stay')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'the new text; `-`, or nothing in a pipe, reads it from stdin')
    .action(call(async () => (await verbs()).editMessage))

  addTurnFlags(threads.command('retry'))
    .description('drop a message and what follows, and ask again, with other words if given')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .argument('[text]', 'other words; `-` reads them from stdin')
    .action(call(async () => (await import('../verbs/retry.ts')).retryMessage))

  addJsonFlag(threads.command('truncate'))
    .description('drop a message and what follows')
    .argument('<thread>', 'id of the thread')
    .argument('<message>', MESSAGE)
    .action(call(async () => (await verbs()).truncateThread))

  addJsonFlag(threads.command('fork'))
    .description('a new thread with the messages up to one of them')
    .argument('<thread>', 'id of the thread')
    .option('--at <message>', `the last message to take over (default: all); ${MESSAGE}`)
    .option('--title <text>', 'title of the new thread')
    .action(call(async () => (await verbs()).forkThread))

  addJsonFlag(threads.command('rm'))
    .description('remove a thread with everything stored about it, also the checkpoints of its job')
    .argument('<thread>', 'id of the thread')
    .action(call(async () => (await verbs()).threadsRemove))
}

function addTokenVerbs(program: Command, call: VerbCall): void {
  const token = program
    .command('token')
    .description('tokens for other programs, with only the scopes they need')
  const verbs = () => import('../verbs/token.ts')

  addJsonFlag(token.command('ls'))
    .description('list them; the tokens themselves are kept nowhere (what `reprise token` does)')
    .action(call(async () => (await verbs()).listRecords))

  addJsonFlag(token.command('create'))
    .description('make a token and print it, this once')
    .requiredOption(
      '--scope <list>',
      `what it may do: ${SCOPES.map(scope => `${scope} (${SCOPE_MEANINGS[scope]})`).join('; ')}`,
      parseScopes,
    )
    .option('--label <text>', 'what it is for')
    .action(call(async () => (await verbs()).createRecord))

  addJsonFlag(token.command('revoke'))
    .description('let nobody in with this token any more')
    .argument('<token>', 'id of the token')
    .action(call(async () => (await verbs()).revokeRecord))

  addJsonFlag(token.command('rotate'))
    .description('replace the main token, the one in the data directory')
    .action(call(async () => (await verbs()).rotateMain))
}

const MESSAGE = 'its id, a unique beginning of the id, or its position (3)'
const STATUSES = 'queued running waiting completed failed interrupted cancelled'.split(' ')

function addRunVerbs(program: Command, call: VerbCall): void {
  const runs = program.command('runs').description('the executions of agents: list, show, cancel')
  const verbs = () => import('../verbs/runs.ts')

  addJsonFlag(runs.command('ls'))
    .description('list runs, latest first (what `reprise runs` does)')
    .option('-t, --thread <id>', 'only runs of this thread')
    .addOption(new Option('--status <status>', 'only runs in this state').choices(STATUSES))
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'go on after this run')
    .action(call(async () => (await verbs()).listRuns))

  addJsonFlag(runs.command('show'))
    .description('one run: decision, usage, cost, how it ended')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).showRun))

  addJsonFlag(runs.command('events'))
    .description('what the agent said, event by event')
    .argument('<run>', 'id of the run')
    .option('--after <sequence>', 'only events after this one', parseSequence, 0)
    .action(call(async () => (await verbs()).showEvents))

  addJsonFlag(runs.command('answer'))
    .description('answer what a run asks, and show how its turn goes on')
    .argument('<run>', 'id of the run')
    .argument('<call>', 'id of the call that asks (see `reprise runs show`)')
    .argument('[answer]', 'what you choose or say, to a single question')
    .option('--choose <question=answer>', 'the answer to one of several questions', addChoice)
    .addOption(new Option('--allow', 'permit it').conflicts(['deny', 'choose']))
    .addOption(new Option('--deny', 'refuse it').conflicts('choose'))
    .option('--message <text>', 'with --deny: what the agent is told')
    .action(call(async () => (await import('../verbs/answer.ts')).answer))

  addJsonFlag(runs.command('cancel'))
    .description('end a run and its whole process tree')
    .argument('<run>', 'id of the run')
    .action(call(async () => (await verbs()).cancelRun))
}

function addSessionVerbs(program: Command, call: VerbCall): void {
  const sessions = program
    .command('sessions')
    .description("the agents' own conversations, as we know them: list, show, archive, check")
  const verbs = () => import('../verbs/sessions.ts')

  addJsonFlag(sessions.command('ls'))
    .description('list sessions, latest first (what `reprise sessions` does)')
    .option('-t, --thread <id>', 'only sessions of this thread')
    .option('-a, --agent <name>', 'only sessions of this agent')
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'go on after this session')
    .action(call(async () => (await verbs()).listSessions))

  addJsonFlag(sessions.command('show'))
    .description('one session: pointer, state, file, our copy, what it would cost to wake it')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).showSession))

  addJsonFlag(sessions.command('archive'))
    .description('put a session aside as files in `agent-sessions` of the data directory')
    .argument('<session>', 'our id of it')
    .action(call(async () => (await verbs()).sessionsArchive))

  addJsonFlag(sessions.command('doctor'))
    .description('look at the files of all sessions in use; exit 1 when one is lost for good')
    .action(call(async () => (await verbs()).checkSessions))
}

const JOB = 'id of the job'
const JOB_STATUSES = 'queued running waiting parked completed failed cancelled dead'.split(' ')

function addJobVerbs(program: Command, call: VerbCall): void {
  const jobs = program
    .command('jobs')
    .description('durable work: it goes on after crashes, limits and restarts')
  const verbs = () => import('../verbs/jobs.ts')

  addJsonFlag(jobs.command('ls'))
    .description('list jobs, latest first (what `reprise jobs` does)')
    .addOption(new Option('--status <status>', 'only jobs in this state').choices(JOB_STATUSES))
    .option('-n, --limit <count>', 'how many', parseLimit, 20)
    .option('--cursor <id>', 'go on after this job')
    .action(call(async () => (await verbs()).listJobs))

  addJobFlags(jobs.command('submit'))
    .description('store a job; the daemon works on it, or this process with --wait')
    .argument('[prompt]', 'what to do; `-`, or nothing in a pipe, reads it from stdin')
    .action(call(async () => (await verbs()).jobsSubmit))

  addJsonFlag(jobs.command('show'))
    .description('one job: why it waits or how it ended, its attempts')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).showJob))

  addJsonFlag(jobs.command('logs'))
    .description('what the agent was told and said, attempt after attempt')
    .argument('<job>', JOB)
    .addOption(new Option('-f, --follow', 'as it comes, until the job is over').conflicts('json'))
    .addOption(new Option('--stream-json', 'follow, one event per line').conflicts('json'))
    .action(call(async () => (await import('../verbs/job-logs.ts')).jobLogs))

  addJsonFlag(jobs.command('retry'))
    .description('once more, by hand, also when it is dead, failed or done')
    .argument('<job>', JOB)
    .option('--resume', 'in the same session as far as that is possible (default)', true)
    .option('--no-resume', 'in a new session, with what is already done')
    .option('--wait', 'until it is over; without a daemon, this process works on it')
    .action(call(async () => (await verbs()).jobsRetry))

  addJsonFlag(jobs.command('cancel'))
    .description('end a job and the whole process tree of its attempt')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCancel))

  addJsonFlag(jobs.command('rm'))
    .description('remove a job that is not running, with its thread and its checkpoints')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).removeJob))

  addJsonFlag(jobs.command('prune'))
    .description('remove checkpoints that are older than the setting says, or whose job is gone')
    .action(call(async () => (await verbs()).jobsPrune))

  addJsonFlag(jobs.command('checkpoints'))
    .description('the kept states of its git work dir')
    .argument('<job>', JOB)
    .action(call(async () => (await verbs()).jobsCheckpoints))

  addJsonFlag(jobs.command('restore'))
    .description('put files and thread back to a checkpoint; branches and index stay')
    .argument('<job>', JOB)
    .argument('<number>', 'number of the checkpoint', parseCount)
    .action(call(async () => (await verbs()).jobsRestore))
}
