// The greeting of ACP: an agent answers it with its name, its version and what it can do.
import type { Adapter, Greeting } from '../adapter.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import { acpHabitsOf, quirksOf } from './habits.ts'
import { readMessage, requestLine } from './messages.ts'

export const PROTOCOL_VERSION = 1

/** Reprise offers no files and no terminal of its own: the agent uses those of the machine. */
export const GREETING = {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: 'reprise', version: '1' },
}

const GREETING_ID = 1

export function greetingWith(args: readonly string[]): Greeting {
  return {
    args,
    input: requestLine(GREETING_ID, 'initialize', GREETING),
    isAnswer: line => answerIn(line) !== null,
  }
}

export const recognise: Adapter['recognise'] = outputs => {
  const said = outputs.at(-1) ?? ''
  const answer = said
    .split('\n')
    .map(answerIn)
    .find(found => found !== null)
  if (!answer) return { problem: `it does not answer the greeting of ACP${lastWords(said)}` }
  if (answer.kind === 'failure')
    return { problem: `it refuses the greeting of ACP: ${answer.error.message}` }
  const { result } = answer
  if (result.protocolVersion !== PROTOCOL_VERSION)
    return { problem: `it speaks version ${result.protocolVersion} of ACP, not version 1` }
  return recognised(result)
}

function recognised(result: Fields) {
  const about = fieldsIn(result.agentInfo)
  const [name, version] = [textIn(about?.name), textIn(about?.version) ?? 'unknown version']
  const habits = acpHabitsOf(name)
  const canLoad = fieldsIn(result.agentCapabilities)?.loadSession === true
  return {
    version,
    abilities: {
      resume: canLoad && !habits.repeatsLate,
      fork: false,
      forkAtMessage: false,
      chooseSessionId: false,
      resumeAcrossWorkDirs: false,
    },
    quirks: quirksOf(habits),
    warning: warningFor(name ?? 'an agent without a name', version, habits.tested),
  }
}

function warningFor(name: string, version: string, tested: string | null): string | null {
  if (tested === null) return `Reprise was not tested with ${name}`
  return version === tested
    ? null
    : `${name} ${version} is not the tested version, which is ${tested}`
}

function answerIn(line: string) {
  const message = readMessage(line)
  const isAnswer = message?.kind === 'answer' || message?.kind === 'failure'
  return isAnswer && message.id === GREETING_ID ? message : null
}

function lastWords(said: string): string {
  const words = said.trim().split('\n').slice(-2).join(' ').slice(0, 300)
  return words === '' ? '' : `: ${words}`
}
