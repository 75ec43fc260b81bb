// The adapter of the small agent, written by the recipe of CONTRIBUTING.md.
import type { Adapter, Dialogue, DialogueStep, RunSpec } from '../../../src/adapters/adapter.ts'
import { type Fields, numberIn, parseFields, textIn } from '../../../src/adapters/fields.ts'
import { hintsWith } from '../../../src/adapters/hints.ts'
import { outcomeBy } from '../../../src/adapters/outcome.ts'
import { classOfStatus } from '../../../src/adapters/status-class.ts'
import { type AgentEvent, type AgentResult, NO_USAGE } from '../../../src/core/run/events.ts'
import { RepriseError } from '../../../src/errors.ts'

const VERSION = /^small-agent (\d+\.\d+\.\d+)$/m

export const smallAgent: Adapter = {
  name: 'small-agent',
  defaultExecutable: 'small-agent',
  install: 'it is in test/agents/small-agent',
  passEnv: ['PATH', 'HOME'],
  withheldEnv: [],
  setEnv: {},
  confinedEnv: {},
  probes: [['--version']],
  recognise([printed = '']) {
    const version = VERSION.exec(printed)?.[1]
    if (version === undefined) return { problem: 'it is not the small agent' }
    const abilities = {
      ...{ resume: true, fork: false, forkAtMessage: false },
      ...{ chooseSessionId: false, resumeAcrossWorkDirs: true },
    }
    return { version, abilities, quirks: [], warning: null }
  },
  words: {
    permissionModes: ['usual'],
    defaultMode: 'usual',
    unattendedMode: 'usual',
    toldBy: 'protocol',
    takesModel: () => false,
  },
  open(spec, { executable }) {
    refuse(spec)
    const command = { file: executable, args: [], env: spec.env, workDir: spec.workDir }
    return { command, dialogue: dialogueOf(spec) }
  },
  outcomeOf: outcomeBy({
    unusable: [[/SyntaxError/, 'bad-request']],
    classOf: ({ apiErrorStatus: status }) => (status === null ? 'unknown' : classOfStatus(status)),
    refusalOf: () => 'resume-refused',
    hints: hintsWith({ auth: 'Log in.', credit: 'Pay.', address: 'its settings' }),
  }),
  instructionsBy: () => 'prompt',
  money: {
    usageMeans: 'turn',
    costMeans: () => 'process',
    price: () => null,
    contextWindow: () => null,
    assumedWindow: 10_000,
  },
  tools: { aliases: [], shells: [], writing: {}, readsAsRefusal: () => false },
  structuredOutput: () => false,
  canAsk: () => false,
  builtInAgents: [],
}

function refuse({ continuation, permissionMode, allowedTools, disallowedTools, prompt }: RunSpec) {
  const isOdd = permissionMode !== 'usual' || allowedTools.length + disallowedTools.length > 0
  const isForeign = continuation.kind !== 'resume' && continuation.sessionId !== null
  if (!isOdd && !isForeign && continuation.kind !== 'fork' && prompt?.trim()) return
  throw new RepriseError('bad-input', 'the small agent cannot do this', 'Leave it out.')
}

function dialogueOf({ continuation, prompt, knownEnds = [] }: RunSpec): Dialogue {
  const wanted = continuation.kind === 'resume' ? continuation.sessionId : null
  let sessionId: string | null = null
  let lastHeard: string | null = null

  function opened(id: string): DialogueStep {
    const end = knownEnds.find(({ lastPrompt }) => lastHeard?.endsWith(lastPrompt))
    // Without a file to look at, the session must end as Reprise knows it.
    if (wanted !== null && knownEnds.length > 0 && !end)
      return { events: [failed({ why: 'another history' }, null)], write: [], close: true }
    sessionId = id
    const about = { model: null, version: null, tools: [], permissionMode: null }
    const text = `prompt ${JSON.stringify(end?.send ?? prompt)}\n`
    return { events: [{ type: 'session', sessionId: id, ...about }], write: [text], close: true }
  }

  function eventsOf(word: string, value: unknown): readonly AgentEvent[] | null {
    const text = textIn(value)
    if (word === 'text' && text !== null) return [{ type: 'text', text }]
    const fields = parseFields(JSON.stringify(value ?? null))
    if (fields === null) return null
    if (word === 'failed') return [failed(fields, sessionId)]
    if (word !== 'done') return null
    const inputTokens = numberIn(fields.tokens) ?? 0
    return [{ ...resultOf(sessionId), ok: true, usage: { ...NO_USAGE, inputTokens } }]
  }

  return {
    begin: () => ({ events: [], write: [`open ${JSON.stringify(wanted)}\n`] }),
    read(line) {
      const [word, value] = split(line)
      const text = textIn(value)
      if (word === 'session' && text !== null && sessionId === null) return opened(text)
      if (word === 'heard' && text !== null) {
        lastHeard = text
        return { events: [], write: [] }
      }
      const unknown: AgentEvent = { type: 'unknown', kind: word, raw: line.slice(0, 200) }
      const events = eventsOf(word, value) ?? (line === '' ? [] : [unknown])
      // The program waits for more until its input ends.
      return { events, write: [], ...(word === 'failed' && { close: true }) }
    },
  }
}

function split(line: string): readonly [string, unknown] {
  const at = line.indexOf(' ')
  const wrapped = parseFields(`{"value":${line.slice(at)}}`)
  return [line.slice(0, Math.max(0, Math.min(at, 20))), wrapped?.value]
}

function failed({ status, why }: Fields, sessionId: string | null): AgentResult {
  const errors = [textIn(why) ?? 'no reason']
  const turns = sessionId === null ? 0 : 1
  return { ...resultOf(sessionId), errors, apiErrorStatus: numberIn(status), turns }
}

function resultOf(sessionId: string | null): AgentResult {
  return {
    ...{ type: 'result', ok: false, subtype: 'done', sessionId, text: null, errors: [] },
    ...{ apiErrorStatus: null, errorKind: null, stopReason: null, terminalReason: null },
    ...{ turns: 1, durationMs: null, totalCostUsd: null, models: {} },
    ...{ modelsSinceLastResult: null, usage: NO_USAGE, unasked: false },
  }
}
