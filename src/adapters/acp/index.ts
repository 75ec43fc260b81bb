// Agents that speak the Agent Client Protocol: one adapter for all of them, made from the command that starts the agent.
import { RepriseError } from '../../errors.ts'
import type { Adapter, OpenedAgent, RunSpec, Runtime } from '../adapter.ts'
import type { AgentFence } from '../agent-fence.ts'
import { refusalsOf } from '../refused-options.ts'
import { isAtLeast } from '../versions.ts'
import { acpDialogue } from './dialogue.ts'
import { greetingWith, recognise } from './greeting.ts'
import { ASKS_FIRST, COST_OF_SESSION } from './habits.ts'
import { outcomeOf } from './outcome.ts'
import type { AcpTier } from './tier.ts'

const { cannot, noMode, refuseUnheld } = refusalsOf('an agent over ACP')

/** How a program is started so that it speaks ACP. */
export type AcpProgram = {
  /** The adapter's name. */
  readonly name: string
  readonly executable: string
  readonly args: readonly string[]
  /** The command that installs it, or what to do instead. */
  readonly install: string
  readonly provider?: string
  /** Names (or `PREFIX_*`) of the variables that it needs, besides those that every program needs. */
  readonly passEnv?: readonly string[]
  readonly withheldEnv?: readonly string[]
  readonly setEnv?: Readonly<Record<string, string>>
  /** How it is held to a tier of a policy, or why it cannot be. */
  readonly tier: AcpTier | { readonly problem: string }
}

/** Kinds of calls, in the words of ACP, that each permission mode allows when the agent asks. */
const ALLOWED_BY_MODE: Readonly<Record<string, readonly string[] | 'all'>> = {
  /** A person decides; where nobody can be asked, the answer is no. */
  ask: [],
  'allow-edits': ['read', 'search', 'think', 'edit'],
  'allow-all': 'all',
}

const ACP_MODES = Object.keys(ALLOWED_BY_MODE)

/** It reads the settings of the project in any case. */
const TRUSTS = ['project'] as const

const MODEL = /^[^\p{Cc}]{1,200}$/u

/** Agents that do not say how much fits into their context: as much as fits into that of a small model. */
const ASSUMED_WINDOW_TOKENS = 128_000

export function acpAdapter(program: AcpProgram): Adapter {
  const { name, executable, args, install, provider, tier } = program
  return {
    name,
    defaultExecutable: executable,
    install,
    ...(provider && { provider }),
    passEnv: [
      ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR'],
      ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
      ...['XDG_RUNTIME_DIR', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'],
      ...['http_proxy', 'https_proxy', 'no_proxy'],
      ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
      ...(program.passEnv ?? []),
    ],
    withheldEnv: program.withheldEnv ?? [],
    setEnv: program.setEnv ?? {},
    confinedEnv: { SHELL: '/bin/bash' },
    probes: [],
    greeting: greetingWith(args),
    recognise,
    words: {
      permissionModes: ACP_MODES,
      defaultMode: 'ask',
      unattendedMode: 'allow-edits',
      toldBy: 'protocol',
      takesModel: model => MODEL.test(model),
    },
    open: (spec, runtime) => open(spec, runtime, program),
    outcomeOf,
    instructionsBy: () => 'prompt',
    money: {
      usageMeans: 'turn',
      ...('saysTokens' in tier && !tier.saysTokens && { reportsTokens: false }),
      costMeans: ({ quirks }) => (quirks.includes(COST_OF_SESSION) ? 'session' : 'process'),
      price: () => null,
      contextWindow: () => null,
      assumedWindow: ASSUMED_WINDOW_TOKENS,
    },
    tools: { aliases: [], shells: ['execute'], writing: {}, readsAsRefusal: () => false },
    structuredOutput: () => false,
    canAsk: () => true,
    builtInAgents: [],
    ...('problem' in tier ? { unfenced: tier.problem } : { fence: fenceOf(tier) }),
  }
}

function fenceOf({ since, before, kinds }: AcpTier): AgentFence {
  return {
    kind: 'rules',
    // Others would allow calls that the tier does not.
    modes: ['ask'],
    kinds,
    canGuard: ({ version, quirks }) =>
      quirks.includes(ASKS_FIRST) && isAtLeast(version, since) && !isAtLeast(version, before),
    guardedVersions: `from ${since} on, before ${before}`,
    dryRun: { tools: ['read', 'search'], mode: 'ask' },
    harmless: [],
    unasked: [],
    trusts: TRUSTS,
  }
}

/** Each process takes one prompt. Its input ends then, and so does it: some agents save a turn only at their end. */
function open(spec: RunSpec, runtime: Runtime, { args, tier }: AcpProgram): OpenedAgent {
  const held = spec.isGuarded && 'modeOf' in tier ? tier : null
  const mode = held?.modeOf(spec.runId) ?? null
  const kinds = spec.allowedTools.filter(kind => !spec.disallowedTools.includes(kind))
  const { begin, read, answer, rule } = acpDialogue({
    prompt: promptOf(spec),
    continuation: continuationOf(spec),
    knownEnds: spec.knownEnds ?? [],
    workDir: spec.workDir,
    model: modelOf(spec),
    mode,
    offered: held ? kinds : null,
    allows: allowedBy(spec),
    permissions: held ? 'ask-us' : spec.asks ? 'ask-user' : 'refuse',
    stays: false,
  })
  // The protocol has no words for these. In a tier, the rules choose its tools, and Reprise answers by them.
  refuseUnheld(held ? { ...spec, allowedTools: [], disallowedTools: [] } : spec, {
    modeChooses: 'what it may do',
    modes: ACP_MODES,
    stillReads: 'the settings of the project',
  })
  const env = { ...spec.env, ...(mode !== null && held?.env(spec.env, { mode, kinds })) }
  const command = { file: runtime.executable, args, env, workDir: spec.workDir }
  return { command, dialogue: { begin, read, answer, ...(held && { rule }) } }
}

function promptOf({ prompt }: RunSpec): string {
  if (prompt !== null && prompt.trim() !== '') return prompt
  throw new RepriseError(
    'bad-input',
    'the prompt is blank',
    'Give the prompt as an argument of `reprise send`, or as `prompt` of the request.',
  )
}

function continuationOf({ continuation }: RunSpec): RunSpec['continuation'] {
  const { kind } = continuation
  if (kind === 'resume' || (kind === 'new' && continuation.sessionId === null)) return continuation
  const wish = kind === 'new' ? 'a session id of your own' : `a session that is ${kind}`
  throw cannot(wish, 'Continue with a new session.')
}

function modelOf({ model }: RunSpec): string | null {
  if (model === null || MODEL.test(model)) return model
  throw cannot('this name of a model', 'Use a name that the agent itself offers.')
}

function allowedBy({ permissionMode }: RunSpec): readonly string[] | 'all' {
  const allowed = Object.hasOwn(ALLOWED_BY_MODE, permissionMode) && ALLOWED_BY_MODE[permissionMode]
  if (allowed) return allowed
  throw noMode(permissionMode, ACP_MODES)
}
