// What codex prints: turns, resumes, forks, tools, errors, refusals, a kill in the middle of a turn.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createHold,
  dropReply,
  errorReply,
  messageReply,
  requestTexts,
  type ScriptedReply,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { startAgent } from './agent-process.ts'
import { codex } from './agent-programs.ts'
import { createRecorder, type Recorder } from './recorder.ts'

/** Without these, codex waits for its servers for seconds at the end of a run. */
const ALWAYS = ['--json', '--skip-git-repo-check', '--disable', 'plugins', '--disable', 'apps']
const UNKNOWN = '00000000-0000-4000-8000-00000000dead'

type Case = {
  readonly name: string
  readonly prompt?: string
  /** Between `exec` and the prompt. */
  readonly args?: readonly string[]
  readonly replies?: readonly ScriptedReply[]
}

export async function recordCodex(): Promise<void> {
  const recorder = await createRecorder(codex)
  const first = await record(recorder, {
    name: 'turn',
    prompt: 'Remember the word BANANA.',
    replies: [
      messageReply(
        { type: 'thinking', text: 'A word.' },
        { type: 'text', pieces: ['I will ', 'remember it.'] },
      ),
    ],
  })
  const id = String(JSON.parse(first[0] ?? '{}').thread_id)
  const resume = ['resume', id]
  await record(recorder, {
    name: 'resume',
    prompt: 'Which word?',
    args: resume,
    replies: [textReply('BANANA')],
  })
  recorder.keepFile('resume.session.jsonl', rolloutOf(recorder, id))
  await record(recorder, {
    name: 'fork',
    prompt: 'And now?',
    args: ['fork', id],
    replies: [textReply('Forked.')],
  })
  await recordTools(recorder)
  for (const status of [401, 429, 500])
    await record(recorder, {
      name: `error-${status}`,
      prompt: 'This fails.',
      replies: Array.from({ length: 8 }, () => errorReply(status)),
    })
  await record(recorder, {
    name: 'error-network',
    prompt: 'This breaks off.',
    replies: Array.from({ length: 8 }, () => dropReply('par')),
  })
  await record(recorder, {
    name: 'unknown-session',
    args: ['resume', UNKNOWN],
    prompt: 'Who am I?',
  })
  await record(recorder, {
    name: 'no-session-id',
    args: ['resume', 'no-uuid'],
    prompt: 'Who am I?',
  })
  await record(recorder, {
    name: 'other-model',
    args: ['-m', 'other-model', ...resume],
    prompt: 'Another model.',
  })
  await recordKill(recorder, id)
  await recorder.finish()
}

async function recordTools(recorder: Recorder): Promise<void> {
  const call = toolReply('exec_command', { cmd: 'echo hi > f.txt; cat f.txt' })
  const replies = [call, textReply('Done.')]
  const tool = { prompt: 'Write a file.', replies }
  await record(recorder, { ...tool, name: 'tool', args: ['-s', 'workspace-write'] })
  await record(recorder, { ...tool, name: 'tool-denied', args: ['-s', 'read-only'] })
  const fails = [toolReply('exec_command', { cmd: 'exit 3' }), textReply('It failed.')]
  await record(recorder, { name: 'tool-fails', prompt: 'Fail.', replies: fails })
  const missing = [toolReply('no_such_tool', {}), textReply('There is none.')]
  await record(recorder, { name: 'tool-missing', prompt: 'Call it.', replies: missing })
}

/** A second process on the same session is refused; after a kill of the first, the session goes on. */
async function recordKill(recorder: Recorder, id: string): Promise<void> {
  const gate = createHold()
  recorder.api.script([textReply('I begin', gate, ' and end.')])
  const args = argumentsOf(['resume', id])
  const running = startAgent({ ...recorder, args })
  running.closeInput('This takes long.')
  await gate.reached
  await record(recorder, { name: 'session-busy', args: ['resume', id], prompt: 'Me too.' })
  running.kill()
  const end = await running.ended
  recorder.keep('killed', running.lines, { args, prompt: 'This takes long.', end })
  await record(recorder, { name: 'after-kill', args: ['resume', id], prompt: 'Go on.' })
}

async function record(recorder: Recorder, one: Case): Promise<readonly string[]> {
  const { api } = recorder
  const before = api.requests.length
  const queue = [...(one.replies ?? [])]
  api.respond(() => queue.shift())
  const args = argumentsOf(one.args ?? [])
  const child = startAgent({ ...recorder, args })
  child.closeInput(one.prompt)
  const end = await child.ended
  const last = api.requests.slice(before).at(-1)
  const { prompt = '' } = one
  recorder.keep(one.name, child.lines, {
    args,
    prompt,
    end,
    ...(last && { asked: requestTexts(last) }),
  })
  console.log(recorder.program.name, one.name, end.code ?? end.signal, child.lines.length)
  return child.lines
}

function argumentsOf(args: readonly string[]): readonly string[] {
  return ['exec', ...ALWAYS, ...args, '-']
}

function rolloutOf({ place }: Recorder, id: string): string {
  const sessions = join(place.home, '.codex/sessions')
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
  const found = files.find(file => file.endsWith(`${id}.jsonl`))
  return found === undefined ? '' : readFileSync(join(sessions, found), 'utf8')
}
