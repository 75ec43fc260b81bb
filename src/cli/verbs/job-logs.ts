// reprise jobs logs: prints the prompts and answers of all attempts, once or as they come.
import type { Reprise } from '../../api.ts'
import { callSummary } from '../../core/calls/tool-summary.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import { exitCodeOfJob } from '../start/exit-code.ts'
import type { Io } from '../start/io.ts'
import { followJob, jsonView, textView } from '../view/follow-job.ts'
import { printJson, printLine } from '../view/print.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type LogFlags = JsonFlag & { readonly follow?: true; readonly streamJson?: true }

export async function jobLogs(io: Io, id: string, flags: LogFlags): Promise<number> {
  return withReprise(io, async reprise => {
    if (!flags.follow && !flags.streamJson) return printLogs(io, reprise, { id, flags })
    const show = flags.streamJson ? jsonView(io.stdout) : textView(io.stdout)
    const progressOn = flags.streamJson ? {} : io
    return exitCodeOfJob(await followJob(io, reprise, { id, show, progressOn }))
  })
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
    const who = message.role === 'user' ? 'prompt' : (message.agent ?? 'agent')
    printLine(io, `--- ${who} ${message.interrupted ? '(interrupted)' : ''}`.trimEnd())
    printLine(io, sanitise(message.text))
    for (const tool of message.tools) {
      const call = `${tool.name} ${callSummary(tool)}`
      printLine(io, sanitiseLine(`[${call}] ${tool.result ?? '(not known)'}`))
    }
  }
  return 0
}
