// What a scenario lets the model do in one turn, the same words for the fake agent and for a real one.
import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptedReply, ScriptStep } from '../../../src/testing/index.ts'
import { errorReply, heldReply, textReply, toolReply } from '../../../src/testing/index.ts'
import type { Hold } from '../../../src/testing/model-api/replies.ts'

export type Act =
  | { readonly does: 'say'; readonly text: string; readonly gate?: Gate }
  /** A Bash call that appends a line to a file. */
  | { readonly does: 'append'; readonly file: string; readonly line: string }
  /** A call of any tool; `fails`: how the fake agent tells that it was refused, which a real one finds out itself. */
  | {
      readonly does: 'call'
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      readonly gives: string
      readonly fails?: 'denied' | 'missing'
      /** It needs the user's permission, which a real agent finds out itself. */
      readonly asks?: true
      /** What comes of it, where the fake agent runs it. */
      readonly appends?: { readonly file: string; readonly line: string }
    }
  /** Starts a subagent; only a real agent has one. */
  | { readonly does: 'delegate'; readonly acts: readonly Act[] }
  /** What a tier says at its end. */
  | { readonly does: 'verdict'; readonly output: Readonly<Record<string, unknown>> }
  /** A Bash call that does not end; `reached` is there once it runs. */
  | { readonly does: 'get-stuck'; readonly reached: string }
  /** Asks the user to choose. */
  | { readonly does: 'ask'; readonly question: string; readonly options: readonly string[] }
  /** A Bash call that needs the user's permission, and appends a line to a file. */
  | { readonly does: 'ask-append'; readonly file: string; readonly line: string }
  /** From here on every request of the run fails. */
  | { readonly does: 'fail'; readonly status: number; readonly because?: 'credit' | 'length' }
  /** Only the fake agent can do that. */
  | { readonly does: 'fake'; readonly step: ScriptStep }

export const say = (text: string, gate?: Gate): Act =>
  gate ? { does: 'say', text, gate } : { does: 'say', text }
export const append = (file: string, line: string): Act => ({ does: 'append', file, line })
export const call = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  gives = 'done',
  fails?: 'denied' | 'missing',
): Extract<Act, { does: 'call' }> => ({ does: 'call', name, input, gives, ...(fails && { fails }) })
export const delegate = (...acts: readonly Act[]): Act => ({ does: 'delegate', acts })
export const verdict = (
  word: string,
  more: Readonly<Record<string, unknown>> = {},
): Extract<Act, { does: 'verdict' }> => ({
  does: 'verdict',
  output: { verdict: word, summary: `it is ${word}`, ...more },
})
export const getStuck = (reached: string): Act => ({ does: 'get-stuck', reached })
export const askUser = (question: string, options: readonly string[]): Act => ({
  does: 'ask',
  question,
  options,
})
export const askPermission = (file: string, line: string): Act => ({
  does: 'ask-append',
  file,
  line,
})
export const fail = (status: number): Act => ({ does: 'fail', status })
/** Both come with the same status; what they are about is in their words. */
export const outOfCredit: Act = { does: 'fail', status: 400, because: 'credit' }
export const tooLong: Act = { does: 'fail', status: 400, because: 'length' }
export const fake = (step: ScriptStep): Act => ({ does: 'fake', step })

/** A place in an answer where the model waits until the test lets it go on. */
export type Gate = {
  readonly reached: Promise<void>
  open(): void
  readonly hold: Hold
  readonly files: { readonly reached: string; readonly release: string }
}

export function createGate(hold: Hold, path: string): Gate {
  const files = { reached: `${path}.reached`, release: `${path}.release` }
  return {
    hold,
    files,
    get reached() {
      return Promise.race([hold.reached, appears(files.reached)])
    },
    open() {
      hold.release()
      writeFileSync(files.release, '')
    },
  }
}

export async function appears(path: string): Promise<void> {
  for (let tries = 0; tries < 5_000 && !existsSync(path); tries++) await sleep(20)
  if (!existsSync(path)) throw new Error(`${path} did not appear`)
}

