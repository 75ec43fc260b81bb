// A runner that talks to the agent through the Agent SDK. Our own runner starts, watches and ends the process.
import { RepriseError } from '../errors.ts'
import type { AgentCommand, AgentProcess, Line, Runner } from '../runner/runner.ts'
import type { AgentSdk, SdkOptions, SdkSpawn } from './agent-sdk.ts'
import { readerOf, withSdkArguments } from './sdk-arguments.ts'
import { SdkProcess } from './sdk-process.ts'

/** Decision, lease, ledger and records stay the same: only the bytes take another way. */
export function throughSdk(runner: Runner, sdk: AgentSdk): Runner {
  return {
    ...runner,
    start: async (command, marker, limits, recordStop) => {
      const conversation = open(sdk, command)
      try {
        const started = commandOf(command, conversation.spawn)
        const agent = await runner.start(started, marker, limits, recordStop)
        return connect(agent, { command, conversation })
      } catch (error) {
        conversation.end({ code: 1 })
        throw error
      }
    },
  }
}

type Conversation = {
  readonly spawn: SdkSpawn
  readonly shown: SdkProcess
  /** Resolves when the SDK gives up. Never rejects; stays pending while the SDK works. */
  readonly failed: Promise<RepriseError>
  /** Ends the stream of the prompt: no more messages follow. */
  readonly promptOver: () => void
  end(exit: Parameters<SdkProcess['ended']>[0]): void
}

function open(sdk: AgentSdk, command: AgentCommand): Conversation {
  const over = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<RepriseError>()
  const abortController = new AbortController()
  const shown = new SdkProcess()
  let spawn: SdkSpawn | null = null
  let hasEnded = false
  const options: SdkOptions = {
    cwd: command.workDir,
    env: { ...command.env },
    pathToClaudeCodeExecutable: command.file,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    abortController,
    spawnClaudeCodeProcess: wanted => {
      spawn = wanted
      return shown
    },
  }
  const messages = ask(sdk, { prompt: promptOf(command, over.promise), options })
  if (spawn === null) {
    abortController.abort()
    throw gaveUp('it does not let us start its program')
  }
  readAll(messages).catch(error => {
    // The SDK also throws after a failed process; the lines and the exit show how that ended.
    if (!hasEnded) failed.resolve(gaveUp(wordsOf(error)))
  })
  return {
    spawn,
    shown,
    failed: failed.promise,
    promptOver: over.resolve,
    end: exit => {
      hasEnded = true
      over.resolve()
      shown.ended(exit)
    },
  }
}

function ask(sdk: AgentSdk, request: Parameters<AgentSdk['query']>[0]): AsyncIterable<unknown> {
  try {
    return sdk.query(request)
  } catch (error) {
    throw gaveUp(wordsOf(error))
  }
}

/** The input lines of the agent as messages. Afterwards the input stays open for the SDK's own protocol. */
async function* promptOf(
  { stdin }: AgentCommand,
  over: Promise<void>,
): AsyncGenerator<never, void> {
  const lines = new TextDecoder().decode(stdin).split('\n')
  for (const line of lines) if (line !== '') yield JSON.parse(line) as never
  await over
}

async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}

function commandOf(command: AgentCommand, spawn: SdkSpawn): AgentCommand {
  const set = Object.entries(spawn.env).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined
  })
  return {
    ...command,
    args: withSdkArguments(command.args, spawn.args),
    env: Object.fromEntries(set),
    stdin: new Uint8Array(),
    keepsInputOpen: true,
  }
}

function connect(
  agent: AgentProcess,
  { command, conversation }: { command: AgentCommand; conversation: Conversation },
): AgentProcess {
  const { shown } = conversation
  shown.stdin.setEncoding('utf8')
  shown.stdin.on('data', (text: string) => agent.write(text))
  const exit = agent.exit.then(ended => {
    conversation.end(ended)
    return ended
  })
  return {
    pid: agent.pid,
    lines: linesFor(agent, { command, conversation }),
    exit,
    atStage: stage => agent.atStage(stage),
    answerSeen: () => agent.answerSeen(),
    resultSeen: () => agent.resultSeen(),
    endInput: () => {
      conversation.promptOver()
      agent.endInput()
    },
    write: text => agent.write(text),
    waitsForAnswer: state => agent.waitsForAnswer(state),
    stop: (reason, beforeSignal) => agent.stop(reason, beforeSignal),
  }
}

/** Passes each line to Reprise, to the SDK or to both. An SDK that gives up before the agent's first line has not sent the prompt. */
async function* linesFor(
  agent: AgentProcess,
  { command, conversation }: { command: AgentCommand; conversation: Conversation },
): AsyncGenerator<Line, void> {
  const lines = agent.lines[Symbol.asyncIterator]()
  let hasSpoken = false
  for (;;) {
    const next = lines.next()
    const failure = hasSpoken
      ? null
      : await Promise.race([next.then(() => null), conversation.failed])
    if (failure) throw failure
    const { done, value: line } = await next
    if (done) return
    const text = line.kind === 'line' ? line.text : ''
    const reader = readerOf(text, command.args)
    if (line.kind === 'line' && reader !== 'reprise') conversation.shown.stdout.write(`${text}\n`)
    if (reader === 'sdk') continue
    hasSpoken = true
    yield line
  }
}

function gaveUp(why: string): RepriseError {
  return new RepriseError(
    'agent-unusable',
    `the Agent SDK gave up before the agent began: ${why}`,
    'Check the options that your code adds to the query of the SDK, and the version of the SDK.',
  )
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
