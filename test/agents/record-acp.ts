// What an agent says over ACP: a turn, a load, calls of tools with and without permission, cancel, errors, a kill in the middle of a turn.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createHold,
  errorReply,
  requestTexts,
  type ScriptedReply,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { type AcpClient, type Permission, type RpcMessage, startAcp } from './acp-client.ts'
import type { AgentProgram } from './agent-programs.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const UNKNOWN = '00000000-0000-4000-8000-00000000dead'
/** Some agents try again for minutes. The recording ends before that, with a cancel. */
const PATIENCE_MS = 25_000

/** How an agent runs a command, by the name of its tool. */
const SHELL: Readonly<Record<string, (command: string) => ScriptedReply>> = {
  'codex-acp': cmd => toolReply('exec_command', { cmd }),
  'claude-agent-acp': command => toolReply('Bash', { command, description: 'Writes' }),
  gemini: command => toolReply('run_shell_command', { command, description: 'Writes' }),
  qwen: command => toolReply('run_shell_command', { command, is_background: false }),
  kimi: command => toolReply('Bash', { command }),
}

type Scene = {
  readonly recorder: Recorder
  readonly client: AcpClient
  /** What the model says in this case. */
  plan(...replies: readonly ScriptedReply[]): void
  prompt(sessionId: string, text: string): Promise<RpcMessage>
}

export async function recordAcp(program: AgentProgram): Promise<void> {
  const recorder = await createRecorder(program)
  let id = ''
  await record(recorder, 'turn', async scene => {
    id = await newSession(scene)
    scene.plan(textReply('I will ', 'remember it.'))
    await scene.prompt(id, 'Remember the word BANANA.')
    await scene.prompt(id, 'Say it again.')
  })
  await sleep(program.findsAfterMs ?? 0)
  await record(recorder, 'load', async scene => {
    if (!(await load(scene, id))) return
    await scene.prompt(id, 'Which word?')
  })
  await recordTools(recorder)
  await record(recorder, 'cancel', async scene => {
    const session = await newSession(scene)
    const gate = createHold()
    scene.plan(textReply('I begin', gate, ' and end.'))
    const answer = scene.prompt(session, 'This takes long.')
    await gate.reached
    scene.client.notify('session/cancel', { sessionId: session })
    await answer
  })
  for (const status of [401, 429, 500])
    await record(recorder, `error-${status}`, async scene => {
      const session = await newSession(scene)
      scene.plan(...Array.from({ length: 50 }, () => errorReply(status)))
      await scene.prompt(session, 'This fails.')
    })
  await record(recorder, 'unknown-session', async scene => {
    if (await load(scene, UNKNOWN)) await scene.prompt(UNKNOWN, 'Who am I?')
  })
  await recordKill(recorder, id)
  await recorder.finish()
}

async function recordTools(recorder: Recorder): Promise<void> {
  const shell =
    SHELL[recorder.program.name] ??
    (command => toolReply('bash', { command, description: 'Writes' }))
  const act = async (scene: Scene) => {
    const session = await newSession(scene)
    scene.plan(shell('echo hi > f.txt; cat f.txt'), textReply('Done.'))
    await scene.prompt(session, 'Write a file.')
  }
  await record(recorder, 'tool', act, 'allow_once')
  await record(recorder, 'tool-refused', act, 'reject_once')
}

async function recordKill(recorder: Recorder, id: string): Promise<void> {
  await record(recorder, 'killed', async scene => {
    if (!(await load(scene, id))) return
    const gate = createHold()
    scene.plan(textReply('I begin', gate, ' and end.'))
    scene.prompt(id, 'This takes long.').catch(() => {
      // The process is killed before it answers.
    })
    await Promise.race([gate.reached, sleep(PATIENCE_MS)])
  })
  await record(recorder, 'after-kill', async scene => {
    if (!(await load(scene, id))) return
    scene.plan(textReply('Here I am.'))
    await scene.prompt(id, 'Go on.')
  })
}

async function newSession({ client, recorder }: Scene): Promise<string> {
  const { result } = await client.request('session/new', { cwd: recorder.cwd, mcpServers: [] })
  return String(result?.sessionId)
}

async function load({ client, recorder }: Scene, sessionId: string): Promise<boolean> {
  const params = { sessionId, cwd: recorder.cwd, mcpServers: [] }
  return (await client.request('session/load', params)).error === undefined
}

async function record(
  recorder: Recorder,
  name: string,
  act: (scene: Scene) => Promise<void>,
  permission?: Permission,
): Promise<void> {
  const { api } = recorder
  const said: string[] = []
  const before = api.requests.length
  const began = performance.now()
  const client = startAcp({
    ...recorder,
    args: [],
    onSaid: line => said.push(line),
    ...(permission && { permission }),
  })
  api.respond(() => undefined)
  const scene: Scene = {
    recorder,
    client,
    plan(...replies) {
      const queue = [...replies]
      api.respond(request => (request.tools.length === 0 ? undefined : queue.shift()))
    },
    prompt: (sessionId, text) => promptWithin(client, sessionId, text),
  }
  try {
    await client.request('initialize', INITIALIZE)
    await act(scene)
  } catch (error) {
    said.push(JSON.stringify({ ended: String(error).slice(0, 200) }))
  }
  client.process.kill()
  const end = await client.process.ended
  const turns = api.requests.slice(before).filter(({ tools }) => tools.length > 0)
  const last = turns.at(-1)
  recorder.keep(name, said, { args: [], end, ...(last && { asked: requestTexts(last) }) })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    recorder.program.name,
    name,
    `${said.length} lines`,
    `${turns.length} requests`,
    `${seconds} s`,
  )
}

/** A prompt that is not answered in time is cancelled. */
async function promptWithin(
  client: AcpClient,
  sessionId: string,
  text: string,
): Promise<RpcMessage> {
  const prompt = [{ type: 'text', text }]
  const answer = client.request('session/prompt', { sessionId, prompt })
  const late = AbortSignal.timeout(PATIENCE_MS)
  const cancelled = Promise.withResolvers<RpcMessage>()
  const cancel = () => {
    client.notify('session/cancel', { sessionId })
    setTimeout(() => cancelled.resolve({}), 5000).unref()
  }
  late.addEventListener('abort', cancel)
  try {
    return await Promise.race([answer, cancelled.promise])
  } finally {
    late.removeEventListener('abort', cancel)
  }
}

const INITIALIZE = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: 'reprise', version: '0.1.0' },
}
