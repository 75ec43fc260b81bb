// reprise chat: a conversation in the terminal, on the same flows as everything else.
import { resolve } from 'node:path'
import type { Reprise, Thread } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import { confinesFlags, type TurnFlags, turnOptionsOf } from '../flags/flags.ts'
import { findMessage, retriedMessage } from '../flags/message-reference.ts'
import { chosenThread, type ThreadFlags } from '../open/chosen-thread.ts'
import { withReprise } from '../open/open.ts'
import { type Io, paint } from '../start/io.ts'
import { printThread } from '../verbs/threads.ts'
import { printExplanation } from '../verbs/why.ts'
import { beside, costOf, usd } from '../view/print.ts'
import { printTrouble } from '../view/print-trouble.ts'
import { sanitise } from '../view/sanitise.ts'
import { CHAT_HELP, type ChatCommand, parseChatLine } from './command.ts'
import { completed } from './completer.ts'
import { Conversation } from './conversation.ts'
import { openHistory } from './history.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export type ChatFlags = TurnFlags & ThreadFlags & { readonly warm?: boolean }

export async function chat(io: Io, flags: ChatFlags): Promise<number> {
  const options = turnOptionsOf(io, flags)
  const keepsProcesses = flags.warm !== false
  const talk = async (reprise: Reprise): Promise<number> => {
    const thread = await chosenThread(reprise, io, flags)
    const workDir = thread ? (await thread.show()).workDir : resolve(io.cwd, flags.cwd ?? '.')
    const complete = (line: string) => completed(line, workDir)
    // The process for the next turn starts while the person types.
    const begun = () => {
      if (keepsProcesses) conversation.preWarm()
    }
    const terminal = openTerminal(io, { begun, history: openHistory(io), complete })
    const create = () => createThread(reprise, io, flags)
    const conversation = new Conversation({ io, reprise, terminal }, { thread, create, options })
    try {
      await greet(io, thread)
      if (thread)
        await printingErrors(io, async () => void (await conversation.answerOpenQuestions()))
      return await talkUntilEnd({ io, reprise, terminal, conversation })
    } finally {
      terminal.close()
    }
  }
  return withReprise(io, talk, {
    cwd: flags.cwd,
    decides: 'may',
    ...(keepsProcesses && { keepsProcesses }),
  })
}

type Talk = {
  readonly io: Io
  readonly reprise: Reprise
  readonly terminal: Terminal
  readonly conversation: Conversation
}

async function talkUntilEnd(talk: Talk): Promise<number> {
  const { io, conversation } = talk
  let interrupts = 0
  for (;;) {
    const typed = await readMessage(talk)
    if (typed.kind === 'end') break
    if (typed.kind === 'interrupt') {
      interrupts += 1
      if (interrupts > 1) break
      io.stderr.write('Ctrl-C once more, or Ctrl-D, to leave\n')
      continue
    }
    interrupts = 0
    const command = parseChatLine(typed.text)
    if (command.do === 'quit') break
    await printingErrors(io, () => obey(talk, command))
  }
  // Without a message there is no thread, and `thread()` throws.
  await printingErrors(
    io,
    async () => {
      io.stderr.write(`go on with: reprise chat -t ${conversation.thread().id}\n`)
    },
    'quietly',
  )
  return 0
}

/** A line that ends in a backslash continues on the next line. */
async function readMessage({ terminal }: Talk): ReturnType<Terminal['ask']> {
  let text = ''
  for (;;) {
    const typed = await terminal.askMessage(text === '' ? 'you ▸ ' : '    ▸ ')
    if (typed.kind !== 'line') return typed
    if (!typed.text.endsWith('\\')) return { kind: 'line', text: text + typed.text }
    text += `${typed.text.slice(0, -1)}\n`
  }
}

