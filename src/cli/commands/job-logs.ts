// reprise jobs logs: what the agent was told and said in all attempts, as it is now, or as it comes.
import type { Reprise } from '../../api.ts'
import { exitCodeOfJob } from '../exit-code.ts'
import type { JsonFlag } from '../flags.ts'
import { type Attempt, followAttempts } from '../follow-attempts.ts'
import { type Io, paint } from '../io.ts'
import { withReprise } from '../open.ts'
import { printJson, printLine, when } from '../print.ts'
import { safeJson, sanitise, sanitiseLine } from '../sanitise.ts'
import { progressOf } from '../stream-turn.ts'
import { createTextWriter } from '../text-writer.ts'

export type LogFlags = JsonFlag & { readonly follow?: true; readonly streamJson?: true }

export async function jobLogs(io: Io, id: string, flags: LogFlags): Promise<number> {
  return withReprise(io, reprise =>
    flags.follow || flags.streamJson
      ? followLogs(io, reprise, { id, show: flags.streamJson ? jsonView(io) : textView(io) })
      : printLogs(io, reprise, { id, flags }),
  )
}

async function printLogs(
  io: Io,
  reprise: Reprise,
  { id, flags }: { readonly id: string; readonly flags: LogFlags },
): Promise<number> {
  const { attempts, threadId } = await reprise.jobs.get(id)
  const { messages } = await (await reprise.threads.get(threadId)).show()
  if (flags.json) {
    printJson(io, { attempts, messages })
    return 0
  }
  for (const message of messages) {
    const who = message.role === 'user' ? 'told' : (message.agent ?? 'agent')
    printLine(io, `--- ${who} ${message.interrupted ? '(interrupted)' : ''}`.trimEnd())
    printLine(io, sanitise(message.text))
    for (const tool of message.tools) {
      printLine(io, sanitiseLine(`[${tool.name} ${tool.input}] ${tool.result ?? '(not known)'}`))
    }
  }
  return 0
}

type View = (attempt: Attempt) => void

/** A stop request ends the looking, not the job. */
async function followLogs(
  io: Io,
  reprise: Reprise,
  { id, show }: { readonly id: string; readonly show: View },
): Promise<number> {
  const stop = new AbortController()
  const stopListening = io.onStopRequest(() => {
    if (stop.signal.aborted) io.exitNow(5)
    stop.abort()
  })
  const dim = paint(io, io.stderr, 'dim')
  let told = ''
  try {
    const job = await followAttempts(reprise, { id, signal: stop.signal }, attempt => {
      if ('event' in attempt) return show(attempt)
      const { nextAttemptAt, words, status } = attempt.waits
      const until = nextAttemptAt === null ? '' : `, next attempt at ${when(nextAttemptAt)}`
      const line = `${status}${until}${words === null ? '' : `: ${words}`}`
      if (line !== told) io.stderr.write(`${dim(`▸ ${sanitiseLine(line)}`)}\n`)
      told = line
    })
    return exitCodeOfJob(job)
  } finally {
    stopListening()
  }
}

function jsonView(io: Io): View {
  return attempt => {
    if ('event' in attempt) io.stdout.write(`${safeJson(attempt)}\n`)
  }
}

function textView(io: Io): View {
  const { say, breakLine } = createTextWriter(io)
  const line = (text: string) => {
    breakLine()
    printLine(io, sanitiseLine(text))
  }
  return attempt => {
    if (!('event' in attempt)) return
    const { event, number, runId, told } = attempt
    if (event.type === 'text') return say(event.text)
    if (event.type === 'tool') return line(`[${progressOf(event)}]`)
    if (event.type === 'started') {
      line(`--- attempt ${number}: ${runId}, ${event.decision.action}`)
      if (told !== null) printLine(io, sanitise(told))
      return line(`--- answer`)
    }
    if (event.type !== 'ended') return
    const why = event.failure ? `, ${event.failure.message}` : ''
    line(`--- attempt ${number}: ${event.status}${why}`)
  }
}