export function fakeSteps(act: Act): readonly ScriptStep[] {
  switch (act.does) {
    case 'say':
      return [...gateSteps(act.gate), { type: 'text', text: act.text }]
    case 'append':
      return [
        { type: 'tool', name: 'Bash', input: { command: appendCommand(act) }, result: '' },
        { type: 'sideEffect', appendFile: act.file, line: act.line },
      ]
    case 'call': {
      const { name, input, gives, fails, appends, asks } = act
      const refused = fails === 'denied' ? { denied: true } : {}
      const missing = `<tool_use_error>Error: No such tool available: ${name}</tool_use_error>`
      const result = fails === 'missing' ? missing : gives
      const failed = { ...(fails && { isError: true }), ...refused }
      return [
        {
          type: 'tool',
          name,
          input,
          result,
          ...failed,
          ...(asks && { asks }),
          ...(appends && { appends }),
        },
      ]
    }
    case 'delegate':
      throw new Error('The fake agent has no subagents')
    case 'verdict':
      return [{ type: 'verdict', output: act.output }]
    case 'get-stuck':
      return [
        { type: 'orphan', seconds: 600, ownSession: true },
        { type: 'tool', name: 'Bash', input: { command: 'sleep 600' }, result: null },
        { type: 'waitForFile', path: `${act.reached}.never`, reached: act.reached },
      ]
    case 'ask':
      return [{ type: 'ask', questions: [asked(act)] }]
    case 'ask-append': {
      const appends = { file: act.file, line: act.line }
      const input = { command: appendCommand(act) }
      return [{ type: 'tool', name: 'Bash', input, result: '', asks: true, appends }]
    }
    case 'fail':
      return [{ type: 'apiError', status: act.status, ...(act.because && TOLD[act.because]) }]
    case 'fake':
      return [act.step]
  }
}

export function modelReply(act: Act): ScriptedReply {
  switch (act.does) {
    case 'say':
      return act.gate ? heldReply(act.gate.hold, act.text) : textReply(act.text)
    case 'append':
      return toolReply('Bash', { command: appendCommand(act), description: 'append a line' })
    case 'call':
      return toolReply(act.name, act.input)
    case 'delegate': {
      const input = { prompt: SUBAGENT_PROMPT, description: 'look closer' }
      return toolReply('Agent', { ...input, subagent_type: 'general-purpose' })
    }
    case 'verdict':
      return toolReply('StructuredOutput', act.output)
    case 'get-stuck': {
      const command = `touch ${act.reached}; sleep 600`
      return toolReply('Bash', { command, description: 'wait', timeout: 600_000 })
    }
    case 'ask':
      return toolReply('AskUserQuestion', { questions: [asked(act)] })
    case 'ask-append':
      return toolReply('Bash', { command: appendCommand(act), description: 'append a line' })
    case 'fail':
      return errorReply(act.status, act.because && { message: API_WORDS[act.because] })
    case 'fake':
      throw new Error(`A real agent cannot do ${act.step.type}`)
  }
}

/** By this the model knows a request of a subagent. */
export const SUBAGENT_PROMPT = 'You are the subagent of a scenario: look closer.'

/** What the API says. */
const API_WORDS = {
  credit: 'Your credit balance is too low to access the Anthropic API.',
  length: 'prompt is too long: 215000 tokens > 200000 maximum',
} as const

/** What the agent makes of it. */
const TOLD = {
  credit: { kind: 'billing_error', message: 'Credit balance is too low' },
  length: {
    kind: 'invalid_request',
    message: 'Prompt is too long',
    terminalReason: 'prompt_too_long',
  },
} as const

function asked({ question, options }: Extract<Act, { does: 'ask' }>) {
  const choices = options.map(label => ({ label, description: `use ${label}` }))
  return { question, header: 'Choice', options: choices, multiSelect: false }
}

function gateSteps(gate: Gate | undefined): readonly ScriptStep[] {
  if (!gate) return []
  const { release, reached } = gate.files
  return [{ type: 'waitForFile', path: release, reached }]
}

function appendCommand({ file, line }: { readonly file: string; readonly line: string }): string {
  return `echo ${line} >> ${file}`
}