async function obey(talk: Talk, command: ChatCommand): Promise<void> {
  const { io, conversation } = talk
  switch (command.do) {
    case 'nothing':
    case 'quit':
      return
    case 'send':
      return conversation.send(command.text)
    case 'fresh':
      conversation.freshNextTime()
      io.stderr.write('the next message starts a fresh session\n')
      return
    case 'edit': {
      const thread = conversation.thread()
      const message = findMessage((await thread.show()).messages, command.message)
      await thread.edit(message.id, command.text)
      io.stderr.write('edited; later messages stay\n')
      return
    }
    case 'retry':
      return conversation.retry(await retried(conversation, command.message), command.text)
    case 'fork':
      return fork(talk, command.message)
    case 'why':
      return why(talk)
    case 'cost':
      return cost(talk)
    case 'show':
      printThread(io, await conversation.thread().show())
      return
    case 'help':
      for (const [word, what] of CHAT_HELP) {
        const head = `  ${word.padEnd(18)} `
        io.stderr.write(`${head}${beside(io.stderr, head.length, what)}\n`)
      }
      return
    case 'complain':
      throw new RepriseError('bad-input', command.about, 'Type /help to see the commands.')
  }
}

async function retried(conversation: Conversation, reference: string | null): Promise<string> {
  const { messages } = await conversation.thread().show()
  const last = messages.findLast(message => message.role === 'user')
  if (reference !== null || !last) return retriedMessage(messages, reference ?? '1')
  return last.id
}

async function fork({ io, conversation }: Talk, reference: string | null): Promise<void> {
  const thread = conversation.thread()
  const at = reference === null ? null : findMessage((await thread.show()).messages, reference).id
  const forked = await thread.fork(at === null ? {} : { at })
  conversation.goOnIn(forked)
  io.stderr.write(`this is thread ${forked.id} now; the other one stays as it is\n`)
}

async function why({ io, reprise, conversation }: Talk): Promise<void> {
  const runId = conversation.lastRunId ?? (await conversation.thread().show()).runs.at(-1)?.id
  if (!runId) throw new RepriseError('bad-input', 'no turn has run yet', 'Send a message first.')
  printExplanation(io, await reprise.runs.why(runId))
}

async function cost({ io, conversation }: Talk): Promise<void> {
  const { runs, costUsd } = await conversation.thread().show()
  const saved = runs.reduce((sum, run) => sum + (run.savings?.savedUsd ?? 0), 0)
  const resumed = runs.filter(run => run.sessionResumed).length
  const more = saved > 0 ? `; saved about ${usd(saved)}` : ''
  const known = costOf(costUsd, runs)
  io.stderr.write(
    `${known === '–' ? 'cost unknown' : known} in ${runs.length} runs, ${resumed} of them resumed${more}\n`,
  )
}

async function createThread(reprise: Reprise, io: Io, flags: ChatFlags): Promise<Thread> {
  return reprise.threads.create({
    workDir: resolve(io.cwd, flags.cwd ?? '.'),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...confinesFlags(flags),
  })
}

const SHOWN_AT_START = 4

async function greet(io: Io, thread: Thread | null): Promise<void> {
  const dim = paint(io, io.stderr, 'dim')
  if (!thread) {
    io.stderr.write(`${dim('a new thread; type /help for the commands')}\n`)
    return
  }
  const { id, title, messages } = await thread.show()
  io.stderr.write(`${dim(`${id} ${sanitise(title ?? '')} · ${messages.length} messages`)}\n`)
  for (const { role, text } of messages.slice(-SHOWN_AT_START)) {
    io.stderr.write(`${dim(role === 'user' ? 'you ▸ ' : '')}${sanitise(text)}\n`)
  }
}

/** Prints the error of a turn or a command; the conversation continues. */
async function printingErrors(
  io: Io,
  act: () => Promise<void>,
  how: 'aloud' | 'quietly' = 'aloud',
): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    if (how === 'quietly') return
    printTrouble(io, error)
  }
}
