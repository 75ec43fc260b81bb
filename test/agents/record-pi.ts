// What pi prints: turns, resumes by path and by id, a fork, tools, errors, refusals, a kill in the middle of a turn.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createHold,
  errorReply,
  requestTexts,
  type ScriptedReply,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { startAgent } from './agent-process.ts'
import { pi } from './agent-programs.ts'
import { createRecorder, type Recorder } from './recorder.ts'

type Case = {
  readonly name: string
  readonly prompt: string
  readonly args?: readonly string[]
  readonly replies?: readonly ScriptedReply[]
  readonly cwd?: string
}

const ALWAYS = ['--mode', 'json', '--model', 'mock/mock-model']

export async function recordPi(): Promise<void> {
  const recorder = await createRecorder(pi)
  const first = await record(recorder, {
    name: 'turn',
    prompt: 'Remember the word BANANA.',
    replies: [textReply('I will ', 'remember it.')],
  })
  const id = String(JSON.parse(first[0] ?? '{}').id)
  const file = sessionFile(recorder, id)
  const elsewhere = join(recorder.root, 'elsewhere')
  mkdirSync(elsewhere)
  await record(recorder, { name: 'resume', args: ['--session', file], prompt: 'Which word?' })
  recorder.keepFile('resume.session.jsonl', readFileSync(file, 'utf8'))
  await record(recorder, { name: 'resume-by-id', args: ['--session', id], prompt: 'And now?' })
  const there = { prompt: 'And here?', cwd: elsewhere }
  await record(recorder, { name: 'other-directory', args: ['--session', file], ...there })
  await record(recorder, { name: 'other-directory-by-id', args: ['--session', id], ...there })
  await record(recorder, { name: 'fork', args: ['--fork', file], prompt: 'Another way.' })
  const call = [toolReply('bash', { command: 'echo hi > f.txt; cat f.txt' }), textReply('Done.')]
  await record(recorder, { name: 'tool', prompt: 'Write a file.', replies: call })
  const refused = { prompt: 'Write a file.', args: ['--tools', 'read,grep'], replies: call }
  await record(recorder, { name: 'tool-missing', ...refused })
  for (const status of [401, 429, 500])
    await record(recorder, {
      name: `error-${status}`,
      prompt: 'This fails.',
      replies: Array.from({ length: 8 }, () => errorReply(status)),
    })
  await record(recorder, { name: 'unknown-session', args: ['--session', 'dead'], prompt: 'Who?' })
  await recordKill(recorder, 'killed-first-turn', [])
  await recordKill(recorder, 'killed', ['--session', file])
  await record(recorder, { name: 'after-kill', args: ['--session', file], prompt: 'Go on.' })
  await recorder.finish()
}

async function recordKill(recorder: Recorder, name: string, args: readonly string[]) {
  const gate = createHold()
  recorder.api.script([textReply('I begin', gate, ' and end.')])
  const all = [...ALWAYS, ...args, 'This takes long.']
  const child = startAgent({ ...recorder, args: all })
  child.closeInput()
  await gate.reached
  child.kill()
  recorder.keep(name, child.lines, { args: all, end: await child.ended })
  const left = sessionFiles(recorder).length
  console.log(recorder.program.name, name, `${left} session files`)
}

async function record(recorder: Recorder, one: Case): Promise<readonly string[]> {
  const { api } = recorder
  const before = api.requests.length
  const queue = [...(one.replies ?? [])]
  api.respond(() => queue.shift())
  const args = [...ALWAYS, ...(one.args ?? []), one.prompt]
  const child = startAgent({ ...recorder, args, cwd: one.cwd ?? recorder.cwd })
  child.closeInput()
  const end = await child.ended
  const last = api.requests.slice(before).at(-1)
  recorder.keep(one.name, child.lines, { args, end, ...(last && { asked: requestTexts(last) }) })
  console.log(recorder.program.name, one.name, end.code ?? end.signal, child.lines.length)
  return child.lines
}

function sessionFile(recorder: Recorder, id: string): string {
  return sessionFiles(recorder).find(file => file.endsWith(`${id}.jsonl`)) ?? ''
}

function sessionFiles({ place }: Recorder): readonly string[] {
  const sessions = join(place.home, '.pi/agent/sessions')
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
  return files.filter(file => file.endsWith('.jsonl')).map(file => join(sessions, file))
}
